"""Actions: what an entry may give, and on which actions."""

import functools

import pytest

from octavo.declarative import ActionSpec, ActionType, Knowledge, Search, action_spec, bind
from octavo.declarative.declarations.action_specs import action_of
from octavo.errors import ConfigurationError


def test_a_method_stays_what_it_is():
    class Role:
        @action_spec(type=ActionType.LLM, description="Answer", knowledge=Knowledge("docs"))
        def answer(self, question):
            return question.upper()

        def other(self): ...

    assert Role().answer("why") == "WHY"
    expected = ActionSpec(type="llm", description="Answer", knowledge=[Knowledge("docs")])
    assert action_of(Role.answer) == expected
    assert expected.knowledge == (Knowledge("docs"),)
    assert action_of(Role.other) is None


def test_static_class_and_asynchronous_methods():
    class Role:
        @action_spec(type="LLM")
        @staticmethod
        def above(question: str): ...

        @staticmethod
        @action_spec(type="LLM")
        def below(question: str): ...

        @action_spec(type="LLM")
        @classmethod
        def of_the_class(cls, question: str): ...

        @action_spec(type="LLM")
        async def awaited(self, question: str): ...

    assert all(
        action_of(vars(Role)[name]) for name in ("above", "below", "of_the_class", "awaited")
    )


@pytest.mark.parametrize("kind", ["TOOL", "WEB_SERVICE"])
def test_knowledge_on_other_types_fails(kind):  # S75
    action_spec(type=kind)(lambda self: None)
    with pytest.raises(
        ConfigurationError, match=rf"^Role.act: knowledge: valid on LLM and LOCAL .*type {kind}"
    ):

        class Role:
            @action_spec(type=kind, knowledge=Knowledge("docs"))
            def act(self, question: str): ...


@pytest.mark.parametrize("kind", ["LLM", "LOCAL"])
def test_knowledge_on_llm_and_local_actions(kind):  # S75
    class Role:
        @action_spec(type=kind, knowledge=Knowledge("docs"))
        def act(self, question: str): ...

    assert action_of(Role.act).type == kind


BELONGS_TO_THE_DECLARATION = {
    "type": "FILE",
    "format": "AUTO",
    "path": "",
    "connection": "",
    "query": "",
    "enabled": True,
    "include": (),
    "exclude": (),
    "select": (),
    "unit": "AUTO",
    "chunk_context": "NONE",
    "chunk_context_model": "m",
}


@pytest.mark.parametrize("name", BELONGS_TO_THE_DECLARATION)
def test_an_entry_gives_only_use_max_tokens_and_search(name):  # S60
    entry = Knowledge("docs", **{name: BELONGS_TO_THE_DECLARATION[name]})
    with pytest.raises(ConfigurationError, match=rf"^Role.act: knowledge 'docs': {name}: belongs"):

        class Role:
            @action_spec(type="LLM", knowledge=entry)
            def act(self, question: str): ...


def test_an_entry_may_give_them():  # S60
    entries = [Knowledge("a", use="DIRECT", max_tokens=3), Knowledge("b", search=Search(top_k=3))]

    class Role:
        @action_spec(type="LLM", knowledge=entries)
        def act(self, question: str): ...

    assert action_of(Role.act).knowledge == tuple(entries)


@pytest.mark.parametrize(
    "value", ["docs", 3, None, ["docs"], [Knowledge("a"), None], {"name": "a"}, Search()]
)
def test_knowledge_is_one_entry_or_several(value):  # S60
    with pytest.raises(ConfigurationError, match="^knowledge.*: expected a Knowledge, found"):
        action_spec(type="LLM", knowledge=value)


@pytest.mark.parametrize("value", ["nonsense", None, 3, ["LLM"]])
def test_the_type_is_checked(value):  # S75
    with pytest.raises(ConfigurationError, match="^type: "):
        action_spec(type=value)


def test_a_source_named_twice_fails():  # S60
    with pytest.raises(ConfigurationError, match="^Role.act: knowledge: the source 'a' is there"):

        class Role:
            @action_spec(type="LLM", knowledge=[Knowledge("a"), Knowledge("a", max_tokens=3)])
            def act(self, question: str): ...


def test_one_name_for_two_actions_fails():  # S60
    with pytest.raises(ConfigurationError, match="^Role.act: the action 'act' is declared twice"):

        class Role:
            @action_spec(type="LLM")
            def act(self, question: str): ...

            @action_spec(type="LOCAL")
            def act(self, other: str): ...  # noqa: F811 - the mistake in question

    with pytest.raises(ConfigurationError, match="declared twice"):
        action_spec(type="LLM")(action_spec(type="LLM")(lambda self: None))


def test_a_function_may_be_defined_again_outside_a_class():
    namespace = {"action_spec": action_spec}
    for _ in range(2):
        exec("@action_spec(type='LLM')\ndef act(self, question): ...", namespace)
    assert action_of(namespace["act"])


def test_what_is_no_method_is_refused():
    with pytest.raises(ConfigurationError, match="^action_spec: expected a method, found 3"):
        action_spec(type="LLM")(3)


@pytest.mark.parametrize("kind", [property, functools.cached_property])
def test_a_property_is_no_action(kind):
    class Researcher:
        @kind
        @action_spec(type=ActionType.LOCAL)
        def answer(self) -> str:
            return "x"

    with pytest.raises(ConfigurationError, match="Researcher: answer: expected a method"):
        bind(Researcher)
    with pytest.raises(ConfigurationError, match="expected a method"):
        action_spec(type=ActionType.LOCAL)(kind(lambda self: "x"))
