"""The filter guarantee at every selectivity, for every strategy (S7-S9).

Of 200 documents that all answer the query, 0, 1, 1 %, k - 1, k, k + 1, half and all match;
where the index was updated, documents that are deleted would match and rank first.
"""

import pytest

from octavo import HybridRAGStrategy, KeywordRAGStrategy, RAGContext, VectorRAGStrategy
from octavo.memory.bm25_index import BM25Index
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.memory.vector_store import VectorMemoryStore
from octavo.testing import FakeEmbedding
from tests.conformance import subjects
from tests.conformance.world import build, build_updated, text_of

SIZE = 200
K = 10
SHARES = (1, 2, K - 1, K, K + 1, SIZE // 2, SIZE)
LIMITS = (1, K, SIZE)
OVER_CORPORA = (
    *("keyword", "vector", "hybrid", "temporal", "temporal_vector", "temporal_own"),
    *("hierarchical", "hierarchical_flat", "hierarchical_own", "everything"),
    *("multi_query", "multi_query_vector", "multi_query_own", "reasoning_flat"),
    *("graph", "graph_csr", "graph_documents", "hybrid_graph"),
)


@pytest.fixture(scope="module", params=[build, build_updated])
def wide(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("wide") / "index", SIZE, shares=SHARES)


@pytest.mark.parametrize("name", OVER_CORPORA)
def test_as_many_as_match_come_back(wide, name):  # S8 S9
    strategy = getattr(subjects, name)(wide)
    for limit in LIMITS:
        for share in SHARES:
            filters = {f"share_{share}": "yes"}
            found = strategy.retrieve("common", RAGContext(limit, -1e300, filters))
            assert len(found) == min(limit, share), filters
            assert all(each.metadata[f"share_{share}"] == "yes" for each in found)
        for filters in ({"share_1": "maybe"}, {"share_1": "Yes"}, {"share_0": "yes"}):
            assert strategy.retrieve("common", RAGContext(limit, -1e300, filters)) == ()
        both = {"share_1": "yes", f"share_{SIZE}": "yes"}
        assert len(strategy.retrieve("common", RAGContext(limit, -1e300, both))) == 1


@pytest.mark.parametrize("name", ["keyword", "vector", "reasoning_flat"])
def test_the_best_of_what_matches(wide, name):  # S8: also the right ones
    strategy = getattr(subjects, name)(wide)
    ids = [each.metadata for each in strategy.retrieve("common", RAGContext(SIZE, -1e300))]
    for share in SHARES:
        matching = [each["entryId"] for each in ids if each[f"share_{share}"] == "yes"]
        found = strategy.retrieve("common", RAGContext(K, -1e300, {f"share_{share}": "yes"}))
        assert [each.metadata["entryId"] for each in found] == matching[:K]


@pytest.mark.parametrize("share", [0, *SHARES])
def test_memory_stores(share):  # S8 S11
    index, store = BM25Index(), VectorMemoryStore(FakeEmbedding())
    chosen = {(number * 53 + 29) % SIZE for number in range(share)}
    for number in range(SIZE):
        tier = MemoryTier.WORKING if number in chosen else MemoryTier.SEMANTIC
        entry = MemoryEntry(f"e{number}", text_of(number), tier)
        index.add(entry)
        store.add(entry)
    for strategy in (
        KeywordRAGStrategy(index),
        VectorRAGStrategy(store),
        HybridRAGStrategy(index, store),
    ):
        for limit in LIMITS:
            context = RAGContext(limit, -1e300, {"tier": "WORKING"})
            found = strategy.retrieve("common", context)
            assert len(found) == min(limit, share)
            assert all(each.metadata["tier"] == "WORKING" for each in found)
        for key in ("tenant", "source", "hybrid.streams"):
            context = RAGContext(K, -1e300, {key: "WORKING"})
            assert strategy.retrieve("common", context) == ()
