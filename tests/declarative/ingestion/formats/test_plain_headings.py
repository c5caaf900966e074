"""Headings without a parser: the same as with one, or none at all."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from octavo.declarative.ingestion.formats.plain_headings import plain_headings

PIECES = (
    *(
        "#",
        "##",
        "# ",
        "####### ",
        "```",
        "````",
        "~~~",
        "---",
        "===",
        "- ",
        "1. ",
        "> ",
        "* ",
        "    ",
    ),
    *(
        " ",
        "\t",
        "\n",
        "\n\n",
        "a",
        "`",
        "*b*",
        " #",
        " ##\n",
        "\\#",
        "[x]: y\n",
        "<div>",
        "|",
        "\f",
        "é",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def parsed(text):
    tokens = MarkdownIt("commonmark").disable(["inline", "text_join"]).parse(text)
    return [
        (token.map[0], int(token.tag[1:]), tokens[position + 1].content)
        for position, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


@settings(max_examples=300)
@given(TEXTS)
def test_the_same_as_the_parser(text):
    found = plain_headings(text)
    if found is not None:
        assert [(each.line, each.level) for each in found] == [each[:2] for each in parsed(text)]
        for own, (_, _, inline) in zip(found, parsed(text), strict=True):
            if not any(mark in inline for mark in "`*_[]!<&\\\n"):
                assert own.title == inline.strip()


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[4].joinpath("docs").rglob("*.md")), ids=str
)
def test_the_pages_of_the_documentation(path):
    text = path.read_text()
    found = plain_headings(text)
    if found is not None:
        assert [(each.line, each.level) for each in found] == [each[:2] for each in parsed(text)]


def test_most_pages_need_no_parser():
    pages = list(Path(__file__).parents[4].joinpath("docs").rglob("*.md"))
    plain = [page for page in pages if plain_headings(page.read_text()) is not None]
    assert len(plain) > len(pages) / 2


@pytest.mark.parametrize(
    "piece", ["a", " ", "\t", "\n", "# ", "#", "`", "-", "=", "~~~\n", "```\n", "a \n", "- "]
)
def test_monotonous_text_takes_no_time(piece):
    plain_headings(piece * 100_000)
    plain_headings("# A\n" + piece * 100_000 + "x")
    for text in (piece * 200, "# A\n" + piece * 200 + "x"):
        found = plain_headings(text)
        if found is not None:
            assert [(each.line, each.level) for each in found] == [e[:2] for e in parsed(text)]


def test_a_title_of_spaces_takes_no_time():
    spaces = " " * 1_000_000
    (heading,) = plain_headings(f"# a{spaces}b ##{spaces}")
    assert heading.title == f"a{spaces}b"
