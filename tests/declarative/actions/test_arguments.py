"""Arguments are checked by the signature, and cleaned (S64, S65)."""

from collections import Counter, OrderedDict
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative import ActionResult, ActionType, action_spec
from octavo.declarative.actions.arguments import ActionSignature, checked_arguments, cleaned
from octavo.errors import InvalidArgumentError


class Point(NamedTuple):
    name: str
    place: int


class Subject:
    @action_spec(type=ActionType.LLM)
    def action(self, first: str, /, second: "list[str] | None" = None, *, third: int = 3):
        return first, second, third

    @action_spec(type=ActionType.LLM)
    def open(self, question: str, outcome: ActionResult, **others: object):
        return question, outcome, others

    @staticmethod
    @action_spec(type=ActionType.LOCAL)
    def static(number: float):
        return number


def checked(name, **arguments):
    return checked_arguments(ActionSignature.of(Subject, name), arguments)


def test_order_and_defaults():
    assert checked("action", third=4, first="a") == {"first": "a", "second": None, "third": 4}
    assert list(checked("action", third=4, first="a")) == ["first", "second", "third"]


def test_positional_parameters_are_given_by_name_and_called_by_position():
    signature = ActionSignature.of(Subject, "action")
    arguments = checked("action", first="a", second=["b"])
    assert signature.called(Subject().action, arguments, None) == ("a", ["b"], 3)


def test_a_result_is_nobodys_argument():
    signature = ActionSignature.of(Subject, "open")
    assert signature.result_parameter == "outcome"
    result = ActionResult("open", "text")
    arguments = checked("open", question="Q", more=1)
    assert signature.called(Subject().open, arguments, result) == ("Q", result, {"more": 1})
    with pytest.raises(InvalidArgumentError, match="outcome"):
        checked("open", question="Q", outcome=result)


# S75
@pytest.mark.parametrize(
    "annotation",
    [
        *("types_only.ActionResult", "types_only.ActionResult | None"),
        *("Optional[types_only.ActionResult]", "None|types_only.ActionResult"),
    ],
)
def test_a_result_that_only_type_checkers_know_is_one(annotation):
    class Typed:
        def act(self, question: str, result=None): ...

    Typed.act.__annotations__["result"] = annotation
    action_spec(type=ActionType.LLM)(Typed.act)
    assert ActionSignature.of(Typed, "act").result_parameter == "result"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("action", {}, "first: the argument is missing; expected str"),
        ("action", {"first": 1}, "first: expected str, found 1"),
        ("action", {"first": "a", "second": ["b", 1]}, r"second: expected list\[str\] | None"),
        ("action", {"first": "a", "thrid": 1}, "did you mean 'third'"),
        ("static", {"number": True}, "number: expected float, found True"),
    ],
)
def test_what_is_wrong_is_named(name, arguments, told):
    with pytest.raises(InvalidArgumentError, match=told):
        checked(name, **arguments)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\x00\x1b[31mb\x7f\x9f", "a[31mb"),
        ("a\tb\r\nc", "a\tb\r\nc"),
        ("\ud800x", "\ufffdx"),
        (["\x00", ("\x01a",)], ["", ("a",)]),
        ({"k\x00": "v\x00"}, {"k": "v"}),
        (3, 3),
        ("a\u202eb", "a\u202eb"),
        (b"\x00", b"\x00"),
    ],
)
def test_cleaning(value, expected):
    assert cleaned("it", value) == expected


@given(st.text(st.characters(codec=None)))
def test_a_cleaned_text_can_be_written_and_stays(text):
    found = cleaned("it", text)
    found.encode()
    assert cleaned("it", found) == found


def test_what_holds_itself_is_refused():
    cycle = []
    cycle.append(cycle)
    with pytest.raises(InvalidArgumentError, match="nested"):
        checked("open", question="Q", more=cycle)


def test_texts_of_a_type_of_their_own_are_cleaned_too():
    class Text(str):
        __slots__ = ()

    assert cleaned("it", Text("a\x00")) == "a"
    assert cleaned("it", ActionType.LLM) is ActionType.LLM


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a\x00"}, {"a"}),
        (frozenset({"\ud800"}), frozenset({"\ufffd"})),
        (OrderedDict(k="v\x00"), {"k": "v"}),
        (Point("x\x00", 1), ("x", 1)),
        ({"k": [{("\x00a",)}]}, {"k": [{("a",)}]}),
    ],
)
def test_containers_of_all_kinds_are_cleaned(value, expected):
    assert cleaned("it", value) == expected


@pytest.mark.parametrize("value", [OrderedDict(k="v"), Point("x", 1), Counter("aab")])
def test_one_of_a_class_of_its_own_stays_where_nothing_is_cleaned(value):
    assert cleaned("it", value) is value
