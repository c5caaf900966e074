"""One document, written by its format (S70)."""

import pytest

from octavo.declarative.declarations.context_format import DEFAULT_CONTEXT_FORMAT
from octavo.declarative.rendering.documents import DocumentFormat, Passage, score_text

PASSAGE = Passage("notes", "The text.", "a/b.md", 0.87654)


# S70
@pytest.mark.parametrize(
    ("context_format", "expected"),
    [
        (DEFAULT_CONTEXT_FORMAT, "[Source: a/b.md]\nThe text.\n\n"),
        ("${content}", "The text."),
        ("${score} ${source} ${content} ${content}", "0.8765 a/b.md The text. The text."),
        ("$content {source} $$ ${content}", "$content {source} $$ The text."),
        ("no placeholder", "no placeholder"),
    ],
)
def test_placeholders(context_format, expected):
    assert DocumentFormat(context_format).written(PASSAGE) == expected


# S70
def test_without_the_specification_source_and_score_show_nothing():
    form = DocumentFormat("[${source}|${score}] ${content}", include_spec=False)
    assert form.written(PASSAGE) == "[|] The text."


# S70
@pytest.mark.parametrize(
    "text", ["${source}", "${score}", "${content}", "${unknown}", "\\1 \\g<0> $1"]
)
def test_documents_are_never_interpreted(text):
    assert DocumentFormat("${source}: ${content}").written(Passage("n", text, "s")) == f"s: {text}"
    assert DocumentFormat("${source}: ${content}").written(Passage("n", "c", text)) == f"{text}: c"


def test_nothing_is_hidden():
    hidden = Passage("n", "a\u202eb\x00\r\n", "x\n\ny\u200d\ufeff")
    shown = DocumentFormat("${source}|${content}").written(hidden)
    assert shown == "x[U+000A][U+000A]y\u200d[U+FEFF]|a[U+202E]b[U+0000]\n"


def test_a_passage_that_was_not_searched_has_no_score():
    assert DocumentFormat("${score}|${content}").written(Passage("n", "c", "s")) == "|c"


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (1, "1.0000"),
        (0.00004, "0.0000"),
        (-0.0, "0.0000"),
        (-0.5, "-0.5000"),
        (1e6, "1000000.0000"),
        (float("inf"), "inf"),
    ],
)
def test_scores(score, text):
    assert score_text(score) == text


@pytest.mark.parametrize(
    ("content", "length", "kept"),
    [
        ("The text.", 5, "The t…"),
        ("The text.", 4, "The…"),
        ("e\u0301e\u0301", 3, "e\u0301…"),
        ("👩‍👩‍👧", 3, None),
        ("  a", 2, None),
        ("abc", 0, None),
    ],
)
def test_shortening(content, length, kept):
    part = Passage("n", content, "s").shortened(length)
    assert (part and part.content) == kept
