"""What is told of a dispatch: by whom, how long, how much, and never what was said."""

import asyncio
import gc
import logging

import pytest

from octavo.declarative import (
    Agent,
    DispatchContext,
    Knowledge,
    RetrievalRuntime,
    Role,
    Search,
    action_spec,
    role_spec,
)
from octavo.declarative.runtime.embedding_provider import ProcessEmbedding
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import ExecutionError, OctavoError, ProviderUnavailableError

SECRET = "secret"


class Pieces:
    def stream(self, system, prompt):
        yield from ("secret ", "answer")

    def complete(self, system, prompt):
        return "secret answer"

    async def complete_async(self, system, prompt):
        return "secret answer"

    async def stream_async(self, system, prompt):
        for piece in ("secret ", "answer"):
            yield piece


class Failing(Pieces):
    def complete(self, system, prompt):
        raise OSError(f"could not answer {prompt}")

    def stream(self, system, prompt):
        yield "secret"
        raise OSError(f"could not answer {prompt}")


@pytest.fixture
def agent(tmp_path):
    """An agent over one small file, whose model may be another."""
    (tmp_path / "secret.md").write_text("The secret fox hunts secret mice. " * 20, "utf-8")
    search = Search(strategy="KEYWORD", min_score=0.0, context_window=80)

    @role_spec(knowledge=Knowledge("notes", path=str(tmp_path)))
    class Reader(Role):
        @action_spec(type="LLM", knowledge=Knowledge("notes", search=search))
        def answer(self, question: str) -> str: ...

        @action_spec(type="LOCAL")
        def local(self, question: str) -> str:
            raise ValueError(question)

        @action_spec(type="TOOL")
        def tool(self, question: str) -> str: ...

    runtime = RetrievalRuntime(process_embedding=ProcessEmbedding(HashEmbedding()))

    class Host(Agent):
        llm = Pieces()

        def get_roles(self):
            return [Reader()]

        def get_llm(self):
            return self.llm

        def get_retrieval(self):
            return runtime

        def get_executors(self):
            return {"TOOL": lambda call: 7}

    return Host()


@pytest.fixture
def events(caplog):
    caplog.set_level("INFO", logger="octavo.declarative")

    def told():
        found = [e.octavo_event for e in caplog.records if e.name == "octavo.declarative"]
        assert SECRET not in caplog.text
        caplog.clear()
        return found

    return told


def stages(events):
    return [each["stage"] for each in events]


ASKED = {"question": "secret mice"}
GROUNDED = ["cache", "binding", "retrieval", "deduplication", "grounding", "rendering"]


def test_each_stage_of_a_dispatch_is_one_event(agent, events):
    context = DispatchContext(tenant="secret", session="secret", run_id="run-7")
    assert agent.execute_action("answer", ASKED, context) == "secret answer"
    told = events()
    assert stages(told) == [*GROUNDED, "model", "dispatch"]
    *_, rendering, model, dispatch = told
    assert rendering["documents"] == 1
    assert 0 < rendering["tokens"] <= 80
    assert (rendering["truncated"], rendering["shortened"], rendering["dropped"]) == (True, 1, 0)
    assert (model["executor"], model["characters"]) == ("LLMActionExecutor", len("secret answer"))
    assert (dispatch["type"], dispatch["documents"], dispatch["stale"]) == ("LLM", 1, False)
    assert dispatch["milliseconds"] >= model["milliseconds"]
    for each in told:
        assert (each["role"], each["action"], each["run"]) == ("Reader", "answer", "run-7")
        assert each["outcome"] == ("miss" if each["stage"] == "cache" else "complete")


def test_asynchronous_dispatches_tell_the_same(agent, events):
    assert asyncio.run(agent.aexecute_action("answer", ASKED)) == "secret answer"
    assert stages(events()) == [*GROUNDED, "model", "dispatch"]


def test_pieces_are_counted_and_the_dispatch_ends_with_the_last(agent, events):
    stream = agent.stream_action("answer", ASKED)
    assert stages(events()) == GROUNDED
    assert list(stream) == ["secret ", "answer"]
    model, dispatch = events()
    assert (model["stage"], model["pieces"], model["characters"]) == ("model", 2, 13)
    assert (dispatch["stage"], dispatch["outcome"]) == ("dispatch", "complete")
    stream.close()
    assert events() == []


def test_asynchronous_pieces(agent, events):
    async def read():
        return [piece async for piece in await agent.astream_action("answer", ASKED)]

    assert asyncio.run(read()) == ["secret ", "answer"]
    *_, model, dispatch = events()
    assert (model["stage"], model["pieces"], model["outcome"]) == ("model", 2, "complete")
    assert (dispatch["stage"], dispatch["outcome"]) == ("dispatch", "complete")


def test_an_answer_that_is_not_read_to_its_end_is_closed(agent, events):
    with agent.stream_action("answer", ASKED) as stream:
        next(stream)
    *_, model, dispatch = events()
    assert [(e["stage"], e["outcome"]) for e in (model, dispatch)] == [
        ("model", "closed"), ("dispatch", "closed"),
    ]  # fmt: skip
    assert (model["pieces"], "failure" in dispatch) == (1, False)


def test_an_asynchronous_answer_that_is_closed(agent, events):
    async def read():
        async with await agent.astream_action("answer", ASKED) as stream:
            await anext(stream)

    asyncio.run(read())
    *_, model, dispatch = events()
    assert (model["outcome"], dispatch["outcome"]) == ("closed", "closed")


def test_a_stream_that_is_forgotten_is_told_of(agent, events):
    stream = agent.stream_action("answer", ASKED)
    events()
    del stream
    gc.collect()
    (dispatch,) = events()
    assert (dispatch["stage"], dispatch["outcome"]) == ("dispatch", "closed")


@pytest.mark.parametrize("carried_out", ["execute_action", "stream_action"])
def test_a_model_that_fails(agent, events, carried_out, caplog):
    agent.llm = Failing()
    with pytest.raises(ExecutionError):
        list(getattr(agent, carried_out)("answer", ASKED))
    assert {e.levelno for e in caplog.records if e.message.startswith("model")} == {logging.WARNING}
    *_, model, dispatch = events()
    for each in (model, dispatch):
        assert (each["outcome"], each["failure"]) == ("failed", "EXECUTION")
        assert each["error"] == "ExecutionError"
    assert (model["stage"], dispatch["stage"]) == ("model", "dispatch")


def test_a_cancelled_task_is_a_cancellation(agent, events):
    class Waiting(Pieces):
        async def complete_async(self, system, prompt):
            await asyncio.sleep(60)

    agent.llm = Waiting()

    async def cancelled():
        task = asyncio.create_task(agent.aexecute_action("answer", ASKED))
        while not any(e["stage"] == "rendering" for e in events()):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    told = events()
    assert [(e["stage"], e["failure"]) for e in told if "failure" in e] == [
        ("model", "CANCELLED"), ("dispatch", "CANCELLED"),
    ]  # fmt: skip


def test_bodies_and_other_executors_have_stages_of_their_own(agent, events):
    with pytest.raises(ValueError, match="secret"):
        agent.execute_action("local", ASKED)
    body, dispatch = events()
    assert (body["stage"], body["error"], body["failure"]) == ("body", "ValueError", "EXECUTION")
    assert (dispatch["type"], "documents" in dispatch) == ("LOCAL", False)
    assert agent.execute_action("tool", ASKED) == 7
    executor, dispatch = events()
    assert (executor["stage"], executor["executor"]) == ("executor", "function")
    assert (dispatch["type"], dispatch["outcome"]) == ("TOOL", "complete")


def test_arguments_that_are_refused_fail_the_dispatch_alone(agent, events):
    with pytest.raises(OctavoError):
        agent.execute_action("answer", {"secret": 1})
    (dispatch,) = events()
    assert (dispatch["stage"], dispatch["failure"]) == ("dispatch", "VALIDATION")


def test_a_missing_provider_fails_the_grounding(tmp_path, agent, events):
    @role_spec(knowledge=Knowledge("notes", path=str(tmp_path)))
    class Reranked:
        @action_spec(
            type="LLM",
            knowledge=Knowledge("notes", search=Search(rerank=True, reranker_model="none")),
        )
        def answer(self, question: str) -> str: ...

    class Host(type(agent)):
        def get_roles(self):
            return [Reranked()]

    with pytest.raises(ProviderUnavailableError):
        Host().execute_action("answer", ASKED)
    assert [(e["stage"], e["failure"]) for e in events()] == [
        ("grounding", "PROVIDER_UNAVAILABLE"), ("dispatch", "PROVIDER_UNAVAILABLE"),
    ]  # fmt: skip


def test_nobody_who_listens_is_told_of_success(agent, caplog):
    caplog.set_level("WARNING", logger="octavo.declarative")
    agent.execute_action("answer", ASKED)
    assert not caplog.records
