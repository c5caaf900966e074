"""What a role's actions and an agent's chat mean, once both classes are known."""

import pytest

from octavo.declarative import (
    ActionType,
    BoundAction,
    BoundChat,
    Knowledge,
    ResolvedSearch,
    Search,
    SearchStrategy,
    action_spec,
    agent_spec,
    bind,
    bind_chat,
    role_spec,
)
from octavo.errors import ConfigurationError


@role_spec(
    name="Researcher",
    description="Answers questions from a local research corpus",
    knowledge=Knowledge(name="research-corpus", path="research"),
)
class ResearchRole:
    """The role of the reference's complete example."""

    @action_spec(
        type=ActionType.LLM,
        description="Answer with evidence from the research corpus",
        knowledge=Knowledge(
            name="research-corpus",
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
        return question


@agent_spec(description="Retrieval-grounded research assistant")
class ResearchAgent: ...


def test_the_references_example():  # S60 S77
    bound = bind(ResearchRole, ResearchAgent)
    assert (bound.role_name, bound.agent_name) == ("Researcher", "ResearchAgent")
    assert bound.sources == (Knowledge("research-corpus", path="research"),)
    search = Search(
        strategy="HYBRID",
        top_k=5,
        min_score=0.0,
        context_window=2000,
        context_format="[Source: ${source}]\n${content}\n\n",
        on_failure="FAIL",
    )
    assert dict(bound.actions) == {
        "answer": BoundAction(
            name="answer",
            type=ActionType.LLM,
            description="Answer with evidence from the research corpus",
            parameters=("question",),
            knowledge=(Knowledge("research-corpus", path="research", search=search),),
            search=ResolvedSearch(
                strategy=SearchStrategy.HYBRID,
                top_k=5,
                min_score=0.0,
                context_window=2000,
                context_format="[Source: ${source}]\n${content}\n\n",
                on_failure=Search.FallbackAction.FAIL,
            ),
            query_parameter="question",
        )
    }
    assert bound.chat == BoundChat()


def test_binding_is_data():
    bound = bind(ResearchRole, ResearchAgent)
    assert bound == bind(ResearchRole, ResearchAgent)
    assert hash(bound) == hash(bind(ResearchRole, ResearchAgent))
    with pytest.raises(TypeError):
        bound.actions["answer"] = None


def role(entry, *sources, kind="LLM"):
    @role_spec(knowledge=sources)
    class Role:
        @action_spec(type=kind, knowledge=entry)
        def answer(self, topic: str, question: str, count: int): ...

    return Role


def agent(*sources):
    @agent_spec(knowledge=sources)
    class Agent: ...

    return Agent


def test_an_action_may_name_what_the_agent_declares():  # S60
    owner = agent(Knowledge("shared", path="p", search=Search(top_k=8)))
    bound = bind(role(Knowledge("shared")), owner)
    assert bound.actions["answer"].search.top_k == 8
    assert bound.actions["answer"].knowledge[0].path == "p"
    with pytest.raises(
        ConfigurationError, match="^Role.answer: there is no source 'shared'; known"
    ):
        bind(role(Knowledge("shared")))


def test_role_and_agent_are_one_scope():  # S60
    mine = Knowledge("mine", search=Search(min_score=0.1))
    owner = agent(Knowledge("shared", search=Search(top_k=8)))
    search = bind(role(Knowledge("mine"), mine), owner).actions["answer"].search
    assert (search.top_k, search.min_score) == (8, 0.1)
    with pytest.raises(
        ConfigurationError,
        match="^Role with Agent: search.top_k: 'mine' sets 3 and 'shared' sets 8",
    ):
        bind(role((), Knowledge("mine", search=Search(top_k=3))), owner)
    with pytest.raises(ConfigurationError, match="^Role with Agent: .*'shared' is there twice"):
        bind(role((), Knowledge("shared")), owner)


def test_a_model_may_come_from_the_agent():  # S60 S63
    mine = Knowledge("mine", search=Search(rerank=True))
    owner = agent(Knowledge("shared", search=Search(reranker_model="m")))
    assert bind(role(Knowledge("mine"), mine), owner).actions["answer"].search.rerank
    with pytest.raises(ConfigurationError, match="^Role.answer: search: reranker_model: needed"):
        bind(role(Knowledge("mine"), mine))


@pytest.mark.parametrize(
    ("query_param", "name"), [(None, "topic"), (" ", "topic"), ("question",) * 2]
)
def test_the_query(query_param, name):  # S65
    search = Search() if query_param is None else Search(query_param=query_param)
    # Set on a declaration, it applies to every action that names the source.
    declared = role(Knowledge("docs"), Knowledge("docs", search=search))
    assert bind(declared).actions["answer"].query_parameter == name
    given = role(Knowledge("docs", search=search), Knowledge("docs"))
    assert bind(given).actions["answer"].query_parameter == name


def test_a_missing_query_fails_when_bound():  # S65
    @role_spec(knowledge=Knowledge("docs"))
    class Role:
        @action_spec(type="LLM", knowledge=Knowledge("docs"))
        def answer(self, count: int): ...

    with pytest.raises(ConfigurationError, match="^Role.answer: search.query_param: unset, and"):
        bind(Role)
    owner = agent(Knowledge("shared", search=Search(query_param="qestion")))
    with pytest.raises(
        ConfigurationError, match=r"^Role.answer: search.query_param: .*'question'\?"
    ):
        bind(role(Knowledge("docs"), Knowledge("docs")), owner)


def test_what_is_not_searched_needs_no_query():  # S65 S74
    @role_spec(knowledge=[Knowledge("whole", use="DIRECT"), Knowledge("pieces", use="SEQUENTIAL")])
    class Role:
        @action_spec(type="LLM", knowledge=[Knowledge("pieces", max_tokens=9), Knowledge("whole")])
        def answer(self, count: int): ...

        @action_spec(type="TOOL")
        def act(self): ...

    actions = bind(Role).actions
    assert [each.name for each in actions["answer"].knowledge] == ["pieces", "whole"]
    assert actions["answer"].knowledge[0].max_tokens == 9
    assert (actions["answer"].search, actions["answer"].query_parameter) == (None, None)
    assert actions["act"].knowledge == ()


def test_a_graph_beside_documents():  # S80
    @role_spec(knowledge=[Knowledge("handbook", path="p"), Knowledge("graph", type="GRAPH")])
    class HandbookGraphRole:
        """The role of the reference's page about graph stores."""

        @action_spec(type="LLM", knowledge=Knowledge("graph"))
        def answer(self, question: str): ...

    bound = bind(HandbookGraphRole)
    assert bound.actions["answer"].search == ResolvedSearch(strategy=SearchStrategy.GRAPH)


def test_local_actions_are_bound_alike():  # S75
    bound = bind(role(Knowledge("docs"), Knowledge("docs"), kind="LOCAL"))
    assert bound.actions["answer"].type is ActionType.LOCAL
    assert bound.actions["answer"].search == ResolvedSearch()


def test_chat_is_the_agents():  # S72
    owner = agent(
        Knowledge("searched", search=Search(top_k=8)),
        Knowledge("whole", use="DIRECT", max_tokens=9),
        Knowledge("pieces", use="SEQUENTIAL"),
        Knowledge("graph", type="GRAPH"),
        Knowledge("off", enabled=False),
    )
    bound = bind(role((), Knowledge("mine", search=Search(min_score=0.1))), owner)
    assert [each.name for each in bound.chat.knowledge] == ["searched", "whole"]
    assert bound.chat.search == ResolvedSearch(top_k=8)  # nothing of the role's
    assert bind_chat(owner) == bound.chat
    assert [each.name for each in bound.sources] == ["mine", "searched", "whole", "pieces", "graph"]


def test_classes_without_a_specification():
    class Plain:
        @action_spec(type="LLM")
        def answer(self, question: str): ...

    bound = bind(Plain, type("Owner", (), {}))
    assert (bound.role_name, bound.agent_name, bound.sources) == ("Plain", "Owner", ())
    assert list(bound.actions) == ["answer"]


@pytest.mark.parametrize("pair", [(ResearchAgent,), (ResearchRole, ResearchRole), (3,)])
def test_the_classes_are_a_role_and_an_agent(pair):
    with pytest.raises(ConfigurationError, match="expected a"):
        bind(*pair)
    with pytest.raises(ConfigurationError, match="expected a"):
        bind_chat(ResearchRole)
    with pytest.raises(ConfigurationError, match="expected a"):
        bind_chat(3)
