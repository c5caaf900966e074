"""Nothing hidden is left in what a model reads."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.visible import printable, visible, visible_line

HIDDEN = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\t\n\r\v\f"),
    *(chr(code) for code in range(0x7F, 0xA0) if code != 0x85),
    *"\u180e\u2060\u2061\u2062\u2063\u2064\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\u206a\u206f\ufeff\ufff9\ufffa\ufffb\ufffe\uffff\ud800\udbff\udc00\udfff",
    *(chr(code) for code in range(0xE0000, 0xE0080)),
]


@pytest.mark.parametrize("character", HIDDEN, ids=lambda each: f"U+{ord(each):04X}")
def test_hidden_characters_are_named(character):
    assert visible(f"a{character}b") == f"a[U+{ord(character):04X}]b"


@pytest.mark.parametrize("kind", ["\r\n", "\r", "\n", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_every_line_break_is_a_line_feed(kind):
    assert visible(f"a{kind}b") == "a\nb"
    assert visible_line(f"a{kind}b") == "a[U+000A]b"


@pytest.mark.parametrize(
    "text", ["a\tb", "می‌خواهم", "👩‍👩‍👧", "❤️", "\u200eA\u200f", "葛\U000e0100", "é\u0301"]
)
def test_what_scripts_need_stays(text):
    assert visible(text) == text


def test_data_in_variation_selectors_shows():
    assert visible("A\ufe0f\ufe0e\U000e0131") == "A\ufe0f[U+FE0E][U+E0131]"


@given(st.text(st.characters(codec=None)))
def test_what_is_left_can_be_written_and_seen(text):
    shown = visible(text)
    shown.encode()
    assert visible(shown) == shown
    assert not {each for each in shown if unicodedata.category(each) in {"Cc", "Cs"}} - {"\t", "\n"}


@given(st.text(st.characters(codec=None)))
def test_one_line_is_one_line(text):
    assert len(visible_line(text).splitlines()) <= 1


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_printable_text_keeps_its_length_and_stays_on_one_line(text):
    assert len(printable(text)) == len(text)
    assert re.sub("[\u200c\u200d]", "", printable(text)).isprintable()
