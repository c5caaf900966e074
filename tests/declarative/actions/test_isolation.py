"""Many dispatches at once, inside each other, and streams that are left in odd ways (S69, S71)."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from octavo.declarative import (
    ActionType,
    DispatchContext,
    Knowledge,
    Role,
    action_spec,
    current_context,
    role_spec,
)
from octavo.errors import ContextValidationError, ExecutionError, RetrievalTimeoutError
from tests.declarative.actions.fakes import FakeRetrieval, Recorder, agent_of, document
from tests.declarative.actions.test_agent import Reader


class Echo(FakeRetrieval):
    """Gives the question back as the only document."""

    def retrieve(self, bindings, action, arguments, context):
        found = FakeRetrieval(document(arguments["question"], "s"))
        return found.retrieve(bindings, action, arguments, context)


def text_of(question):
    return f"[Source: s]\n{question}"


class Pieces:
    """A client whose pieces never end, and that remembers when it was closed."""

    def __init__(self):
        self.closed = 0

    def stream(self, system, prompt):
        try:
            while True:
                yield current_context().text
        finally:
            self.closed += 1

    async def stream_async(self, system, prompt):
        try:
            while True:
                await asyncio.sleep(0)
                yield current_context().text
        finally:
            self.closed += 1


@role_spec(knowledge=Knowledge("notes", path="notes"))
class Nesting(Role):
    def __init__(self):
        self.agent = None

    @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
    def local(self, question: str) -> list:
        inner = []
        if len(question) <= 5:
            inner = self.agent.execute_action(*self._inner("local", question))
        return [current_context().text, *inner]

    @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
    async def waiting(self, question: str) -> list:
        await asyncio.sleep(0)
        inner = []
        if len(question) <= 5:
            inner = await self.agent.aexecute_action(*self._inner("waiting", question))
        return [current_context().text, *inner]

    @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes"))
    def answer(self, question: str) -> str: ...

    @staticmethod
    def _inner(name, question):
        return name, {"question": f"{question} inside"}


def nesting(client=None):
    role = Nesting()
    role.agent = agent_of(role, llm=client, retrieval=Echo())
    return role.agent


def expected(number):
    return [text_of(f"{number}"), text_of(f"{number} inside")]


def test_a_hundred_threads_each_see_their_own():  # S69
    agent = nesting()
    with ThreadPoolExecutor(100) as pool:
        found = list(
            pool.map(lambda n: agent.execute_action("local", {"question": str(n)}), range(300))
        )
    assert found == [expected(number) for number in range(300)]
    assert dict(current_context()) == {}


def test_a_thousand_tasks_each_see_their_own():  # S69
    agent = nesting()

    async def all_at_once():
        return await asyncio.gather(
            *(agent.aexecute_action("waiting", {"question": str(n)}) for n in range(1000))
        )

    assert asyncio.run(all_at_once()) == [expected(number) for number in range(1000)]


def test_streams_of_one_thread_do_not_mix():  # S69
    agent = nesting(Pieces())
    streams = [agent.stream_action("answer", {"question": str(n)}) for n in range(10)]
    for _ in range(3):
        assert [next(each) for each in streams] == [text_of(n) for n in range(10)]
        assert dict(current_context()) == {}
    for each in streams:
        each.close()


def test_a_stream_that_nobody_reads_asks_nothing():
    client = Pieces()
    agent = nesting(client)

    async def run():
        await (await agent.astream_action("answer", {"question": "Q"})).aclose()

    agent.stream_action("answer", {"question": "Q"}).close()
    asyncio.run(run())
    assert client.closed == 0


def test_a_stream_that_is_forgotten_is_closed():
    client = Pieces()
    agent = nesting(client)

    async def run():
        pieces = await agent.astream_action("answer", {"question": "Q"})
        await anext(pieces)
        del pieces
        gc.collect()
        await asyncio.sleep(0.01)
        assert client.closed == 2

    pieces = agent.stream_action("answer", {"question": "Q"})
    next(pieces)
    del pieces
    gc.collect()
    assert client.closed == 1
    asyncio.run(run())


@pytest.mark.parametrize("is_cancelled", [True, False], ids=["reader cancelled", "reader done"])
def test_another_task_may_close_a_stream(is_cancelled):
    client = Pieces()
    agent = nesting(client)

    async def read(pieces):
        async for _ in pieces:
            if not is_cancelled:
                break

    async def run():
        pieces = await agent.astream_action("answer", {"question": "Q"})
        reader = asyncio.create_task(read(pieces))
        await asyncio.sleep(0.01)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        await asyncio.create_task(pieces.aclose())
        assert client.closed == 1

    asyncio.run(run())


def test_a_failure_between_pieces_is_an_execution_failure():  # S43
    class Failing:
        def stream(self, system, prompt):
            yield "one"
            raise OSError("reset")

        async def stream_async(self, system, prompt):
            yield "one"
            raise OSError("reset")

    agent = nesting(Failing())

    async def run():
        pieces = await agent.astream_action("answer", {"question": "Q"})
        assert await anext(pieces) == "one"
        with pytest.raises(ExecutionError, match="OSError: reset"):
            await anext(pieces)

    pieces = agent.stream_action("answer", {"question": "Q"})
    assert next(pieces) == "one"
    with pytest.raises(ExecutionError, match="OSError: reset"):
        next(pieces)
    asyncio.run(run())


def test_a_deadline_between_pieces_ends_a_stream():  # S50
    client = Pieces()
    context = DispatchContext.builder().timeout(0.2).build()
    with (
        pytest.raises(RetrievalTimeoutError),
        nesting(client).stream_action("answer", {"question": "Q"}, context) as pieces,
    ):
        for _ in pieces:
            pass
    assert client.closed == 1


# S70
@pytest.mark.parametrize("counter", [lambda text: 10**30, lambda text: 1 << 62])
def test_a_counter_for_which_nothing_fits_stops_before_the_model(counter):
    class Client:
        def complete(self, system, prompt):
            raise AssertionError("asked")

    agent = nesting(Client())
    agent.get_token_counter = lambda: counter
    with pytest.raises(ContextValidationError, match="context_window"):
        agent.execute_action("answer", {"question": "Q"})


# S71
def test_a_dispatch_inside_another_sees_no_more_than_that():
    inner = FakeRetrieval()
    nested = agent_of(Reader(), llm=Recorder(), retrieval=inner)

    class Outer(Role):
        @action_spec(type=ActionType.LOCAL)
        def body(self) -> str:
            return nested.execute_action("answer", {"question": "Q"})

    whose = {"tenant": "a", "session": "s", "run_id": "r", "simulation": "i", "episode": "e"}
    turn = {"turn_message": "m", "conversation_id": "c", "source_paths": {"x": "y"}}
    filters = {"tier": "approved", "tnsai.episode": "e"}
    context = DispatchContext(**whose, **turn, metadata_filters=filters, source_revision="3")
    Outer().execute_action("body", {}, context)
    seen = inner.calls[0][3]
    assert seen == DispatchContext(
        **whose, metadata_filters=filters, source_revision="3", agent="Subject"
    )
