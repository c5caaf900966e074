"""Which parameter is the query."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType, Optional, Protocol

import pytest

from octavo.declarative.declarations.parameters import action_parameters, query_parameter
from octavo.errors import ConfigurationError

if TYPE_CHECKING:
    from nowhere import Unknown

Question = NewType("Question", str)


class Text(str):
    __slots__ = ()


def names_itself(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Role:
    def first(self, question: str, other: str): ...
    def second(self, count: int, question: str): ...
    def unknown_before(self, count: Unknown, question: str): ...
    def optional(self, count: int, question: Optional[str] = None): ...  # noqa: UP045
    def optional_bar(self, count: int, question: str | None): ...
    def annotated(self, count: int, question: Annotated[str, "the question"]): ...
    def new_type(self, count: int, question: Question): ...
    def literal(self, count: Literal[1], question: Literal["a", "b"]): ...
    def subclass(self, count: int, question: Text): ...
    def keyword_only(self, count: int, *, question: str): ...
    def collected(self, *rest: str, question: str, **more: str): ...
    def a_union_is_not_text(self, either: str | int, question: str): ...
    def a_list_is_not_text(self, many: list[str], question: str): ...
    def bytes_are_not_text(self, raw: bytes, question: str): ...
    def bare_is_not_text(self, anything, question: str): ...
    def any_is_not_text(self, anything: Any, question: str): ...

    @names_itself
    def wrapped(self, count: int, question: str): ...

    @staticmethod
    def static(question: str, other: str): ...

    @classmethod
    def of_the_class(cls, question: str): ...

    async def awaited(self, question: str): ...


METHODS = [name for name in vars(Role) if not name.startswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_the_first_text_is_the_query(name):  # S65
    parameters = action_parameters(Role, name)
    assert query_parameter(parameters, None) == "question"
    assert query_parameter(parameters, "") == "question"
    assert "self" not in [each.name for each in parameters]


def test_annotations_need_not_be_strings():  # S65
    namespace = {}
    exec("class Plain:\n def ask(self, count: int, question: str): ...", namespace)
    assert query_parameter(action_parameters(namespace["Plain"], "ask"), None) == "question"


class Speaks(Protocol):
    def speak(self): ...


class Many:
    def ask(self, topic: str, count: int, question: str, raw: Any, bare, either: str | int): ...
    def more(self, asked: Speaks, letters: Sequence[str], thing: object): ...
    def none(self, count: int, *rest: str): ...
    def nothing(self): ...


@pytest.mark.parametrize("name", ["topic", "question", "raw", "bare", "either"])
def test_a_named_parameter_is_the_query(name):  # S65
    assert query_parameter(action_parameters(Many, "ask"), name) == name


@pytest.mark.parametrize("name", ["asked", "letters", "thing"])
def test_a_named_parameter_may_be_more_than_text(name):  # S65
    assert query_parameter(action_parameters(Many, "more"), name) == name


@pytest.mark.parametrize(
    ("action", "query_param", "told"),
    [
        ("ask", "qestion", r"there is no parameter 'qestion'; .*did you mean 'question'\?"),
        ("ask", "Question", r".*did you mean 'question'\?"),
        ("ask", "self", "there is no parameter 'self'"),
        ("none", "rest", "there is no parameter 'rest'"),
        ("ask", "count", "a query is text, found 'count' declared as int"),
        ("none", None, "unset, and there is no str parameter .*parameters: count"),
        ("nothing", None, ".*parameters: none"),
    ],
)
def test_a_missing_query_is_a_configuration_error(action, query_param, told):  # S65
    with pytest.raises(ConfigurationError, match=f"^search.query_param: {told}"):
        query_parameter(action_parameters(Many, action), query_param)


def test_what_has_no_signature_is_an_error():
    class Odd:
        ask = 3

    with pytest.raises(ConfigurationError, match="a method with a signature, found 3"):
        action_parameters(Odd, "ask")
