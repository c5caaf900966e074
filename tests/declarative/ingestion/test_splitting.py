"""Cutting text: nothing is lost, nothing too long, sentences whole where they can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative.ingestion.splitting import paragraphs, parts

TEXT = st.text(st.sampled_from("ab .\n\t é東}"), max_size=300)


@given(TEXT, st.integers(1, 40), st.booleans())
def test_parts_are_the_text_in_order(text, limit, keeps):
    found = parts(text, limit, keeps_indentation=keeps)
    place = 0
    for part in found:
        assert part.text.strip()
        assert len(part.text) <= limit
        start = text.index(part.text, place)
        assert not text[place:start].strip()
        place = start + len(part.text)
    assert not text[place:].strip()


@given(TEXT, st.booleans())
def test_parts_know_their_lines(text, keeps):
    lines = text.split("\n")
    for part in parts(text, 20, keeps_indentation=keeps):
        assert part.text.split("\n")[0] in lines[part.line]
        assert part.text.split("\n")[-1] in lines[part.last_line]


@given(TEXT)
def test_paragraphs_hold_no_blank_line(text):
    found = paragraphs(text)
    assert "".join("".join(part.text.split()) for part in found) == "".join(text.split())
    assert not any("\n\n" in part.text for part in found)


def test_sentences_stay_whole():
    sentences = [f"This is the sentence number {number}, more or less." for number in range(50)]
    found = parts(" ".join(sentences), 200)
    assert all(part.text.endswith(".") and part.text.startswith("This") for part in found)
    assert all(len(part.text) > 150 for part in found[:-1])


def test_words_stay_whole_where_a_sentence_is_too_long():
    found = parts("some words without an end " * 100, 100)
    words = {word for part in found for word in part.text.split()}
    assert words == {"some", "words", "without", "an", "end"}


def test_code_is_cut_between_blocks_at_the_margin():
    code = "def a():\n    one\n\n    two\n\n\ndef b():\n    three\n"
    found = [part.text for part in parts(code, 35, keeps_indentation=True)]
    assert found == ["def a():\n    one\n\n    two", "def b():\n    three"]


@pytest.mark.parametrize(
    "text",
    ["x" * 100_000, "word " * 40_000, "\n" * 100_000, "東" * 50_000, "a" + "\n" * 100_000 + " b"],
)
@pytest.mark.parametrize("keeps", [False, True])
def test_monotonous_text(text, keeps):
    found = parts(text, 2_000, keeps_indentation=keeps)
    assert sum(len(part.text.replace(" ", "")) for part in found) == len("".join(text.split()))
