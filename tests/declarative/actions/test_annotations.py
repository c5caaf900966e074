"""Whether values are of annotated types."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, Protocol, TypedDict, TypeVar

import pytest

from octavo.declarative.actions.annotations import annotation_text, fits

Name = NewType("Name", str)
Anything = TypeVar("Anything")


class Point(TypedDict):
    x: int


class Speaks(Protocol):
    def speak(self): ...


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        *(("a", str), (1, int), (1, float), (1.5, float), (True, bool), (None, None)),
        *((None, str | None), ("a", Name), ("a", Annotated[str, "note"])),
        *(("a", Literal["a", "b"]), (1, Any), ("a", object), ([1], list), ([1, 2], list[int])),
        *(((1, "a"), tuple[int, str]), ((1, 2, 3), tuple[int, ...]), ({"a": 1}, dict[str, int])),
        *(
            ({"a": 1}, Mapping[str, int]),
            (["a"], Sequence[str]),
            ({"a"}, set[str]),
            ([], list[int]),
        ),
        *(("abc", Sequence[str]), ("anything", "Unknown"), (1, Anything), ({"x": 1}, Point)),
        *((3, Speaks), ([["a"]], list[list[str]]), (str, type), (b"a", bytes)),
    ],
)
def test_fits(value, annotation):
    assert fits(value, annotation)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        *((1, str), ("1", int), (True, int), (True, float), (1, bool), (1.5, int), (0, None)),
        *((1, str | None), (b"a", str), ("c", Literal["a"]), (True, Literal[1]), (1, Name)),
        *((["a"], list[int]), ((1,), tuple[int, str]), (("a",), tuple[int, ...]), ("a", list[str])),
        *(({1: 1}, dict[str, int]), ({"a": "b"}, dict[str, int]), ({1}, set[str]), (None, str)),
        *((1, Annotated[str, "note"]), ([[1]], list[list[str]]), ("abc", Sequence[int])),
    ],
)
def test_fits_not(value, annotation):
    assert not fits(value, annotation)


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (str, "str"),
        (str | None, "str | None"),
        (list[int], "list[int]"),
        (Any, "Any"),
        ("Unknown", "Unknown"),
    ],
)
def test_annotations_as_they_are_written(annotation, text):
    assert annotation_text(annotation) == text
