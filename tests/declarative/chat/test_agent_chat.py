"""Messages to an agent: what grounds the answer, what the model is sent, what comes back."""

import asyncio
import threading

import pytest

from octavo.declarative import (
    DISCLOSURE,
    ActionType,
    Agent,
    AsyncChatStream,
    ChatKnowledgeBinding,
    ChatResponse,
    ChatStream,
    Knowledge,
    KnowledgeUsage,
    KnowledgeUse,
    Role,
    Search,
    action_spec,
    current_context,
)
from octavo.errors import (
    CancelledError,
    ConfigurationError,
    ContextValidationError,
    ExecutionError,
    InvalidArgumentError,
    RetrievalTimeoutError,
    SourceLoadingError,
)
from octavo.spi import CancellationToken
from tests.declarative.actions.fakes import FakeRetrieval, Recorder
from tests.declarative.actions.test_abuse import ATTACKS
from tests.declarative.actions.test_agent import OnlyStreams, OnlyStreamsAsync
from tests.declarative.chat.conftest import entry, memory
from tests.declarative.runtime.conftest import context, search

KEYWORD = search(strategy="KEYWORD")


def noted(world, **members):
    return world.source("notes", {"a.md": "Spring tides come at full moon."}, **members)


# S70 S72
def test_the_model_is_sent_what_grounds_the_turn_and_the_message(world):
    agent = world.agent(noted(world, search=KEYWORD))
    response = agent.chat("When is spring tide?")
    place = world.directory / "notes" / "a.md"
    assert isinstance(response, ChatResponse)
    assert (response.answer, str(response)) == ("Grounded.", "Grounded.")
    assert agent.llm.system == f"Answers politely\n\n{DISCLOSURE}"
    assert agent.llm.prompt == (
        "Retrieved context:\n<tnsai-memory>\n"
        f"<context>[Source: {place}]\nSpring tides come at full moon.</context>\n"
        "</tnsai-memory>\n\nWhen is spring tide?"
    )
    (usage,) = response.usage
    assert usage == KnowledgeUsage("notes", KnowledgeUse.SEARCH, 1, usage.tokens, False)
    assert (response.documents, response.stale, response.truncated) == (1, False, False)
    assert response.context["_rag_document_count"] == 1


def test_without_evidence_there_is_no_fence(world):  # S70
    agent = world.agent(noted(world, search=KEYWORD))
    response = agent.chat("whales")
    assert agent.llm.asked == [("Answers politely", "whales")]
    assert (response.documents, len(response.usage)) == (0, 1)


def test_stale_and_truncated_evidence_is_labelled(world):  # S70 S67
    settings = {"cache_ttl": 0, "context_window": 5, "context_format": "${content}"}
    agent = world.agent(noted(world, search=search(on_failure="USE_CACHE", **settings)))
    response = agent.chat("tides")
    assert (response.stale, response.truncated) == (False, True)
    world.runtime._embedding = Down()
    response = agent.chat("tides")
    assert (response.stale, response.truncated) == (True, True)
    assert "(stale: from an expired cache entry; truncated:" in agent.llm.prompt


class Down:
    """An embedding that cannot be had."""

    def get(self):
        raise ExecutionError("the model is down")


def test_truncation_that_leaves_nothing_fails_before_the_model_is_asked(world):  # S70
    agent = world.agent(noted(world, search=search(context_window=1)))
    for ask in ways(agent):
        with pytest.raises(ContextValidationError):
            ask("tides", None)
    assert agent.llm.asked == []


def ways(agent):
    """The four ways to ask, each returning the answer as one text."""

    async def collected(message, asked):
        return "".join([piece async for piece in await agent.astream_chat(message, asked)])

    return [
        lambda message, asked: agent.chat(message, asked).answer,
        lambda message, asked: asyncio.run(agent.achat(message, asked)).answer,
        lambda message, asked: "".join(agent.stream_chat(message, asked)),
        lambda message, asked: asyncio.run(collected(message, asked)),
    ]


# S77
@pytest.mark.parametrize("way", range(4))
def test_all_four_ways_ask_the_same(world, way):
    agent = world.agent(noted(world, search=KEYWORD), memory(search=Search()), name="desk")
    agent.chat_knowledge.remember(entry("1", "Ada asks about tides"), tenant="t")
    assert ways(agent)[way]("tides?", context(tenant="t", session="s")) == "Grounded."
    assert "Ada asks about tides" in agent.llm.prompt
    assert agent.llm.prompt.endswith("\n\ntides?")


class Streaming:
    """A client that gives an answer word by word, in both ways."""

    def __init__(self, words=("one ", "two ", "three")):
        self.words = words
        self.closed = 0

    def stream(self, system, prompt):
        try:
            yield from self.words
        finally:
            self.closed += 1

    async def stream_async(self, system, prompt):
        try:
            for word in self.words:
                await asyncio.sleep(0)
                yield word
        finally:
            self.closed += 1


def test_streams_know_what_grounds_them_before_the_first_piece(world):  # S77
    agent = world.agent(noted(world, search=KEYWORD), llm=Streaming())
    stream = agent.stream_chat("tides")
    assert isinstance(stream, ChatStream)
    assert (stream.documents, stream.stale, stream.truncated) == (1, False, False)
    assert [each.source for each in stream.usage] == ["notes"]
    assert list(stream) == ["one ", "two ", "three"]

    async def read():
        async with await agent.astream_chat("tides") as stream:
            assert isinstance(stream, AsyncChatStream)
            assert stream.documents == 1
            return [piece async for piece in stream]

    assert asyncio.run(read()) == ["one ", "two ", "three"]


# S50
def test_cancellation_in_the_middle_of_a_stream(world):
    client, token = Streaming(), CancellationToken()
    agent = world.agent(noted(world, search=KEYWORD), llm=client)
    stream = agent.stream_chat("tides", context(cancellation=token))
    assert next(stream) == "one "
    token.cancel()
    with pytest.raises(CancelledError):
        next(stream)
    assert client.closed == 1

    async def read():
        token = CancellationToken()
        stream = await agent.astream_chat("tides", context(cancellation=token))
        assert await anext(stream) == "one "
        token.cancel()
        with pytest.raises(CancelledError):
            await anext(stream)

    asyncio.run(read())
    assert client.closed == 2
    with agent.stream_chat("tides") as stream:
        assert next(stream) == "one "
    assert client.closed == 3


# S50
def test_a_task_that_is_cancelled_cancels_the_retrieval(make_world):
    inside, seen = threading.Event(), []

    class Loader:
        def supports(self, knowledge):
            return knowledge.type == "DATABASE"

        def load(self, knowledge):
            from octavo.spi import SourceDocument

            inside.set()
            for number in range(10_000):
                seen.append(number)
                threading.Event().wait(0.001)
                yield SourceDocument(str(number), "text")

    world = make_world(loaders=[Loader()])
    agent = world.agent(Knowledge("rows", type="DATABASE", search=search(on_failure="FAIL")))

    async def ask():
        task = asyncio.create_task(agent.achat("x"))
        await asyncio.to_thread(inside.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())
    assert len(seen) < 10_000
    assert agent.llm.asked == []


@pytest.mark.parametrize("way", range(4))
def test_a_request_that_is_over_asks_nobody(world, way):  # S50
    agent = world.agent(noted(world, search=search(on_failure="CONTINUE")))
    token = CancellationToken()
    token.cancel()
    for asked, error in (
        (context(cancellation=token), CancelledError),
        (context(deadline=0.0), RetrievalTimeoutError),
    ):
        with pytest.raises(error):
            ways(agent)[way]("tides", asked)
    assert agent.llm.asked == []


# S67
def test_failure_policies_are_those_of_actions(world):
    missing = str(world.directory / "missing")
    going_on = world.agent(Knowledge("a", path=missing, search=Search(on_failure="CONTINUE")))
    response = going_on.chat("tides")
    assert (response.answer, response.documents) == ("Grounded.", 0)
    failing = world.agent(Knowledge("a", path=missing, search=Search(on_failure="FAIL")))
    with pytest.raises(SourceLoadingError):
        failing.chat("tides")
    assert failing.llm.asked == []


# S71
def test_the_agent_fills_in_what_is_missing_and_leaves_what_is_given(world):
    agent = world.agent(noted(world, search=KEYWORD), name="desk")
    assert agent.chat("tides").context.dispatch.agent == "desk"
    given = context(agent="other", tenant="t", session="s")
    assert agent.chat("tides", given).context.dispatch == given

    class Outer(Role):
        @action_spec(type=ActionType.LOCAL)
        def ask(self, tenant: str) -> object:
            return agent.chat("tides", context(tenant=tenant) if tenant else None).context.dispatch

    token = CancellationToken()
    outer = context(tenant="t", session="s", cancellation=token, deadline=1e12)
    inner = Outer().execute_action("ask", {"tenant": ""}, outer)
    assert (inner.tenant, inner.session, inner.agent) == ("t", "s", "desk")
    assert (inner.cancellation, inner.deadline) == (token, 1e12)
    assert Outer().execute_action("ask", {"tenant": "u"}, outer).tenant == "u"


# S69
def test_a_turn_inside_an_action_sees_its_own_and_the_action_its_own_again(world):
    agent = world.agent(noted(world, search=KEYWORD))

    @action_spec(type=ActionType.LOCAL)
    def ask(self) -> list:
        return [dict(current_context()), agent.chat("tides").documents, dict(current_context())]

    outer = type("Outer", (Role,), {"ask": ask})
    assert outer().execute_action("ask") == [{}, 1, {}]


# S71
def test_the_turns_message_is_searched_and_the_message_is_sent(world):
    agent = world.agent(noted(world, search=KEYWORD))
    told = "User: hello\nAssistant: hello\nUser: tides?"
    assert agent.chat(told, context(turn_message="whales")).documents == 0
    assert agent.chat(told, context(turn_message="tides?")).documents == 1
    assert agent.llm.prompt.endswith(f"</tnsai-memory>\n\n{told}")


# S70
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_what_is_remembered_or_said_stays_in_its_place(world, attack):
    agent = world.agent(memory("profile", use="DIRECT"))
    agent.chat_knowledge.remember(entry("1", attack, source=attack))
    response = agent.chat(f"Hello {attack}")
    prompt = agent.llm.prompt
    before, opened, rest = prompt.partition("<tnsai-memory>\n<context>")
    inside, closed, after = rest.partition("</context>\n</tnsai-memory>")
    assert (before, bool(opened), bool(closed)) == ("Retrieved context:\n", True, True)
    assert after.startswith("\n\nHello ")
    assert not {"<", ">"} & set(inside)
    assert "<tnsai-memory" not in after
    assert "</tnsai-memory" not in after
    assert response.documents == 1
    prompt.encode()
    assert agent.llm.system == f"Answers politely\n\n{DISCLOSURE}"


def test_two_tenants_one_agent(world):  # S71
    agent = world.agent(noted(world, search=KEYWORD), memory(search=Search()))
    agent.chat_knowledge.remember(entry("1", "tides: the secret of a"), tenant="a")

    def ask(number):
        tenant = "ab"[number % 2]
        return tenant, agent.chat("tides", context(tenant=tenant)).context["_rag_context"]

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        for tenant, text in pool.map(ask, range(40)):
            assert ("secret of a" in text) is (tenant == "a")
            assert "Spring tides" in text


def test_an_executor_for_models_answers_turns_too(world):
    calls = []
    agent = world.agent(noted(world, search=KEYWORD))
    type(agent).get_executors = lambda self: {ActionType.LLM: lambda c: calls.append(c) or "own"}
    assert agent.chat("tides").answer == "own"
    (call,) = calls
    assert (call.name, call.type, call.arguments) == ("chat", ActionType.LLM, {"message": "tides"})
    assert call.context["_rag_document_count"] == 1
    assert call.instructions == ("Answers politely",)
    assert list(agent.stream_chat("tides")) == ["own"]


def test_a_client_that_fails_is_an_execution_failure(world):
    def broken(system, prompt):
        raise OSError("out of order")

    agent = world.agent(noted(world, search=KEYWORD), llm=broken)
    for ask in ways(agent):
        with pytest.raises(ExecutionError, match="out of order"):
            ask("tides", None)


@pytest.mark.parametrize("message", [None, 3, b"tides", ["tides"], "", " \n", "\x00"])
def test_a_message_is_a_text_that_says_something(world, message):
    agent = world.agent(noted(world))
    for ask in ways(agent):
        with pytest.raises(InvalidArgumentError, match="message: expected a text"):
            ask(message, None)
    with pytest.raises(InvalidArgumentError, match="DispatchContext"):
        agent.chat("tides", {"tenant": "a"})


def test_a_message_is_cleaned_as_arguments_are(world):  # S64
    agent = world.agent(noted(world, search=KEYWORD))
    assert agent.chat("ti\x00des \ud800").documents == 1
    assert agent.llm.prompt.endswith("\n\ntides \ufffd")


# S73
def test_without_a_retrieval_service_turns_go_on(world):
    class Alone(Agent):
        def get_llm(self):
            return lambda system, prompt: prompt

        def get_retrieval(self):
            return None

    assert Alone().chat("tides").answer == "tides"
    assert Alone().chat_knowledge is None


def test_what_retrieves_for_actions_only_cannot_ground_a_chat(world):
    actions_only = FakeRetrieval()
    assert world.agent(retrieval=actions_only).chat("tides").answer == "Grounded."
    with pytest.raises(ConfigurationError, match="ground and invalidate"):
        world.agent(noted(world), retrieval=actions_only).chat("tides")


def test_one_binding_for_several_agents(world):  # S72
    cls = world.agent_class(noted(world, search=KEYWORD), memory(search=Search()))
    shared = ChatKnowledgeBinding(cls, world.runtime)
    clients = [Recorder(), Recorder()]

    def agent(client):
        class Subject(cls):
            def get_llm(self):
                return client

            def get_chat_knowledge(self):
                return shared

        return Subject()

    agents = [agent(client) for client in clients]
    agents[0].chat_knowledge.remember(entry("1", "tides are for surfers"))
    assert agents[1].chat("tides").documents == 2
    shared.close()
    for each in agents:
        for ask in ways(each):
            with pytest.raises(ConfigurationError, match="was closed"):
                ask("tides", None)


def test_a_model_is_needed(world):
    class Mute(Agent):
        pass

    with pytest.raises(ConfigurationError, match="Mute: .* get_llm"):
        Mute().chat("tides")


def test_everything_is_asked_once_by_many_threads(world):
    made = []

    class Counted(world.agent_class(noted(world, search=KEYWORD))):
        def get_llm(self):
            made.append(1)
            return Recorder()

        def get_retrieval(self):
            return world.runtime

    agent = Counted()
    threads = [threading.Thread(target=agent.chat, args=("tides",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


# S43 S72
def test_a_client_that_runs_out_ends_an_asynchronous_turn(world):
    agent = world.agent(llm=lambda system, prompt: next(iter(())))

    async def run():
        await asyncio.wait_for(agent.achat("Hello"), 10)

    with pytest.raises(ExecutionError, match="StopIteration"):
        asyncio.run(run())


@pytest.mark.parametrize("client", [OnlyStreams(), OnlyStreamsAsync()])
def test_a_client_that_only_streams_gives_whole_answers_to_messages_too(world, client):  # S72
    agent = world.agent(llm=client)
    assert asyncio.run(agent.achat("Hello")).answer == "one two"
    if isinstance(client, OnlyStreams):
        assert agent.chat("Hello").answer == "one two"


def test_a_cancelled_task_cancels_the_model_of_its_turn(world):  # S50
    started, told, stopped = threading.Event(), threading.Event(), threading.Event()

    def model(system, prompt):
        started.set()
        while not stopped.wait(0.01):
            try:
                current_context().dispatch.check()
            except CancelledError:
                told.set()
                raise
        return "not cancelled"

    async def run():
        task = asyncio.create_task(world.agent(llm=model).achat("Hello"))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        try:
            assert await asyncio.to_thread(told.wait, 5)
        finally:
            stopped.set()

    asyncio.run(run())
