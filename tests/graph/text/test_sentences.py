"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.text.sentences import sentence_ends, shown_sentence


def sentences(text):
    start, found = 0, []
    for end in sentence_ends(text):
        found.append(text[start:end].strip())
        start = end
    return [each for each in found if each]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See e.g. this, version 1.5 and a.b.", ["See e.g. this, version 1.5 and a.b."]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("first\nline\n\nsecond", ["first\nline", "second"]),
        ("Intro:\n- one\n- two\n1. three", ["Intro:", "- one", "- two", "1. three"]),
        ("| a | b |", ["|", "a |", "b |"]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("एक। दो।", ["एक।", "दो।"]),
        ("Wait... What?! Yes.", ["Wait...", "What?!", "Yes."]),
        ("", []),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


@given(st.text() | st.text(".!?。\n -|a A"))
def test_ends_ascend_to_the_end_of_the_text(text):
    ends = list(sentence_ends(text))
    assert ends == sorted(ends)
    assert ends[-1] == len(text)


def test_a_sentence_is_shown_on_one_line_and_cut_after_a_word():
    assert shown_sentence(" one\n  two ") == "one two"
    long = shown_sentence("word, " * 200)
    assert long.endswith("word…")
    assert len(long) <= 300
    assert shown_sentence("x" * 400) == "…"
