"""Synonyms from a user's own table (S25)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import RAGContext
from octavo.errors import ConfigurationError
from octavo.spi import QueryExpander, QueryExpansion
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.synonym_expander import SynonymExpander


def expanded(table, query, limit=100):
    return list(SynonymExpander(table).expand(query, QueryExpansion.SYNONYM, "table", limit))


@pytest.mark.parametrize(("query", "expected"), [
    ("car", ["automobile", "vehicle"]),
    ("My CAR, please!", ["My automobile, please!", "My vehicle, please!"]),
    ("scar cars carpet", []),
    ("", []), ("  ", []), ("?!", []),
    ("car car", ["automobile automobile", "vehicle vehicle"]),
    ("new  York car", ["NYC car", "new  York automobile", "the big apple car", "new  York vehicle"]),
    ("york new", []),
    ("New York City", ["Gotham"]),
    ("my.car", ["my.automobile", "my.vehicle"]),
    ("ｃａｒ", ["automobile", "vehicle"]),
    ("Straße", ["road"]), ("STRASSE", ["road"]),
    ("\ud800 car", ["\ud800 automobile", "\ud800 vehicle"]),
    ("🚗 car 🚗", ["🚗 automobile 🚗", "🚗 vehicle 🚗"]),
])  # fmt: skip
def test_whole_words_and_phrases(query, expected):
    table = {
        "car": ["automobile", "vehicle"], "new york": ["NYC", "the big apple"],
        "new york city": ["Gotham"], "straße": ["road"],
    }  # fmt: skip
    assert expanded(table, query) == expected


def test_every_phrase_has_a_turn_before_any_has_its_second():
    table = {"b": ["b1", "b2", "b3"], "a": ["a1"]}
    assert expanded(table, "a b") == ["a1 b", "a b1", "a b2", "a b3"]
    assert expanded(table, "a b", 2) == ["a1 b", "a b1"]


def test_a_synonym_that_is_the_word_itself_gives_nothing():
    assert expanded({"a": ["a", "b", "b"]}, "a c") == ["b c"]


def test_synonyms_of_synonyms_are_not_followed():
    assert expanded({"a": ["b"], "b": ["c"]}, "a") == ["b"]


@given(
    st.text(), st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from("xyz"), max_size=3))
)
def test_any_query_is_legal_and_variants_are_distinct(query, table):
    variants = expanded(table, query)
    assert len(set(variants)) == len(variants)
    assert query not in variants
    assert variants == expanded(table, query)


@pytest.mark.parametrize("table", [
    {"": ["a"]}, {"?!": ["a"]}, {3: ["a"]}, {"a": "b"}, {"a": None}, {"a": [""]}, {"a": ["b", " "]},
    {"a": [3]}, {"a": ["b"], "A": ["c"]},
])  # fmt: skip
def test_tables_that_are_mistakes(table):
    with pytest.raises(ConfigurationError, match="synonyms"):
        SynonymExpander(table)


def test_only_synonyms_are_written():
    with pytest.raises(ConfigurationError, match="SYNONYM"):
        SynonymExpander({}).expand("a", QueryExpansion.HYDE, "table", 3)


def test_as_an_expander(corpus):  # S25
    expander = SynonymExpander({"vixen": ["red fox"]})
    assert isinstance(expander, QueryExpander)
    keyword = corpus.strategy("keyword")
    strategy = MultiQueryRAGStrategy(keyword, expander, QueryExpansion.SYNONYM, "table", 3)
    assert not keyword.retrieve("vixen")
    found = [hit.metadata["entryId"] for hit in strategy.retrieve("vixen", RAGContext())]
    assert found == [hit.metadata["entryId"] for hit in keyword.retrieve("red fox")]
