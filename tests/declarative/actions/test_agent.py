"""Actions of all types, dispatched: what is retrieved, who carries them out, what comes back."""

import asyncio
import copy
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest

from octavo.declarative import (
    ActionContext,
    ActionRequest,
    ActionResponse,
    ActionResult,
    ActionType,
    Agent,
    DispatchContext,
    Knowledge,
    KnowledgeUsage,
    KnowledgeUse,
    Role,
    Search,
    action_spec,
    agent_spec,
    current_context,
    role_spec,
)
from octavo.declarative.actions.action_context import RESERVED_KEYS
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ContextValidationError,
    ExecutionError,
    InvalidArgumentError,
    RetrievalTimeoutError,
)
from octavo.spi import CancellationToken
from tests.declarative.actions.fakes import FakeRetrieval, Recorder, agent_of, document


@role_spec(description="Looks things up", knowledge=Knowledge("notes", path="notes"))
class Reader(Role):
    def __init__(self):
        self.seen = []

    @action_spec(type=ActionType.LLM, description="Answer", knowledge=Knowledge("notes"))
    def answer(self, question: str) -> str:
        self.seen.append(question)
        return question

    @action_spec(type=ActionType.LLM, description="Judge", knowledge=Knowledge("notes"))
    def judge(self, question: str, result: ActionResult) -> str:
        return f"{question} -> {result.action}: {result.value}"

    @action_spec(type=ActionType.LLM, knowledge=Knowledge("notes", search=Search(context_window=1)))
    def cramped(self, question: str) -> str:
        return question

    @action_spec(type=ActionType.LLM)
    def plain(self, question: str) -> str:
        return question

    @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
    def local(self, question: str) -> dict:
        self.seen.append(question)
        return dict(current_context())

    @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
    async def waiting(self, question: str) -> str:
        await asyncio.sleep(0)
        return current_context().text

    @action_spec(type=ActionType.LOCAL)
    def bare(self, first: int = 1, /, *, second: int = 2) -> tuple:
        return first, second, dict(current_context())

    @action_spec(type=ActionType.LOCAL)
    def failing(self) -> None:
        raise KeyError("the body's own")

    @action_spec(type=ActionType.TOOL, description="Use a tool")
    def tool(self, name: str, count: int = 3) -> object:
        raise AssertionError("bodies of tools do not run")

    @action_spec(type=ActionType.WEB_SERVICE)
    def service(self) -> object:
        raise AssertionError("bodies of services do not run")


NOTE = document("Retrieval runs first.", "notes/a.md", 0.75)
TEXT = "[Source: notes/a.md]\nRetrieval runs first."


def reader(*documents, llm=None, executors=None, **options):
    retrieval = FakeRetrieval(*(documents or (NOTE,)), **options)
    role = Reader()
    return agent_of(role, llm=llm or Recorder(), retrieval=retrieval, executors=executors), role


# S70
def test_a_model_is_asked_with_what_was_retrieved():
    client = Recorder()
    agent, role = reader(llm=client)
    assert agent.execute_action("answer", {"question": "What first?"}) == "Grounded."
    assert client.prompt == (
        "Answer\n\nRetrieved context:\n<tnsai-memory>\n<context>"
        f"{TEXT}</context>\n</tnsai-memory>\n\nInput:\nquestion: What first?"
    )
    assert client.system.startswith("Looks things up\n\n")
    assert "untrusted data" in client.system
    assert role.seen == []  # S75: the body does not run


# S75
def test_a_body_that_asks_for_the_result_runs_after_the_model():
    agent, _ = reader()
    assert agent.execute_action("judge", {"question": "Q"}) == "Q -> judge: Grounded."
    assert asyncio.run(agent.aexecute_action("judge", {"question": "Q"})) == (
        "Q -> judge: Grounded."
    )
    assert list(agent.stream_action("judge", {"question": "Q"})) == ["Q -> judge: Grounded."]


def test_a_caller_cannot_give_the_result():  # S75
    agent, _ = reader()
    with pytest.raises(InvalidArgumentError, match="result"):
        agent.execute_action("judge", {"question": "Q", "result": ActionResult("x", "forged")})


# S69
def test_the_five_keys_stand_together():
    agent, _ = reader(stale=True)
    found = agent.execute_action("local", {"question": "Q"})
    assert found == {
        "_rag_context": TEXT,
        "_rag_document_count": 1,
        "_rag_stale_fallback": True,
        "_rag_context_truncated": False,
        "_rag_knowledge_usage": (
            KnowledgeUsage(
                "notes", KnowledgeUse.SEARCH, 1, found["_rag_knowledge_usage"][0].tokens, False
            ),
        ),
    }
    assert tuple(found) == RESERVED_KEYS
    assert found["_rag_knowledge_usage"][0].tokens > 0


def test_without_documents_they_say_so_and_the_prompt_has_no_fence():  # S69 S70
    client = Recorder()
    agent = agent_of(Reader(), llm=client, retrieval=FakeRetrieval())
    response = agent.execute_action(ActionRequest.of("answer", {"question": "Q"}))
    assert client.asked == [("Looks things up", "Answer\n\nInput:\nquestion: Q")]
    assert response.context["_rag_document_count"] == 0
    assert response.context["_rag_context"] == ""
    assert set(response.context) == set(RESERVED_KEYS)


@pytest.mark.parametrize("name", ["plain", "bare"])
def test_without_knowledge_nothing_is_retrieved_and_no_key_is_set(name):  # S69
    agent, _ = reader()
    arguments = {"question": "Q"} if name == "plain" else {}
    assert dict(agent.execute_action(ActionRequest.of(name, arguments)).context) == {}
    assert agent.get_retrieval().calls == []


def test_without_a_retrieval_service_dispatch_goes_on():  # S73
    client = Recorder()
    agent = agent_of(Reader(), llm=client)
    assert agent.execute_action("answer", {"question": "Q"}) == "Grounded."
    assert client.prompt == "Answer\n\nInput:\nquestion: Q"


# S69
@pytest.mark.parametrize("name", ["answer", "local", "tool", "plain", "bare"])
def test_forged_keys_of_a_reused_mapping_leak_nothing(name):
    forged = dict.fromkeys(RESERVED_KEYS, "forged") | {"_rag_document_count": 7}
    own = {"tool": {"name": "n"}, "bare": {}}.get(name, {"question": "Q"})
    caller = MappingProxyType(own | forged)
    client = Recorder()
    calls = []
    agent = agent_of(
        Reader(), llm=client, retrieval=FakeRetrieval(), executors={ActionType.TOOL: calls.append}
    )
    response = agent.execute_action(ActionRequest.of(name, caller))
    told = str(client.asked) + str(response.value) + str(dict(response.context)) + str(calls)
    assert "forged" not in told
    if name in {"answer", "local"}:
        assert "forged" not in str(agent.get_retrieval().calls[0][2])


def test_a_callers_mapping_is_not_changed():  # S69
    agent, _ = reader()
    caller = {"question": "Q", "_rag_context": "old"}
    agent.execute_action("answer", caller)
    assert caller == {"question": "Q", "_rag_context": "old"}


# S69
def test_a_nested_dispatch_sees_its_own_and_the_outer_its_own_again():
    class Outer(Role):
        inner = None

        @action_spec(type=ActionType.LOCAL)
        def outer(self) -> list:
            first = dict(current_context())
            inner = self.inner.execute_action("local", {"question": "Q"})
            return [first, inner["_rag_context"], dict(current_context())]

    outer = Outer()
    outer.inner, _ = reader()
    assert outer.execute_action("outer") == [{}, TEXT, {}]
    assert dict(current_context()) == {}


def test_retrieval_sees_nothing_of_the_dispatch_around_it():  # S69
    seen = []

    class Watching(FakeRetrieval):
        def retrieve(self, *arguments):
            seen.append(dict(current_context()))
            return super().retrieve(*arguments)

    inner = agent_of(Reader(), llm=Recorder(), retrieval=Watching(NOTE))

    @role_spec(knowledge=Knowledge("notes", path="notes"))
    class Outer(Role):
        @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
        def outer(self, question: str) -> str:
            return inner.execute_action("answer", {"question": question})

    agent_of(Outer(), retrieval=Watching(NOTE)).execute_action("outer", {"question": "Q"})
    assert seen == [{}, {}]


def test_a_nested_dispatch_belongs_to_the_same_request():  # S71
    agent, _ = reader()

    class Outer(Role):
        @action_spec(type=ActionType.LOCAL)
        def outer(self) -> object:
            return agent.execute_action("answer", {"question": "Q"})

    token = CancellationToken()
    context = DispatchContext(tenant="t", session="s", cancellation=token, deadline=1e12)
    Outer().execute_action("outer", {}, context)
    inner = agent.get_retrieval().calls[0][3]
    assert (inner.tenant, inner.session, inner.cancellation, inner.deadline) == (
        *("t", "s", token, 1e12),
    )


def test_the_agent_fills_in_its_name_and_leaves_what_is_given():  # S71
    agent, _ = reader()
    context = DispatchContext.builder().scope("a", "b").agent("Other").build()
    agent.execute_action("answer", {"question": "Q"})
    agent.execute_action("answer", {"question": "Q"}, context)
    agent.execute_action(ActionRequest.of("answer", {"question": "Q"}), context)
    first, second, third = (call[3] for call in agent.get_retrieval().calls)
    assert (first.agent, first.tenant) == ("Subject", "")
    assert second == third == context


def test_concurrent_dispatches_do_not_see_each_other():  # S69
    barrier = threading.Barrier(4)

    class Echo(FakeRetrieval):
        def retrieve(self, bindings, action, arguments, context):
            self_documents = FakeRetrieval(document(arguments["question"], "s"))
            return self_documents.retrieve(bindings, action, arguments, context)

    @role_spec(knowledge=Knowledge("notes", path="notes"))
    class Slow(Role):
        @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
        def local(self, question: str) -> str:
            barrier.wait(10)
            return current_context().text

        @action_spec(type=ActionType.LOCAL, knowledge=Knowledge("notes"))
        async def waiting(self, question: str) -> str:
            await asyncio.sleep(0.01)
            return current_context().text

    agent = agent_of(Slow(), retrieval=Echo())
    expected = [f"[Source: s]\n{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda n: agent.execute_action("local", {"question": str(n)}), range(4))
        assert list(found) == expected

    async def all_at_once():
        return await asyncio.gather(
            *(agent.aexecute_action("waiting", {"question": str(n)}) for n in range(4))
        )

    assert asyncio.run(all_at_once()) == expected


# S64 S65
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "question: the argument is missing; expected str"),
        ({"question": None}, "question: expected str, found None"),
        ({"question": 3}, "question: expected str, found 3"),
        ({"questoin": "Q"}, "did you mean 'question'"),
        ({"question": "Q", "_rag_other": 1}, "_rag_other"),
        ({3: "Q"}, "expected names"),
        ([("question", "Q")], "expected a mapping"),
    ],
)
def test_arguments_are_checked_before_anything_is_retrieved(arguments, told):
    agent, _ = reader()
    with pytest.raises(InvalidArgumentError, match=told):
        agent.execute_action("answer", arguments)
    assert agent.get_retrieval().calls == []


def test_what_is_retrieved_for_is_the_cleaned_argument():  # S64
    client = Recorder()
    agent, _ = reader(llm=client)
    agent.execute_action("answer", {"question": "a\x00b\ud800"})
    assert agent.get_retrieval().calls[0][2] == {"question": "ab\ufffd"}
    assert client.prompt.endswith("question: ab\ufffd")


# S70
def test_truncation_that_leaves_nothing_fails_before_the_model_is_asked():
    client = Recorder()
    agent, _ = reader(llm=client)
    with pytest.raises(ContextValidationError, match="context_window 1"):
        agent.execute_action("cramped", {"question": "Q"})
    with pytest.raises(ContextValidationError):
        agent.stream_action("cramped", {"question": "Q"})
    assert client.asked == []


def test_failures_of_retrieval_keep_their_type():  # S50
    for error in (RetrievalTimeoutError("t"), CancelledError("c"), ConfigurationError("x")):
        client = Recorder()
        agent, _ = reader(llm=client, error=error)
        with pytest.raises(type(error)) as caught:
            agent.execute_action("answer", {"question": "Q"})
        assert caught.value is error
        assert client.asked == []


# S75
@pytest.mark.parametrize("name", ["tool", "service"])
def test_without_an_executor_it_is_a_configuration_error(name):
    agent, _ = reader()
    with pytest.raises(ConfigurationError, match="get_executors"):
        agent.execute_action(name, {"name": "n"} if name == "tool" else {})


def test_executors_get_the_call():  # S75
    calls = []

    class Service:
        def execute(self, call):
            return f"served {call.name}"

    executors = {ActionType.TOOL: calls.append, ActionType.WEB_SERVICE: Service()}
    agent, _ = reader(executors=executors)
    assert agent.execute_action("tool", {"name": "n"}) is None
    assert agent.execute_action("service") == "served service"
    (call,) = calls
    assert (call.name, call.type, call.description) == ("tool", ActionType.TOOL, "Use a tool")
    assert (call.arguments, dict(call.context)) == ({"name": "n", "count": 3}, {})


def test_an_executor_for_models_stands_in_for_the_bundled_one():  # S69
    seen = {}
    agent, _ = reader(executors={ActionType.LLM: lambda call: seen.update(call.context) or "own"})
    assert agent.execute_action("answer", {"question": "Q"}) == "own"
    assert seen["_rag_context"] == TEXT


def test_an_executor_that_raises_is_an_execution_failure():
    def broken(call):
        raise OSError("out of order")

    agent, _ = reader(executors={ActionType.TOOL: broken})
    with pytest.raises(ExecutionError, match="TOOL actions raised OSError: out of order") as e:
        agent.execute_action("tool", {"name": "n"})
    assert isinstance(e.value.__cause__, OSError)
    with pytest.raises(ExecutionError, match="out of order"):
        asyncio.run(agent.aexecute_action("tool", {"name": "n"}))


def test_an_executors_own_octavo_error_stays():
    def late(call):
        raise RetrievalTimeoutError("late")

    agent, _ = reader(executors={ActionType.TOOL: late})
    with pytest.raises(RetrievalTimeoutError, match="late"):
        agent.execute_action("tool", {"name": "n"})


def test_what_a_body_raises_stays():
    agent, _ = reader()
    with pytest.raises(KeyError, match="own"):
        agent.execute_action("failing")
    with pytest.raises(KeyError, match="own"):
        asyncio.run(agent.aexecute_action("failing"))


def test_defaults_and_positional_parameters():
    agent, _ = reader()
    assert agent.execute_action("bare") == (1, 2, {})
    assert agent.execute_action("bare", {"first": 5, "second": 6}) == (5, 6, {})


def test_no_argument_takes_the_place_of_the_role():  # S64
    class Collecting(Role):
        @action_spec(type=ActionType.LOCAL)
        def act(self, **others: object) -> dict:
            return others

        @staticmethod
        @action_spec(type=ActionType.LOCAL)
        def alone(**others: object) -> dict:
            return others

    assert Collecting().execute_action("act", {"method": 1}) == {"method": 1}
    assert Collecting().execute_action("alone", {"self": 1}) == {"self": 1}
    with pytest.raises(InvalidArgumentError, match="there is no argument 'self'"):
        Collecting().execute_action("act", {"self": 1})


def test_typed_and_untyped():  # S77
    agent, _ = reader()
    response = agent.execute_action(ActionRequest.of("answer", {"question": "Q"}))
    assert isinstance(response, ActionResponse)
    assert (response.action, response.value) == ("answer", "Grounded.")
    assert response.context.documents == 1
    assert asyncio.run(
        agent.aexecute_action(ActionRequest.of("answer", {"question": "Q"}))
    ).value == ("Grounded.")
    with pytest.raises(InvalidArgumentError, match="its own"):
        agent.execute_action(ActionRequest.of("answer"), {"question": "Q"})
    with pytest.raises(InvalidArgumentError, match="twice"):
        agent.execute_action("answer", DispatchContext(), DispatchContext())
    with pytest.raises(InvalidArgumentError, match="DispatchContext"):
        agent.execute_action("answer", {"question": "Q"}, {"tenant": "a"})


def test_a_request_can_be_copied_and_sent():  # S77
    request = ActionRequest.of("plain", {"question": "Q"})
    assert copy.deepcopy(request) == pickle.loads(pickle.dumps(request)) == request
    with pytest.raises(TypeError):
        request.arguments["question"] = "changed"


def test_an_unknown_action_brings_the_nearest():
    agent, _ = reader()
    with pytest.raises(ConfigurationError, match="did you mean 'answer'"):
        agent.execute_action("anwser")


def test_roles_with_actions_of_one_name():
    class Other(Role):
        @action_spec(type=ActionType.LOCAL)
        def bare(self) -> str:
            return "other"

    agent = agent_of(Reader(), Other())
    with pytest.raises(ConfigurationError, match="'Reader', 'Other'"):
        agent.execute_action("bare")
    assert agent.execute_action("Other.bare") == "other"
    assert agent.execute_action("Reader.bare", {"first": 9}) == (9, 2, {})
    with pytest.raises(ConfigurationError, match="two roles"):
        agent_of(Other(), Other()).execute_action("bare")
    with pytest.raises(ConfigurationError, match="instances"):
        agent_of(Other).execute_action("bare")


def test_an_llm_action_without_a_model_is_a_configuration_error():
    with pytest.raises(ConfigurationError, match="get_llm"):
        agent_of(Reader(), retrieval=FakeRetrieval(NOTE)).execute_action(
            "answer", {"question": "Q"}
        )
    with pytest.raises(ConfigurationError, match="LLMClient"):
        agent_of(Reader(), llm=3).execute_action("plain", {"question": "Q"})


# S75
def test_knowledge_on_a_tool_fails_when_the_agent_starts():
    with pytest.raises(ConfigurationError, match="LLM and LOCAL"):

        @role_spec(knowledge=Knowledge("notes", path="notes"))
        class Wrong(Role):
            @action_spec(type=ActionType.TOOL, knowledge=Knowledge("notes"))
            def tool(self, question: str) -> str:
                return question


# S75
def test_only_llm_actions_have_one_result():
    class Local(Role):
        @action_spec(type=ActionType.LOCAL)
        def act(self, result: ActionResult) -> str: ...

    class Twice(Role):
        @action_spec(type=ActionType.LLM)
        def act(self, one: ActionResult, two: "ActionResult | None" = None) -> str: ...

    with pytest.raises(ConfigurationError, match=r"Local\.act: result: only LLM actions"):
        Local().execute_action("act")
    with pytest.raises(ConfigurationError, match=r"Twice\.act: two: a second parameter"):
        Twice().execute_action("act")


def test_an_agents_own_sources_and_description():
    @role_spec(description="A role")
    class Plain(Role):
        @action_spec(type=ActionType.LLM, knowledge=Knowledge("shared"))
        def ask(self, question: str) -> str:
            return question

    @agent_spec(name="host", description="An agent", knowledge=Knowledge("shared", path="x"))
    class Host(Agent):
        pass

    client, retrieval = Recorder(), FakeRetrieval(NOTE)
    agent = agent_of(Plain(), llm=client, retrieval=retrieval, base=Host)
    agent.execute_action("ask", {"question": "Q"})
    assert client.system.startswith("An agent\n\nA role\n\n")
    assert client.prompt.startswith("ask\n\n")  # without a description, the name
    assert retrieval.calls[0][3].agent == "host"


def test_a_role_by_itself():
    class Alone(Reader):
        def get_llm(self):
            return Recorder("alone")

        def get_retrieval(self):
            return FakeRetrieval(NOTE)

    assert Alone().execute_action("answer", {"question": "Q"}) == "alone"
    assert Alone().execute_action("local", {"question": "Q"})["_rag_context"] == TEXT


# Asynchronous twins


def test_async_bodies_and_executors():
    async def tool(call):
        await asyncio.sleep(0)
        return call.name

    class Service:
        async def execute_async(self, call):
            return current_context().dispatch.agent

    executors = {ActionType.TOOL: tool, ActionType.WEB_SERVICE: Service()}
    agent, _ = reader(executors=executors)

    async def all_of_them():
        assert await agent.aexecute_action("waiting", {"question": "Q"}) == TEXT
        assert await agent.aexecute_action("tool", {"name": "n"}) == "tool"
        assert await agent.aexecute_action("service") == "Subject"
        assert (await agent.aexecute_action("local", {"question": "Q"}))["_rag_context"] == TEXT
        assert await agent.aexecute_action("answer", {"question": "Q"}) == "Grounded."
        assert await agent.aexecute_action("bare") == (1, 2, {})

    asyncio.run(all_of_them())


@pytest.mark.parametrize("name", ["waiting", "tool", "service"])
def test_what_is_asynchronous_is_not_carried_out_otherwise(name):
    async def tool(call):
        return call.name

    class Service:
        async def execute_async(self, call):
            return call.name

    agent, _ = reader(executors={ActionType.TOOL: tool, ActionType.WEB_SERVICE: Service()})
    arguments = {"waiting": {"question": "Q"}, "tool": {"name": "n"}}.get(name, {})
    with pytest.raises(ConfigurationError, match="asynchronous"):
        agent.execute_action(name, arguments)


def out_of_answers(*_):
    return next(iter(()))


# S43 S77
@pytest.mark.parametrize("name", ["answer", "tool"])
def test_a_function_that_runs_out_ends_an_asynchronous_dispatch(name):
    agent, _ = reader(llm=out_of_answers, executors={ActionType.TOOL: out_of_answers})
    arguments = {"name": "n"} if name == "tool" else {"question": "Q"}

    async def run():
        await asyncio.wait_for(agent.aexecute_action(name, arguments), 10)

    with pytest.raises(ExecutionError, match="StopIteration"):
        asyncio.run(run())


def test_a_body_that_runs_out_ends_an_asynchronous_dispatch():  # S75
    class Empty(Role):
        @action_spec(type=ActionType.LOCAL)
        def first(self) -> object:
            return out_of_answers()

    async def run():
        await asyncio.wait_for(Empty().aexecute_action("first"), 10)

    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        asyncio.run(run())
    assert isinstance(caught.value.__cause__, StopIteration)


def test_a_cancelled_task_cancels_its_retrieval():
    started, stopped = threading.Event(), threading.Event()

    class Waiting(FakeRetrieval):
        def retrieve(self, bindings, action, arguments, context):
            started.set()
            while not context.cancellation.cancelled:
                stopped.wait(0.01)
            stopped.set()
            context.check()

    agent = agent_of(Reader(), llm=Recorder(), retrieval=Waiting())

    async def run():
        task = asyncio.create_task(agent.aexecute_action("answer", {"question": "Q"}))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert stopped.wait(10)


# S50
@pytest.mark.parametrize("name", ["inner", "body", "model"])
def test_a_cancelled_task_cancels_what_its_dispatch_began(name):
    started, told, stopped = threading.Event(), threading.Event(), threading.Event()

    def wait_for_the_end(*_):
        started.set()
        while not stopped.wait(0.01):
            try:
                current_context().dispatch.check()
            except CancelledError:
                told.set()
                raise
        return "not cancelled"

    class Waiting(FakeRetrieval):
        def retrieve(self, *arguments):
            wait_for_the_end()

    nested = agent_of(Reader(), llm=Recorder(), retrieval=Waiting())

    class Outer(Role):
        @action_spec(type=ActionType.LOCAL)
        async def inner(self) -> str:
            return await nested.aexecute_action("answer", {"question": "Q"})

        @action_spec(type=ActionType.LOCAL)
        def body(self) -> str:
            return wait_for_the_end()

        @action_spec(type=ActionType.LLM)
        def model(self) -> str: ...

    async def run():
        task = asyncio.create_task(agent_of(Outer(), llm=wait_for_the_end).aexecute_action(name))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        try:
            assert await asyncio.to_thread(told.wait, 5)
        finally:
            stopped.set()

    asyncio.run(run())


def test_a_model_that_hangs_ends_at_the_deadline():
    class Hanging:
        async def complete_async(self, system, prompt):
            await asyncio.sleep(60)

        async def stream_async(self, system, prompt):
            yield "first"
            await asyncio.sleep(60)

    agent, _ = reader(llm=Hanging())

    def soon():
        return DispatchContext.builder().timeout(0.2).build()

    async def run():
        with pytest.raises(RetrievalTimeoutError, match="deadline"):
            await agent.aexecute_action("answer", {"question": "Q"}, soon())
        pieces = await agent.astream_action("answer", {"question": "Q"}, soon())
        assert await anext(pieces) == "first"
        with pytest.raises(RetrievalTimeoutError, match="deadline"):
            await anext(pieces)

    asyncio.run(run())
    with pytest.raises(ConfigurationError, match="asynchronous"):
        agent.execute_action("answer", {"question": "Q"})


@pytest.mark.parametrize("answer", [None, 3, b"bytes", ["a"]])
def test_an_answer_that_is_no_text_is_an_execution_failure(answer):
    agent, _ = reader(llm=lambda system, prompt: answer)
    with pytest.raises(ExecutionError, match="expected text"):
        agent.execute_action("answer", {"question": "Q"})


@pytest.mark.parametrize("piece", [None, 3, b"bytes"])
def test_a_piece_that_is_no_text_is_an_execution_failure(piece):
    class Odd:
        def stream(self, system, prompt):
            yield piece

        async def stream_async(self, system, prompt):
            yield piece

    agent, _ = reader(llm=Odd())

    async def run():
        async with await agent.astream_action("answer", {"question": "Q"}) as pieces:
            await anext(pieces)

    with pytest.raises(ExecutionError, match="expected text"):
        list(agent.stream_action("answer", {"question": "Q"}))
    with pytest.raises(ExecutionError, match="expected text"):
        asyncio.run(run())


def test_a_client_that_raises_is_an_execution_failure():
    def broken(system, prompt):
        raise ValueError("no")

    agent, _ = reader(llm=broken)
    with pytest.raises(ExecutionError, match="ValueError: no"):
        agent.execute_action("answer", {"question": "Q"})
    with pytest.raises(ExecutionError, match="ValueError: no"):
        list(agent.stream_action("answer", {"question": "Q"}))


# Streams


class Streaming(Recorder):
    def stream(self, system, prompt):
        self.asked.append((system, prompt))
        for piece in ("one ", "two"):
            yield f"{piece}{current_context().documents}"

    async def stream_async(self, system, prompt):
        for piece in self.stream(system, prompt):
            yield piece


def test_a_stream_is_grounded_before_its_first_piece():
    client = Streaming()
    agent, _ = reader(llm=client)
    with agent.stream_action("answer", {"question": "Q"}) as pieces:
        assert pieces.context["_rag_context"] == TEXT
        assert client.asked == []
        assert next(pieces) == "one 1"
        assert dict(current_context()) == {}  # between pieces nothing is left behind
        assert list(pieces) == ["two1"]
    assert TEXT in client.prompt


def test_asynchronous_streams():
    agent, _ = reader(llm=Streaming())

    async def run():
        async with await agent.astream_action("answer", {"question": "Q"}) as pieces:
            assert pieces.context.documents == 1
            return [piece async for piece in pieces]

    assert asyncio.run(run()) == ["one 1", "two1"]


def test_what_does_not_stream_comes_as_one_piece():
    agent, _ = reader(executors={ActionType.TOOL: lambda call: 7})
    assert list(agent.stream_action("answer", {"question": "Q"})) == ["Grounded."]
    assert list(agent.stream_action("tool", {"name": "n"})) == ["7"]
    local = "".join(agent.stream_action("local", {"question": "Q"}))
    assert TEXT.splitlines()[1] in local

    async def run():
        pieces = await agent.astream_action(ActionRequest.of("answer", {"question": "Q"}))
        return [piece async for piece in pieces]

    assert asyncio.run(run()) == ["Grounded."]


class OnlyStreams:
    def stream(self, system, prompt):
        yield from ("one ", "two")


class OnlyStreamsAsync:
    async def stream_async(self, system, prompt):
        for piece in ("one ", "two"):
            yield piece


@pytest.mark.parametrize("client", [OnlyStreams(), OnlyStreamsAsync()])
def test_a_client_that_only_streams_gives_whole_answers_too(client):  # S77
    agent, _ = reader(llm=client)
    answer = asyncio.run(agent.aexecute_action("answer", {"question": "Q"}))
    assert answer == "one two"
    if isinstance(client, OnlyStreams):
        assert agent.execute_action("answer", {"question": "Q"}) == "one two"


def test_a_stream_that_is_left_is_closed():
    closed = []

    class Endless(Recorder):
        def stream(self, system, prompt):
            try:
                while True:
                    yield "more"
            finally:
                closed.append(True)

    agent, _ = reader(llm=Endless())
    with agent.stream_action("answer", {"question": "Q"}) as pieces:
        assert next(pieces) == "more"
    assert closed == [True]


def test_a_stream_that_is_no_generator_is_closed_too():
    class Pieces:
        is_closed = False

        def __iter__(self):
            return self

        def __next__(self):
            return "more"

        def close(self):
            self.is_closed = True

    made = Pieces()

    class Client(Recorder):
        def stream(self, system, prompt):
            return made

    agent, _ = reader(llm=Client())
    with agent.stream_action("answer", {"question": "Q"}) as pieces:
        assert next(pieces) == "more"
        assert not made.is_closed
    assert made.is_closed


def test_an_asynchronous_stream_that_is_left_is_closed_at_once():
    closed = []

    class Endless:
        async def stream_async(self, system, prompt):
            try:
                while True:
                    yield "more"
            finally:
                closed.append(True)

    agent, _ = reader(llm=Endless())

    async def run():
        async with await agent.astream_action("answer", {"question": "Q"}) as pieces:
            assert await anext(pieces) == "more"
        assert closed == [True]

    asyncio.run(run())


def test_a_stream_stops_when_its_request_is_cancelled():
    class Endless(Recorder):
        def stream(self, system, prompt):
            while True:
                yield "more"

    token = CancellationToken()
    agent, _ = reader(llm=Endless())
    pieces = agent.stream_action("answer", {"question": "Q"}, DispatchContext(cancellation=token))
    assert next(pieces) == "more"
    token.cancel()
    with pytest.raises(CancelledError):
        next(pieces)


class Named(Agent):
    def __init__(self, answer):
        self.answer = answer

    def get_roles(self):
        return [Reader()]

    def get_llm(self):
        return Recorder(self.answer)

    def get_retrieval(self):
        return None


# S77
@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copy_of_an_agent_asks_its_own_model(copied):
    first = Named("first")
    assert first.execute_action("plain", {"question": "Q"}) == "first"
    second = copied(first)
    second.answer = "second"
    assert second.execute_action("plain", {"question": "Q"}) == "second"
    assert first.execute_action("plain", {"question": "Q"}) == "first"


def test_the_context_is_read_only():
    context = ActionContext()
    with pytest.raises(TypeError):
        context["_rag_context"] = "forged"
    assert json.dumps(dict(context)) == "{}"
