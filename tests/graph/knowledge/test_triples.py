"""Triples by their ends and their words (S83)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.knowledge.triples import Triple, TripleSet, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Auth-Service, v2!", ["the", "auth", "service", "v2"]),
        ("snake_case", ["snake", "case"]),
        ("Größe", ["gr", "e"]),
        ("İstanbul", ["i", "stanbul"]),
        ("東京 ０１", []),
        ("\u212aelvin", ["kelvin"]),
        ("", []),
    ],
)
def test_words_are_ascii(text, words):  # S83
    assert words_of(text) == words
    assert words_of(text) == [word for word in re.split("[^a-z0-9]+", text.lower()) if word]


TRIPLES = st.builds(Triple, *[st.sampled_from(["a", "b", "A b", "b-c", "東"])] * 3)


@given(st.lists(st.tuples(st.booleans(), TRIPLES), max_size=30))
def test_it_is_a_set_in_the_order_of_addition(changes):  # S83
    triples, plain = TripleSet(), {}
    for adds, triple in changes:
        if adds:
            assert triples.add(triple) == (triple not in plain)
            plain[triple] = None
        else:
            assert triples.remove(triple) == (triple in plain)
            plain.pop(triple, None)
    assert list(triples) == list(plain)
    assert len(triples) == len(plain)
    for end in ("a", "A b", "東", "nobody"):
        assert list(triples.touching(end)) == [
            each for each in plain if end in (each.subject, each.object)
        ]
    for word in ("a", "b", "c", "d"):
        assert list(triples.having(word)) == [
            each for each in plain if any(word in words_of(part) for part in each)
        ]
    for triple in list(plain):
        assert triple in triples
        triples.remove(triple)
    # Nothing stays behind.
    assert triples.__dict__ == TripleSet().__dict__
