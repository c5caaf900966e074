"""The reference's complete example, against a real server of the chat-completions protocol."""

import asyncio

import pytest

from octavo.declarative import (
    ActionRequest,
    ActionType,
    Agent,
    DispatchContext,
    Knowledge,
    OpenAIClient,
    Role,
    Search,
    action_spec,
    agent_spec,
    role_spec,
)
from octavo.declarative.rendering.fence import DISCLOSURE
from octavo.declarative.runtime.runtime import RetrievalRuntime
from tests.declarative.actions.fakes import FakeRetrieval, document
from tests.model_servers.model_server import answer, chat_server

QUESTION = "How does retrieval ground this answer?"
ANSWER = "Retrieval runs first, so the model answers from the documents it found."

# The reference's, but for where the file is.
PROMPT = """\
Answer with evidence from the research corpus

Retrieved context:
<tnsai-memory>
<context>[Source: {path}]
Retrieval runs before the LLM executor.</context>
</tnsai-memory>

Input:
question: How does retrieval ground this answer?"""


@role_spec(
    name="Researcher",
    description="Answers questions from a local research corpus",
    knowledge=Knowledge("research-corpus", path="research"),
)
class ResearchRole(Role):
    @action_spec(
        type=ActionType.LLM,
        description="Answer with evidence from the research corpus",
        knowledge=Knowledge(
            "research-corpus",
            search=Search(
                strategy=Search.Strategy.HYBRID,
                top_k=5,
                min_score=0.0,
                context_window=2_000,
                context_format="[Source: ${source}]\n${content}\n\n",
                on_failure=Search.FallbackAction.FAIL,
            ),
        ),
    )
    def answer(self, question: str) -> str:
        # ActionType.LLM returns the executor's result. This body does not run unless it has a
        # parameter of type ActionResult.
        return question


@agent_spec(description="Retrieval-grounded research assistant")
class ResearchAgent(Agent):
    def __init__(self, retrieval):
        self.role = ResearchRole()
        self.retrieval = retrieval

    def get_llm(self):
        return OpenAIClient("gpt-4o-mini")

    def get_roles(self):
        return [self.role]

    def get_retrieval(self):
        return self.retrieval


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "research" / "retrieval.md"
    path.parent.mkdir()
    path.write_text("Retrieval runs before the LLM executor.", encoding="utf-8")
    return path


@pytest.fixture
def server(monkeypatch):
    with chat_server(answer(ANSWER)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield server


@pytest.fixture(params=["told", "retrieved"])
def agent(path, server, request, monkeypatch):
    if request.param == "told":
        text = path.read_text(encoding="utf-8")
        return ResearchAgent(FakeRetrieval(document(text, str(path), 1.0)))
    monkeypatch.chdir(path.parent.parent)
    return ResearchAgent(RetrievalRuntime())


# S70 S77
def test_it_asks_exactly_what_the_reference_asks(agent, server, path):
    assert agent.execute_action("answer", {"question": QUESTION}) == ANSWER
    (asked,) = server.requests
    assert asked["model"] == "gpt-4o-mini"
    assert asked["messages"] == [
        {
            "role": "system",
            "content": "Retrieval-grounded research assistant\n\n"
            f"Answers questions from a local research corpus\n\n{DISCLOSURE}",
        },
        {"role": "user", "content": PROMPT.format(path=path)},
    ]


# S77
def test_every_variant_asks_the_same(agent, server, path):
    arguments = {"question": QUESTION}
    context = DispatchContext.builder().scope("tenant-a", "conversation-42").timeout(30).build()

    async def collected():
        return [piece async for piece in await agent.astream_action("answer", arguments, context)]

    typed = agent.execute_action(ActionRequest.of("answer", arguments), context)
    answers = [
        typed.value,
        agent.execute_action("answer", arguments, context),
        asyncio.run(agent.aexecute_action("answer", arguments, context)),
        " ".join(agent.stream_action("answer", arguments, context)),
        " ".join(asyncio.run(collected())),
    ]
    assert answers == [ANSWER] * 5
    assert typed.context["_rag_document_count"] == 1
    messages = [each["messages"] for each in server.requests]
    assert messages == messages[:1] * 5
    assert messages[0][1]["content"] == PROMPT.format(path=path)
