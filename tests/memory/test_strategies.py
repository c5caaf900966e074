"""Vector, keyword and hybrid retrieval over the stores: filters, joins, thresholds."""

import math

import pytest

from octavo.memory import BM25Index, HybridMemoryRetriever, MemoryTier, VectorMemoryStore
from octavo.memory.entries import EntryDocuments
from octavo.spi import RAGContext
from octavo.strategies.hybrid import HybridRAGStrategy
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.vector import VectorRAGStrategy
from tests.memory.stores import entry, keyword_store, letters, vector_store

ENTRIES = [
    entry("s1", "a a a", MemoryTier.SEMANTIC),
    entry("s2", "a a", MemoryTier.SEMANTIC),
    entry("w1", "a b b c", MemoryTier.WORKING),
    entry("w2", "b", MemoryTier.WORKING),
    entry("e1", "", MemoryTier.EPISODIC),
]


def strategies(entries):
    words, vectors = keyword_store(entries), vector_store(entries)
    retriever = HybridMemoryRetriever(words, vectors)
    return [
        KeywordRAGStrategy(words),
        VectorRAGStrategy(vectors),
        HybridRAGStrategy(words, vectors),
        HybridRAGStrategy(retriever),
    ]


NUMBERS = range(4)


@pytest.mark.parametrize("number", NUMBERS)
def test_filters_act_before_max_results(number):
    # S8: the best WORKING entry comes back though SEMANTIC ones rank first
    strategy = strategies(ENTRIES)[number]
    (first,) = strategy.retrieve("a", RAGContext(1))
    assert first.metadata["tier"] == "SEMANTIC"
    context = RAGContext(1).with_metadata_filters({"tier": "WORKING"})
    (found,) = strategy.retrieve("a", context)
    assert (found.metadata["entryId"], found.metadata["tier"]) == ("w1", "WORKING")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("key", ["tenant", "source", "hybrid.streams", "Tier"])
def test_an_unknown_key_returns_nothing(number, key):
    # S7, S11
    context = RAGContext().with_metadata_filters({key: "keyword,vector"})
    assert strategies(ENTRIES)[number].retrieve("a", context) == ()


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("admitted", [0, 1, 4, 5, 6, 40])
def test_no_candidate_limit_loses_a_match(number, admitted):
    # S8 at selectivities of none, one, k - 1, k, k + 1 and all
    tiers = [MemoryTier.SEMANTIC] * (40 - admitted) + [MemoryTier.WORKING] * admitted
    entries = [
        entry(f"id{row}", "a " + "b " * row, tier) for row, tier in enumerate(tiers)
    ]  # those admitted rank last
    context = RAGContext(5).with_metadata_filters({"tier": "WORKING"})
    found = strategies(entries)[number].retrieve("a", context)
    assert len(found) == min(5, admitted)
    assert {document.metadata["tier"] for document in found} <= {"WORKING"}


@pytest.mark.parametrize("number", NUMBERS)
def test_batches_equal_single_queries(number):
    # S5
    strategy = strategies(ENTRIES)[number]
    queries = ["a", "", "b c", "nothing known", "a b"]
    table = strategy.retrieve_batch(queries).to_pylist()
    single = [
        (str(position), document.metadata["entryId"], document.score)
        for position, query in enumerate(queries)
        for document in strategy.retrieve(query)
    ]
    assert [(row["query_id"], row["id"], row["score"]) for row in table] == single


@pytest.mark.parametrize("number", NUMBERS)
def test_min_score_is_inclusive(number):
    # S10
    strategy = strategies(ENTRIES)[number]
    best, second = strategy.retrieve("a")[:2]
    assert best.score > second.score or number == 1
    found = strategy.retrieve("a", RAGContext(10, second.score))
    assert [document.score for document in found] == [best.score, second.score]


def test_hybrid_joins_by_entry_id_never_by_text():
    # S22, S23: the stores hold different entries in different order; two have equal text
    texts = {"p": "a", "q": "a", "r": "a b", "s": "b"}
    words, vectors = BM25Index(), VectorMemoryStore(letters)
    words.add([entry(identifier, texts[identifier]) for identifier in "pr"])
    vectors.add([entry(identifier, texts[identifier]) for identifier in "srq"])
    found = HybridRAGStrategy(words, vectors).retrieve("a")
    ranks = {
        document.metadata["entryId"]: (
            document.metadata.get("hybrid.keyword.rank"),
            document.metadata.get("hybrid.vector.rank"),
        )
        for document in found
    }
    assert ranks == {"p": ("1", None), "r": ("2", "2"), "q": (None, "1"), "s": (None, "3")}
    expected = {
        identifier: sum(61 / (60 + int(rank)) for rank in pair if rank) / 2
        for identifier, pair in ranks.items()
    }
    for document in found:
        assert math.isclose(document.score, expected[document.metadata["entryId"]])
        assert document.content == texts[document.metadata["entryId"]]
    # The best first; equal ranks in different streams tie, and go by row of the joined stores.
    assert [document.metadata["entryId"] for document in found] == ["r", "p", "q", "s"]


def test_hybrid_documents_of_each_stream_are_described():
    # S23
    (only,) = HybridRAGStrategy(*strategies_stores([ENTRIES[3]])).retrieve("b")
    assert only.score == 1.0
    assert only.metadata["hybrid.streams"] == "keyword,vector"
    assert only.metadata["hybrid.vector.score"] == "1.0"
    (unsaid,) = HybridRAGStrategy(*strategies_stores([ENTRIES[3]])).retrieve(
        "b", RAGContext(5, 1.0)
    )
    assert unsaid == only


def strategies_stores(entries):
    return keyword_store(entries), vector_store(entries)


def test_an_all_zero_query_gives_an_empty_vector_stream():
    # S20, S22: one stream is not empty, so its best scores 1.0
    words, vectors = strategies_stores([entry("x", "zz"), entry("y", "a")])
    assert len(VectorRAGStrategy(vectors).retrieve("zz")) == 2
    (found,) = HybridRAGStrategy(words, vectors).retrieve("zz")
    assert (found.score, found.metadata["hybrid.streams"]) == (1.0, "keyword")


@pytest.mark.parametrize("number", NUMBERS)
def test_stores_emptied_while_held(number):
    # S13
    words, vectors = strategies_stores(ENTRIES)
    strategy = [
        KeywordRAGStrategy(words),
        VectorRAGStrategy(vectors),
        HybridRAGStrategy(words, vectors),
        HybridRAGStrategy(HybridMemoryRetriever(words, vectors)),
    ][number]
    before = strategy.retrieve("a b")
    for store, each in [(store, each) for store in (words, vectors) for each in ENTRIES]:
        assert store.remove(each.id)
    assert strategy.retrieve("a b") == ()
    assert strategy.retrieve_batch(["a", "b"]).num_rows == 0
    for store in (words, vectors):
        store.add(ENTRIES)
    assert strategy.retrieve("a b") == before


@pytest.mark.parametrize("number", NUMBERS)
def test_a_call_sees_one_state_of_the_stores(number, monkeypatch):
    # Another thread adds and removes between the filter and the ranking.
    words, vectors = strategies_stores(ENTRIES)
    strategy = [
        KeywordRAGStrategy(words),
        VectorRAGStrategy(vectors),
        HybridRAGStrategy(words, vectors),
        HybridRAGStrategy(HybridMemoryRetriever(words, vectors)),
    ][number]
    context = RAGContext().with_metadata_filters({"tier": "WORKING"})
    before = strategy.retrieve("a b", context)
    select = EntryDocuments.select

    def select_and_change(self, filters):
        selection = select(self, filters)
        for store in (words, vectors):
            store.remove("s1")
            store.add(entry("new", "a b", MemoryTier.SEMANTIC))
        return selection

    monkeypatch.setattr(EntryDocuments, "select", select_and_change)
    assert strategy.retrieve("a b", context) == before
    assert len(words) == len(vectors) == len(ENTRIES)


def test_retriever_settings_are_those_of_the_fusion():
    # S14, S22
    words, vectors = strategies_stores(ENTRIES)
    found = HybridRAGStrategy(HybridMemoryRetriever(words, vectors, rrf_k=0)).retrieve("a")
    for document in found:
        ranks = [document.metadata.get(f"hybrid.{each}.rank") for each in ("keyword", "vector")]
        assert document.score == pytest.approx(sum(1 / int(rank) for rank in ranks if rank) / 2)
    shallow = HybridMemoryRetriever(words, vectors, candidate_depth=1)
    assert len(HybridRAGStrategy(shallow).retrieve("a", RAGContext(1))) == 1


@pytest.mark.parametrize("number", NUMBERS)
def test_longer_results_begin_with_shorter_ones(number):
    # S12
    strategy = strategies(ENTRIES)[number]
    longest = strategy.retrieve("a b c", RAGContext(5, -1.0))
    for depth in range(1, 6):
        assert strategy.retrieve("a b c", RAGContext(depth, -1.0)) == longest[:depth]
