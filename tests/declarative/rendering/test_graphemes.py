"""Cuts never fall inside a grapheme; the oracle is the package ``regex``."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.declarative.rendering.graphemes import grapheme_boundary

PARTS = [
    *("a", " ", "\r", "\n", "e\u0301", "\u0301", "\u200d", "\u200c", "\ufe0f", "👩", "👩‍👩‍👧"),
    *(
        "👍🏽",
        "🇩🇪",
        "🇩",
        "🏴\U000e0067\U000e0062\U000e007f",
        "한",
        "\u1100",
        "\u1161",
        "\u11a8",
        "각",
    ),
    *(
        "क्षि",
        "न",
        "\u094d",
        "\u093c",
        "ที่",
        "ำ",
        "กำ",
        "\u0600",
        "١",
        "ﾊﾞ",
        "が",
        "\u0903",
        "\U000110bd",
    ),
]
texts = st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.text(max_size=20)


def boundaries(text):
    return {0, len(text)} | {match.end() for match in regex.finditer(r"\X", text)}


@settings(max_examples=500)
@given(texts, st.integers(-2, 40))
def test_a_cut_is_at_a_boundary(text, position):
    found = grapheme_boundary(text, position)
    assert found in boundaries(text)
    assert found <= max(position, 0)


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_characters="\r\n")), st.integers(0, 40))
def test_plain_text_is_cut_anywhere(text, position):
    assert grapheme_boundary(text, position) == min(position, len(text))


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("🇩🇪🇫🇷", 3, 2),
        ("🇩🇪🇫🇷", 2, 2),
        ("👩‍👩‍👧x", 4, 0),
        ("a\r\nb", 2, 1),
        ("한글", 1, 1),
        ("\u1100\u1161\u11a8", 2, 0),
        ("e" + "\u0301" * 5000, 4000, 0),
        ("\u0924\u094d\u093c\u0924", 3, 0),
    ],
)
def test_known_cuts(text, position, expected):
    assert grapheme_boundary(text, position) == expected
