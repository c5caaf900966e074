"""A client that only waits is waited for no longer than the request lasts."""

import asyncio
import gc
import threading
import time

import pytest

from octavo.declarative import DispatchContext, current_context
from octavo.declarative.actions.asking import Asking
from octavo.errors import CancelledError, ExecutionError, RetrievalTimeoutError
from octavo.spi import CancellationToken
from tests.declarative.actions.fakes import agent_of
from tests.declarative.actions.test_agent import Reader

FOREVER = 60.0
ASKED = {"question": "q"}


class Blocking:
    """Answers, or gives its second piece, when it is let go."""

    def __init__(self):
        self.released = threading.Event()
        self.asked = threading.Event()
        self.closed = threading.Event()
        self.threads = []

    def complete(self, system, prompt):
        self.threads.append(threading.current_thread())
        self.asked.set()
        self.released.wait(FOREVER)
        return "late"

    def stream(self, system, prompt):
        try:
            yield "first"
            yield self.complete(system, prompt)
        finally:
            self.closed.set()


@pytest.fixture
def client():
    subject = Blocking()
    yield subject
    subject.released.set()
    for each in subject.threads:
        each.join(10)
        assert not each.is_alive(), "a thread ends with the call that it was left with"


def soon(token=None):
    return DispatchContext(deadline=time.monotonic() + 0.2, cancellation=token)


def test_a_blocking_client_is_left_at_the_deadline(client):  # S50
    with pytest.raises(RetrievalTimeoutError, match="answer was not done by the deadline"):
        agent_of(Reader(), llm=client).execute_action("answer", ASKED, soon())
    assert not client.released.is_set()


def test_so_is_one_that_blocks_between_pieces(client):  # S50
    stream = agent_of(Reader(), llm=client).stream_action("answer", ASKED, soon())
    assert next(stream) == "first"
    with pytest.raises(RetrievalTimeoutError, match="answer was not done by the deadline"):
        next(stream)
    assert not client.closed.is_set()
    client.released.set()
    assert client.closed.wait(10), "what was left is closed when it can be"


def test_an_event_loop_does_not_wait_for_it_either(client):  # S50
    agent = agent_of(Reader(), llm=client)
    with pytest.raises(RetrievalTimeoutError):
        asyncio.run(agent.aexecute_action("answer", ASKED, soon()))
    assert not client.released.is_set()


def test_a_task_that_is_cancelled_leaves_it(client):
    agent = agent_of(Reader(), llm=client)

    async def run():
        task = asyncio.create_task(agent.aexecute_action("answer", ASKED))
        while not client.asked.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert not client.released.is_set()


@pytest.mark.parametrize("how", ["execute_action", "stream_action"])
def test_a_cancellation_is_noticed_while_it_blocks(client, how):  # S50
    token = CancellationToken()
    threading.Thread(target=lambda: (client.asked.wait(FOREVER), token.cancel())).start()
    agent = agent_of(Reader(), llm=client)
    with pytest.raises(CancelledError):
        list(getattr(agent, how)("answer", ASKED, DispatchContext(cancellation=token)))
    assert not client.released.is_set()


def test_without_an_end_it_is_asked_in_the_callers_thread(client):
    client.released.set()
    agent = agent_of(Reader(), llm=client)
    assert agent.execute_action("answer", ASKED) == "late"
    assert list(agent.stream_action("answer", ASKED)) == ["first", "late"]
    assert set(client.threads) == {threading.current_thread()}
    client.threads.clear()


def test_all_pieces_of_a_stream_come_from_one_thread(client):
    client.released.set()
    threads = client.threads

    class Watched(Blocking):
        def stream(self, system, prompt):
            for number in range(5):
                threads.append(threading.current_thread())
                yield str(number)

    agent = agent_of(Reader(), llm=Watched())
    context = DispatchContext(deadline=time.monotonic() + FOREVER)
    assert list(agent.stream_action("answer", ASKED, context)) == list("01234")
    assert len(set(threads)) == 1
    assert threading.current_thread() not in threads


def test_the_client_sees_the_context_of_its_action():
    seen = []
    agent = agent_of(Reader(), llm=lambda system, prompt: seen.append(current_context()) or "yes")
    context = DispatchContext(tenant="a", deadline=time.monotonic() + FOREVER)
    assert agent.execute_action("answer", ASKED, context) == "yes"
    assert asyncio.run(agent.aexecute_action("answer", ASKED, context)) == "yes"
    assert [each.dispatch.tenant for each in seen] == ["a", "a"]


def test_a_stream_that_is_closed_or_forgotten_closes_the_clients(client):
    context = DispatchContext(deadline=time.monotonic() + FOREVER)
    agent = agent_of(Reader(), llm=client)
    with agent.stream_action("answer", ASKED, context) as stream:
        next(stream)
    assert client.closed.is_set()
    client.closed.clear()
    stream = agent.stream_action("answer", ASKED, context)
    next(stream)
    del stream
    gc.collect()
    assert client.closed.wait(10)


def test_errors_come_through_with_their_own_kind(client):
    def late(system, prompt):
        raise RetrievalTimeoutError("the server's own")

    context = DispatchContext(deadline=time.monotonic() + FOREVER)
    with pytest.raises(RetrievalTimeoutError, match="the server's own"):
        agent_of(Reader(), llm=late).execute_action("answer", ASKED, context)

    def stops(system, prompt):
        raise StopIteration

    with pytest.raises(ExecutionError, match="StopIteration"):
        agent_of(Reader(), llm=stops).execute_action("answer", ASKED, context)
    with pytest.raises(ExecutionError, match="StopIteration"):
        asyncio.run(agent_of(Reader(), llm=stops).aexecute_action("answer", ASKED, context))


def test_a_request_that_is_over_asks_nothing():
    over = DispatchContext(deadline=time.monotonic() - 1)
    with Asking(over, "x") as ask, pytest.raises(RetrievalTimeoutError):
        ask(lambda: pytest.fail("asked"))
