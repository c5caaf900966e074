"""Bodies of actions that give their answer piece by piece, and functions that must be awaited."""

import asyncio

import pytest

from octavo.declarative import ActionResult, ActionType, Role, action_spec, current_context
from octavo.errors import ConfigurationError, ExecutionError
from tests.declarative.actions.fakes import Recorder, agent_of
from tests.declarative.actions.test_agent import OnlyStreams, OnlyStreamsAsync, Reader

ASKED = {"question": "q"}


class Telling(Role):
    """Tells in pieces; ``closed`` grows when a generator ends."""

    def __init__(self):
        self.closed = []

    @action_spec(type=ActionType.LOCAL)
    def pieces(self):
        try:
            yield "one "
            yield "two"
        finally:
            self.closed.append(current_context().dispatch.tenant)

    @action_spec(type=ActionType.LOCAL)
    async def awaited(self):
        try:
            yield "one "
            await asyncio.sleep(0)
            yield "two"
        finally:
            self.closed.append("")

    @action_spec(type=ActionType.LOCAL)
    def odd(self):
        yield 3

    @action_spec(type=ActionType.LOCAL)
    def listed(self) -> list:
        return ["one ", "two"]

    @action_spec(type=ActionType.LLM)
    def judged(self, result: ActionResult):
        yield "it says: "
        yield str(result.value)


async def streamed(agent, name):
    return [each async for each in await agent.astream_action(name)]


# S75 S77
@pytest.mark.parametrize("name", ["pieces", "awaited"])
def test_a_body_that_yields_is_streamed_in_pieces_and_executed_as_one_text(name):
    role = Telling()
    assert asyncio.run(streamed(role, name)) == ["one ", "two"]
    assert asyncio.run(role.aexecute_action(name)) == "one two"
    assert len(role.closed) == 2
    if name == "pieces":
        assert list(role.stream_action(name)) == ["one ", "two"]
        assert role.execute_action(name) == "one two"


def test_a_body_that_must_be_awaited_is_told_so_without_an_event_loop():
    for run in (Telling().execute_action, lambda name: list(Telling().stream_action(name))):
        with pytest.raises(ConfigurationError, match="'awaited' is asynchronous"):
            run("awaited")


@pytest.mark.parametrize("name", ["pieces", "awaited"])
def test_a_body_that_is_left_is_closed(name):
    role = Telling()

    async def first():
        async with await role.astream_action(name) as stream:
            return await anext(stream)

    assert asyncio.run(first()) == "one "
    assert len(role.closed) == 1


def test_pieces_that_are_no_text_are_an_execution_failure():
    role = Telling()
    for run in (role.execute_action, lambda name: list(role.stream_action(name))):
        with pytest.raises(ExecutionError, match="'odd' yielded 3, expected text"):
            run("odd")
    with pytest.raises(ExecutionError, match="expected text"):
        asyncio.run(streamed(role, "odd"))


def test_what_does_not_yield_stays_what_it_is():
    assert Telling().execute_action("listed") == ["one ", "two"]
    assert list(Telling().stream_action("listed")) == ["['one ', 'two']"]


def test_a_body_after_its_model_may_yield():  # S75
    agent = agent_of(Telling(), llm=Recorder("yes"))
    assert agent.execute_action("judged") == "it says: yes"
    assert asyncio.run(agent.aexecute_action("judged")) == "it says: yes"


async def answering(system, prompt):
    await asyncio.sleep(0)
    return "waited for"


class Answering:
    async def complete(self, system, prompt):
        return await answering(system, prompt)


# S77
@pytest.mark.parametrize("client", [answering, Answering()])
def test_a_client_that_must_be_awaited_serves_asynchronous_dispatches(client):
    agent = agent_of(Reader(), llm=client)
    assert asyncio.run(agent.aexecute_action("answer", ASKED)) == "waited for"
    with pytest.raises(ConfigurationError, match="client is asynchronous; use the asynchronous"):
        agent.execute_action("answer", ASKED)


@pytest.mark.parametrize(
    ("executor", "advice"),
    [(OnlyStreams(), "use stream_action"), (OnlyStreamsAsync(), "use astream_action")],
)
def test_an_executor_that_only_streams_says_so(executor, advice):
    agent = agent_of(Reader(), executors={ActionType.TOOL: executor})
    with pytest.raises(ConfigurationError, match=f"no method execute; {advice}$"):
        agent.execute_action("tool", {"name": "n"})
    with pytest.raises(ConfigurationError, match=f"no method execute; {advice}$"):
        asyncio.run(agent.aexecute_action("tool", {"name": "n"}))
