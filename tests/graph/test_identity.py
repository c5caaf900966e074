"""One key for the names of one entity (S82)."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from octavo.graph.identity import identity_key


def plain_key(name):
    """The rule word by word, one character at a time."""
    kept = []
    for character in unicodedata.normalize("NFKC", name).lower():
        category = unicodedata.category(character)
        kept.append(character if category[0] == "L" or category == "Nd" else " ")
    words = [word for word in "".join(kept).split(" ") if word]
    if len(words) > 1 and words[0] in {"a", "an", "the"}:
        words = words[1:]
    return " ".join(words)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Auth Service", "auth service"),
        ("the auth service", "auth service"),
        ("The  Auth-Service!", "auth service"),
        ("auth_service", "auth service"),
        ("東京", "東京"),
        ("ılık", "ılık"),
        ("İstanbul", "i stanbul"),
        ("IŞIK", "işik"),
        ("Straße", "straße"),
        ("STRASSE", "strasse"),
        ("ẞ", "ß"),
        ("Übergrößenträger", "übergrößenträger"),
        ("ΟΔΟΣ", "οδος"),
        ("ΑΘΗΝΑ ΑΘΗΝΑΣ", "αθηνα αθηνας"),
        ("ﬁle ｄａｔａ ①", "file data 1"),
        ("５０％", "50"),
        ("Ⅷ", "viii"),
        ("ﾄｳｷｮｳ", "トウキョウ"),
        ("e\u0301tude", "étude"),
        ("a", "a"),
        ("The", "the"),
        ("the the", "the"),
        ("an A", "a"),
        ("Another", "another"),
        ("C++", "c"),
        ("〇", ""),
        ("", ""),
        (" \n\t", ""),
        ("\ud800x\ud800", "x"),
    ],
)
def test_examples(name, key):  # S82
    assert identity_key(name) == key
    assert plain_key(name) == key


def test_every_character_is_folded_as_the_rule_says():  # S82
    points = [*range(0x32400), *range(0xE0000, 0xE0200), sys.maxunicode]
    names = [f"x{chr(point)}Y" for point in points]
    assert [identity_key(name) for name in names] == [plain_key(name) for name in names]


@given(st.text() | st.text("aAnThe \n-İΣß1²"))
@example("a\nthe\nx")
def test_it_is_the_plain_rule(name):  # S82
    assert identity_key(name) == plain_key(name)
