"""Actions that read a SEQUENTIAL source: what the model sees, and dispatches side by side (S74)."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from octavo.declarative import (
    ActionRequest,
    ActionType,
    DispatchContext,
    Knowledge,
    RetrievalRuntime,
    Role,
    action_spec,
    role_spec,
)
from octavo.errors import CancelledError, ExecutionError
from octavo.spi import CancellationToken
from tests.declarative.actions.fakes import Recorder, agent_of

TEXTS = [f"unit{number:02}" for number in range(24)]


@pytest.fixture
def reader(tmp_path):
    """An agent that reads a book of two units a dispatch; made with a client, and perhaps a runtime."""
    for place, text in enumerate(TEXTS):
        (tmp_path / f"{place:02}.md").write_text(text)

    @role_spec(knowledge=Knowledge("book", path=str(tmp_path)))
    class Reader(Role):
        @action_spec(
            type=ActionType.LLM,
            knowledge=Knowledge("book", use=Knowledge.Use.SEQUENTIAL, max_tokens=12),
        )
        def read(self) -> str:
            return ""

    def made(llm, counter=len):
        agent = agent_of(Reader(), llm=llm, retrieval=RetrievalRuntime())
        agent.get_token_counter = lambda: counter
        return agent

    return made


def texts_in(text):
    return [each for each in TEXTS if each in text]


def test_the_model_is_told_of_the_last_part(reader):  # S74 S70
    model = Recorder()
    agent = reader(model)
    read = []
    while True:
        response = agent.execute_action(ActionRequest.of("read", {}))
        read += texts_in(model.prompt)
        usage = response.context.usage[0]
        head = "Retrieved context (last part: nothing follows of book):"
        assert (head in model.prompt) is usage.exhausted
        if usage.exhausted:
            break
    assert read == TEXTS
    assert len(model.asked) == 12
    response = agent.execute_action(ActionRequest.of("read", {}))
    assert (response.context.documents, response.context.usage[0].exhausted) == (0, True)
    assert model.prompt == "read"


def test_dispatches_side_by_side_share_the_units_out(reader):  # S74
    barrier = Barrier(6, timeout=30)
    agent = reader(lambda system, prompt: prompt)
    read = []

    def run(scope):
        barrier.wait()
        return [
            (scope, tuple(texts_in(agent.execute_action("read", None, context))))
            for context in [DispatchContext(tenant=scope)] * 5
        ]

    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(run, "aaabbb"):
            read += found
    for scope in "ab":
        given = [pair for each, pair in read if each == scope]
        assert sorted(filter(None, given)) == list(zip(TEXTS[::2], TEXTS[1::2], strict=True))


def failing(*at):
    calls = []

    def ask(system, prompt):
        calls.append(prompt)
        if len(calls) in at:
            raise OSError("the model is away")
        return prompt

    return ask


def test_a_model_that_fails_loses_no_unit(reader):  # S74
    agent = reader(failing(2))
    assert texts_in(agent.execute_action("read")) == TEXTS[:2]
    with pytest.raises(ExecutionError, match="away"):
        agent.execute_action("read")
    assert texts_in(agent.execute_action("read")) == TEXTS[2:4]


def test_what_a_failed_dispatch_had_comes_before_what_others_left(reader):  # S74
    inner = []

    def ask(system, prompt):
        if not inner:
            inner.append(())
            inner[0] = texts_in(agent.execute_action("read"))
            raise OSError("the model is away")
        return prompt

    agent = reader(ask)
    with pytest.raises(ExecutionError, match="away"):
        agent.execute_action("read")
    assert inner == [TEXTS[2:4]]
    assert texts_in(agent.execute_action("read")) == TEXTS[:2]
    assert texts_in(agent.execute_action("read")) == TEXTS[4:6]


def test_a_stream_that_fails_loses_no_unit(reader):  # S74
    agent = reader(failing(1))
    with pytest.raises(ExecutionError, match="away"):
        list(agent.stream_action("read"))
    assert texts_in("".join(agent.stream_action("read"))) == TEXTS[:2]


def test_a_stream_that_is_closed_has_been_given(reader):  # S74
    agent = reader(lambda system, prompt: prompt)
    stream = agent.stream_action("read")
    next(stream)
    stream.close()
    assert texts_in(agent.execute_action("read")) == TEXTS[2:4]


def test_a_dispatch_cancelled_while_it_renders_loses_no_unit(reader):  # S74 S50
    token = CancellationToken()

    def counter(text):
        token.cancel()
        return len(text)

    agent = reader(lambda system, prompt: prompt, counter)
    with pytest.raises(CancelledError):
        agent.execute_action("read", DispatchContext(cancellation=token))
    assert texts_in(agent.execute_action("read")) == TEXTS[:2]


def test_a_counter_that_fails_loses_no_unit(reader):  # S74
    calls = []

    def counter(text):
        calls.append(text)
        if len(calls) == 3:
            raise ValueError("no vocabulary")
        return len(text)

    agent = reader(lambda system, prompt: prompt, counter)
    with pytest.raises(ExecutionError, match="no vocabulary"):
        agent.execute_action("read")
    assert texts_in(agent.execute_action("read")) == TEXTS[:2]


def test_a_task_cancelled_at_any_moment_loses_no_unit(reader):  # S74 S50
    async def ask(agent, steps):
        task = asyncio.ensure_future(agent.aexecute_action("read"))
        for _ in range(steps):
            await asyncio.sleep(0.001)
        task.cancel()
        try:
            return texts_in(await task)
        except asyncio.CancelledError:
            return []

    async def run():
        agent = reader(lambda system, prompt: prompt)
        read = []
        for steps in (0, 1, 2, 3, 5, 8, 13, 0, 1, 200):
            read += await ask(agent, steps)
        while found := texts_in(await agent.aexecute_action("read")):
            read += found
        return read

    assert asyncio.run(run()) == TEXTS


def test_tasks_side_by_side_share_the_units_out(reader):  # S74
    async def run():
        agent = reader(lambda system, prompt: prompt)
        return await asyncio.gather(*(agent.aexecute_action("read") for _ in range(14)))

    given = [tuple(texts_in(each)) for each in asyncio.run(run())]
    assert sorted(filter(None, given)) == list(zip(TEXTS[::2], TEXTS[1::2], strict=True))
