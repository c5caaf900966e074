"""The keyword store against a plain-Python BM25, and against itself built afresh."""

import math
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from octavo.analysis import Analyzer
from octavo.errors import InvalidArgumentError
from octavo.memory import BM25Index, MemoryTier, postings
from octavo.strategies.sources import KeywordSource
from tests.engines.keyword.bm25_oracle import RELATIVE_TOLERANCE, Bm25Oracle
from tests.memory.stores import TIERS, entry, keyword_store, ranked_by_words

WORDS = ["fox", "whale", "owl", "red", "snake_case", "日本語", ""]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
IDS = st.sampled_from([f"id{number}" for number in range(12)])
QUERIES = ["fox red", "whale", "owl owl snake", "日本", "nowhere", ""]


def oracle_ranking(entries, query, depth):
    analyzer = Analyzer()
    oracle = Bm25Oracle([analyzer.tokens(each.content) for each in entries])
    return [(entries[row].id, score) for row, score in oracle.ranked(analyzer.tokens(query), depth)]


class KeywordStoreMachine(RuleBasedStateMachine):
    """Whatever happens to a store, it answers as one that was just made of what it holds."""

    @initialize()
    def begin(self):
        self.index = BM25Index()
        self.model = {}

    @rule(identifier=IDS, text=TEXTS, tier=st.sampled_from(TIERS))
    def add(self, identifier, text, tier):
        self.model[identifier] = entry(identifier, text, tier)
        self.index.add(self.model[identifier])

    @rule(batch=st.lists(st.tuples(IDS, TEXTS), max_size=8))
    def add_many(self, batch):
        entries = [entry(identifier, text) for identifier, text in batch]
        self.index.add(iter(entries))
        self.model.update({each.id: each for each in entries})

    @rule(identifier=IDS)
    def remove(self, identifier):
        assert self.index.remove(identifier) == (self.model.pop(identifier, None) is not None)

    @rule(query=st.sampled_from(QUERIES), depth=st.integers(1, 15))
    def search(self, query, depth):
        found = ranked_by_words(self.index, query, depth)
        # S21: the same bits as a fresh index, and the scores of the formula.
        assert found == ranked_by_words(keyword_store(self.model.values()), query, depth)
        expected = oracle_ranking([*self.model.values()], query, depth)
        assert len(found) == len(expected)
        for (_, score), (_, exact) in zip(found, expected, strict=True):
            assert math.isclose(score, exact, rel_tol=RELATIVE_TOLERANCE)

    @invariant()
    def holds_what_a_dictionary_holds(self):
        # S31
        assert len(self.index) == len(self.model)
        assert list(self.index) == list(self.model.values())


TestKeywordStoreMachine = KeywordStoreMachine.TestCase
TestKeywordStoreMachine.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)


@pytest.mark.parametrize("small", [0, 256])
def test_one_by_one_equals_at_once(monkeypatch, small):
    # S6, S21: the same bits, however the entries came and wherever they are stored
    monkeypatch.setattr(postings, "_TIERS", replace(postings._TIERS, small_rows=small))
    texts = [f"word{number % 7} other{number % 3} {'fox ' * (number % 4)}" for number in range(120)]
    entries = [entry(f"id{number}", text) for number, text in enumerate(texts)]
    index = BM25Index()
    for number, each in enumerate(entries):
        index.add(each)
        if number % 5 == 4:
            assert ranked_by_words(index, "fox", 1)
    bulk = keyword_store(entries)
    for query in ("fox", "word1 other2", "word6 fox fox", "other0"):
        assert ranked_by_words(index, query, 200) == ranked_by_words(bulk, query, 200)
    assert len(bulk.snapshot().runs) == 1
    assert len(index.snapshot().runs) > 1 or small


def test_ties_are_in_the_order_of_the_entries():
    # S6
    index = keyword_store([entry(identifier, "fox") for identifier in "bca"])
    assert [identifier for identifier, _ in ranked_by_words(index, "fox")] == ["b", "c", "a"]
    index.add(entry("c", "fox"))  # keeps its place
    index.remove("b")
    index.add(entry("b", "fox"))  # comes last
    assert [identifier for identifier, _ in ranked_by_words(index, "fox")] == ["c", "a", "b"]


def test_it_is_a_keyword_source():
    assert isinstance(BM25Index(), KeywordSource)
    assert isinstance(BM25Index().snapshot(), KeywordSource)


def test_empty_stores_answer():
    # S13
    index = BM25Index()
    assert ranked_by_words(index, "fox") == []
    index.add([])
    index.add(entry("a", "fox"))
    index.remove("a")
    assert ranked_by_words(index, "fox") == []
    assert index.rows == len(index) == 0


def test_a_snapshot_outlives_what_happens_to_the_store():
    index = keyword_store([entry("a", "fox"), entry("b", "fox owl")])
    held = index.snapshot()
    before = ranked_by_words(held, "fox owl")
    index.remove("a")
    index.add(entry("b", "whale"))
    assert ranked_by_words(index, "fox owl") == []
    index.remove("b")
    assert ranked_by_words(held, "fox owl") == before
    assert [document.id for document in held.documents(held.rows_of(["a", "b"]))] == ["a", "b"]


def test_hostile_text_is_legal():
    # S21: nothing reaches a query parser; a lone surrogate separates words
    texts = ['a AND "b" OR (c:d)', "fox\ud800owl", "😀 x" * 3, "z" * 100_000, "null \x00 byte"]
    index = BM25Index()
    index.add([entry(str(number), text) for number, text in enumerate(texts)])
    for number, text in enumerate(texts):
        index.add(entry(f"again {number}", text))
        assert {str(number), f"again {number}"} <= dict(ranked_by_words(index, text)).keys()
    assert dict(ranked_by_words(index, "owl")).keys() == {"1", "again 1"}


def test_an_analyser_of_ones_own():
    index = BM25Index(analyzer=Analyzer("en", stem=True))
    index.add(entry("a", "Agents running"))
    index.add([entry("b", "an agent"), entry("c", "runs")])
    assert dict(ranked_by_words(index, "agents run")).keys() == {"a", "b", "c"}


@pytest.mark.parametrize("bad", [None, "text", 7, [entry("a"), None], [MemoryTier.WORKING], ["a"]])
def test_what_is_no_entry_is_refused(bad):
    index = keyword_store([entry("z", "fox")])
    with pytest.raises(InvalidArgumentError, match="expected a MemoryEntry"):
        index.add(bad)
    assert [each.id for each in index] == ["z"]  # nothing half added


def test_a_failed_flush_loses_nothing(monkeypatch):
    index = keyword_store([entry("a", "fox"), entry("b", "fox")])
    ranked_by_words(index, "fox")
    index.remove("a")
    index.add([entry("c", "fox"), entry("b", "fox fox")])

    def full(*arguments, **options):
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(postings, "write_segment", full)
        with pytest.raises(OSError, match="no space"):
            ranked_by_words(index, "fox")
        index.remove("c")
        index.add(entry("a", "fox"))
        with pytest.raises(OSError, match="no space"):
            ranked_by_words(index, "fox")
    expected = keyword_store([entry("b", "fox fox"), entry("a", "fox")])
    assert ranked_by_words(index, "fox") == ranked_by_words(expected, "fox")


@pytest.mark.slow
def test_a_hundred_thousand_one_by_one_equal_a_bulk_build():
    # Issue 3: with a search after every hundred
    entries = [
        entry(f"id{number}", " ".join(f"w{number * factor % 7919}" for factor in range(1, 11)))
        for number in range(100_000)
    ]
    index = BM25Index()
    for number, each in enumerate(entries, 1):
        index.add(each)
        if number % 100 == 0:
            assert ranked_by_words(index, f"w{number % 7919}", 3)
    bulk = keyword_store(entries)
    for query in ("w1 w2", "w77 w400 w5000", "w7918"):
        assert ranked_by_words(index, query, 500) == ranked_by_words(bulk, query, 500)
    assert len(index.snapshot().runs) < 30
