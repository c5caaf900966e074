"""What the lines of a text are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.text.lines import Heading, read_lines


def titles(text):
    return [(each.level, each.title) for each in read_lines(text).headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n### Three #\n#no\n####### seven", [(1, "One"), (3, "Three")]),
        (
            "One\n===\n\nTwo\n---\n\nOne again\n=========",
            [(1, "One"), (2, "Two"), (1, "One again")],
        ),
        ("====\nOver\n====\n\nUnder\n=====", [(1, "Over"), (2, "Under")]),
        ("<h2 class='x'>Two <b>bold</b></h2>", [(2, "Two bold")]),
        ("# 1.2. `Code` and [a link](x.md)", [(1, "Code and a link")]),
        ("a paragraph\nof two lines\n---", []),
        ("a | b\n--|--", []),
        ("---\ntitle: x\n---\n# One", [(1, "One")]),
        (".. note:: x\n\n# no heading in reST", []),
        ("", []),
    ],
)
def test_headings(text, expected):
    assert titles(text) == expected


def test_a_heading_knows_its_place():
    assert read_lines("x\n\n# One\n").headings == [Heading(3, 1, "One")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\n```py\nb\n```\nc", ["```py", "b", "```"]),
        ("a\n~~~\nb ``` c\n~~~\nd", ["~~~", "b ``` c", "~~~"]),
        ("a\n```\nb", []),
        ("a::\n\n  b\n\n  c\nd", ["  b", "  c"]),
        (".. code-block:: py\n\n   b\n\nc", ["   b"]),
        (".. note::\n\n   b\n\nc", []),
        ("  a::\n\n  b", []),
    ],
)
def test_code(text, code):
    assert [line for _, line in read_lines(text).code] == code


@given(st.text() | st.text("#=-~`: .\nab<h1>/"))
def test_prose_is_as_long_as_the_text_and_has_no_other_words(text):
    lines = read_lines(text)
    assert len(lines.prose) == len(text)
    assert all(kept in (given, " ") for given, kept in zip(text, lines.prose, strict=True))
    for start, code in lines.code:
        assert text[start : start + len(code)] == code
