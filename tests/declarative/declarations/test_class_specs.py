"""Roles and agents: validated when the class is defined, inherited as classes are."""

import pytest

from octavo.declarative import (
    ActionSpec,
    AgentSpec,
    Knowledge,
    RoleSpec,
    Search,
    action_spec,
    agent_spec,
    bind,
    role_spec,
)
from octavo.errors import ConfigurationError

DOCS = Knowledge("docs", path="p")


@pytest.mark.parametrize("decorator", [role_spec, agent_spec])
def test_one_source_or_several(decorator):  # S60
    assert decorator(knowledge=DOCS) == decorator(knowledge=[DOCS])
    assert decorator(knowledge=(DOCS, Knowledge("b"))).knowledge == (DOCS, Knowledge("b"))
    assert decorator().knowledge == ()
    assert isinstance(role_spec(), RoleSpec)
    assert isinstance(agent_spec(), AgentSpec)


@pytest.mark.parametrize("decorator", [role_spec, agent_spec])
@pytest.mark.parametrize(
    "members", [{"name": " "}, {"name": 3}, {"description": None}, {"knowledge": "docs"}]
)
def test_members_are_checked(decorator, members):
    with pytest.raises(ConfigurationError, match=f"^{next(iter(members))}: expected"):
        decorator(**members)


def test_the_class_is_returned():
    class Role: ...

    assert role_spec(name="R")(Role) is Role


@pytest.mark.parametrize("decorator", [role_spec, agent_spec])
def test_a_class_is_declared_once(decorator):  # S60
    with pytest.raises(ConfigurationError, match="^Role: the class is declared twice"):

        @decorator(name="one")
        @role_spec(name="two")
        class Role: ...

    with pytest.raises(ConfigurationError, match="^expected a class, found 3"):
        decorator()(3)


@pytest.mark.parametrize("decorator", [role_spec, agent_spec])
def test_sources_that_contradict_each_other_fail_at_definition(decorator):  # S60
    with pytest.raises(ConfigurationError, match="^Owner: search.top_k: 'a' sets 1 and 'b' sets 2"):

        @decorator(
            knowledge=[
                Knowledge("a", search=Search(top_k=1)),
                Knowledge("b", search=Search(top_k=2)),
            ]
        )
        class Owner: ...

    with pytest.raises(
        ConfigurationError, match="^Owner: knowledge: the source 'a' is there twice"
    ):

        @decorator(knowledge=[Knowledge("a"), Knowledge("a")])
        class Owner: ...


def test_an_action_of_known_sources_fails_at_definition():  # S60 S65
    def define(entry, *sources):
        @role_spec(knowledge=sources)
        class Role:
            @action_spec(type="LLM", knowledge=entry)
            def answer(self, question: str): ...

    with pytest.raises(ConfigurationError, match="^Role.answer: the source 'docs' is disabled"):
        define(Knowledge("docs"), Knowledge("docs", enabled=False))
    entry = Knowledge("docs", search=Search(query_param="qestion"))
    with pytest.raises(
        ConfigurationError, match=r"^Role.answer: search.query_param: .*'question'\?"
    ):
        define(entry, DOCS)
    with pytest.raises(ConfigurationError, match="^Role.answer: knowledge: Knowledge 'g': max_tok"):
        define(Knowledge("g", max_tokens=3), Knowledge("g", type="GRAPH"))
    define(Knowledge("elsewhere"), DOCS)  # perhaps the agent's: known when both are bound


def test_a_memory_belongs_to_an_agent():  # S72
    with pytest.raises(ConfigurationError, match="^Role: knowledge: 'notes' is a MEMORY source"):

        @role_spec(knowledge=Knowledge("notes", type="MEMORY"))
        class Role: ...

    @agent_spec(knowledge=Knowledge("notes", type="MEMORY"))
    class Agent: ...


def test_what_grounds_a_chat_is_checked_at_definition():  # S63 S72
    with pytest.raises(ConfigurationError, match="^Agent: chat: search: reranker_model: needed"):

        @agent_spec(knowledge=Knowledge("a", search=Search(rerank=True)))
        class Agent: ...


@role_spec(name="Base", knowledge=DOCS)
class Base:
    @action_spec(type="LLM", knowledge=Knowledge("docs"))
    def first(self, question: str): ...

    @action_spec(type="LLM")
    def second(self, question: str): ...


def test_a_subclass_inherits():  # S60
    class Child(Base):
        @action_spec(type="LOCAL")
        def third(self, question: str): ...

    bound = bind(Child)
    assert (bound.role_name, bound.sources) == ("Base", (DOCS,))
    assert list(bound.actions) == ["first", "second", "third"]


def test_a_subclass_may_declare_anew():  # S60
    @role_spec(knowledge=Knowledge("docs", path="q"))
    class Child(Base):
        def second(self, question: str): ...  # no action any more

        @action_spec(type="LOCAL", knowledge=Knowledge("docs"))
        def first(self, question: str): ...

    bound = bind(Child)
    assert bound.role_name == "Child"
    assert bound.sources == (Knowledge("docs", path="q"),)
    assert list(bound.actions) == ["first"]
    assert bound.actions["first"].type == "LOCAL"
    assert bind(Base).actions["first"].type == "LLM"


def test_actions_follow_the_order_of_resolution():
    class Mixin:
        @action_spec(type="LOCAL")
        def first(self, question: str): ...

    class Child(Mixin, Base): ...

    class Other(Base, Mixin): ...

    assert bind(Child).actions["first"].type == "LOCAL"
    assert bind(Other).actions["first"].type == "LLM"


SETTINGS = {
    "knowledge": {"name": "docs", "path": "p"},
    "actions": {"answer": {"type": "LLM", "knowledge": {"name": "docs"}}},
}


def test_actions_can_be_in_the_specification():  # S60
    @RoleSpec.from_mapping(SETTINGS)
    class Role:
        def answer(self, question: str): ...

    assert bind(Role).actions["answer"].query_parameter == "question"
    assert not vars(Role.answer)  # the function, which others may share, is left alone


def test_actions_in_the_specification_are_checked():  # S60
    with pytest.raises(ConfigurationError, match=r"^Role: actions.answer: .*did you mean 'anwser'"):

        @RoleSpec.from_mapping(SETTINGS)
        class Role:
            def anwser(self, question: str): ...

    with pytest.raises(ConfigurationError, match=r"^Role: actions.answer: the method has"):

        @RoleSpec.from_mapping(SETTINGS)
        class Role:
            @action_spec(type="LLM")
            def answer(self, question: str): ...

    with pytest.raises(ConfigurationError, match=r"^Role: actions.answer: knowledge: valid on LLM"):

        @RoleSpec(actions={"answer": ActionSpec(type="TOOL", knowledge=Knowledge("docs"))})
        class Role:
            def answer(self, question: str): ...


def test_a_specification_is_a_value():
    spec = RoleSpec.from_mapping(SETTINGS)
    assert spec == RoleSpec.from_mapping(SETTINGS)
    assert hash(spec) == hash(RoleSpec.from_mapping(SETTINGS))
    with pytest.raises(TypeError):
        spec.actions["answer"] = None
