"""Hybrid: fusion of the two streams of one corpus (S9, S14, S20, S22, S23)."""

import os
import signal
import sys
import threading
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, HybridRAGStrategy, InvalidArgumentError, RAGContext, parallel
from octavo.strategies import hybrid


def exact_fusion(keyword, vector, limit):
    """S22 in exact arithmetic, over two lists of ids."""
    streams = [stream for stream in (keyword, vector) if stream]
    scores = {}
    for stream in streams:
        for rank, document in enumerate(stream, start=1):
            scores[document] = scores.get(document, 0) + Fraction(61, 60 + rank)
    order = sorted(scores, key=lambda document: (-scores[document], int(document[1:])))
    return [(document, float(scores[document] / len(streams))) for document in order[:limit]]


def ids_of(corpus, query, strategy, limit=100, **filters):
    hits = corpus.search(query, strategy=strategy, max_results=limit, min_score=-2, filters=filters)
    return [hit.metadata["entryId"] for hit in hits]


QUERIES = ["red fox", "whale", "title fox owl", "quick brown", "nothing known", "d3 2006"]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("filters", [{}, {"tier": "WORKING"}, {"year": "2005"}])
def test_scores_are_those_of_exact_arithmetic(corpus, query, filters):  # S9 S22
    keyword = ids_of(corpus, query, "keyword", **filters)
    vector = ids_of(corpus, query, "vector", **filters)
    hits = corpus.search(query, strategy="hybrid", filters=filters, max_results=5)
    expected = exact_fusion(keyword, vector, 5)
    assert [hit.metadata["entryId"] for hit in hits] == [document for document, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], rel=1e-15)


def test_first_in_every_stream_scores_exactly_one(corpus):  # S22
    assert corpus.search("fox fox fox", strategy="hybrid")[0].score == 1.0


def test_an_all_zero_query_vector_gives_no_stream(corpus):  # S20 S22
    alone = corpus.search("fox", strategy="keyword")
    fused = corpus.search("fox", strategy="hybrid", query_vector=[0.0] * 128)
    assert [hit.metadata["entryId"] for hit in fused] == [hit.metadata["entryId"] for hit in alone]
    assert fused[0].score == 1.0
    assert {hit.metadata["hybrid.streams"] for hit in fused} == {"keyword"}


def test_each_hit_says_where_it_came_from(corpus):  # S23
    query = "red fox"
    keyword = {
        hit.metadata["entryId"]: (rank, hit.score)
        for rank, hit in enumerate(corpus.search(query, strategy="keyword"), start=1)
    }
    vector = {
        hit.metadata["entryId"]: (rank, hit.score)
        for rank, hit in enumerate(corpus.search(query, strategy="vector", min_score=-2), start=1)
    }
    for hit in corpus.search(query, strategy="hybrid"):
        expected = {}
        for name, stream in (("keyword", keyword), ("vector", vector)):
            if hit.metadata["entryId"] in stream:
                rank, score = stream[hit.metadata["entryId"]]
                expected[f"hybrid.{name}.rank"] = str(rank)
                expected[f"hybrid.{name}.score"] = repr(score)
        told = {key: value for key, value in hit.metadata.items() if key.startswith("hybrid.")}
        streams = told.pop("hybrid.streams").split(",")
        assert told == expected
        assert streams == [name for name in ("keyword", "vector") if f"hybrid.{name}.rank" in told]


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """300 documents; words and vectors rank them in opposite orders."""
    rows = 300
    table = pa.table(
        {
            "id": [f"d{row}" for row in range(rows)],
            "text": [
                "word " * (row // 3 + 1) + "filler " * (100 - row // 3) for row in range(rows)
            ],
            "v": [[1.0, row / rows] for row in range(rows)],
        }
    )
    path = tmp_path_factory.mktemp("deep") / "index"
    return Corpus.build(table, path, embedding="column:v")


@pytest.mark.parametrize(("limit", "option", "depth"), [
    (10, {}, 100), (150, {}, 150), (10, {"candidate_depth": 20}, 20),
    (30, {"candidate_depth": 20}, 30),
])  # fmt: skip
def test_the_candidate_depth(deep, limit, option, depth):  # S14
    hits = deep.search_batch(
        ["word"], query_vectors=[[1.0, 0.0]], strategy="hybrid", max_results=limit, **option
    )
    seen = [rank for rank in hits["keyword_rank"].to_pylist() if rank is not None]
    assert max(seen) <= depth
    everything = deep.search_batch(
        ["word"], query_vectors=[[1.0, 0.0]], strategy="hybrid", max_results=300,
        candidate_depth=depth,
    )  # fmt: skip
    assert max(r for r in everything["keyword_rank"].to_pylist() if r is not None) == 300
    single = deep.search_batch(["word"], strategy="keyword", max_results=depth)["id"].to_pylist()
    vector = deep.search_batch(
        [""], query_vectors=[[1.0, 0.0]], strategy="vector", max_results=depth
    )["id"].to_pylist()
    expected = exact_fusion(single, vector, limit)
    assert hits["id"].to_pylist() == [document for document, _ in expected]


def test_top_k_is_a_prefix_at_one_depth(deep):  # S12
    def found(limit):
        return deep.search_batch(
            ["word filler"], query_vectors=[[0.0, 1.0]], strategy="hybrid", max_results=limit
        )["id"].to_pylist()

    whole = found(100)
    assert all(found(limit) == whole[:limit] for limit in (1, 2, 10, 50, 99))


def test_built_by_hand(corpus):
    strategy = HybridRAGStrategy(corpus.keyword_index, corpus.vector_store)
    assert strategy.name == "hybrid"
    assert strategy.retrieve("fox", RAGContext()) == corpus.search("fox", strategy="hybrid")


@pytest.fixture
def overlapping(monkeypatch):
    """Streams overlap however few rows there are, and a processor is free."""
    monkeypatch.setattr(hybrid, "_ROWS_TO_OVERLAP", 0)
    monkeypatch.setattr(parallel, "_HELPERS", parallel._Helpers())
    monkeypatch.setattr(parallel, "available_threads", lambda: 2)


class Watched:
    """A corpus that notes on which thread its words are looked for."""

    def __init__(self, snapshot):
        self._snapshot = snapshot
        self.threads = []

    def __getattr__(self, name):
        return getattr(self._snapshot, name)

    def rank_keyword(self, texts, depth, selection):
        self.threads.append(threading.current_thread())
        return self._snapshot.rank_keyword(texts, depth, selection)


def test_few_rows_do_not_pay_for_a_thread(corpus, monkeypatch):
    monkeypatch.setattr(parallel, "available_threads", lambda: 2)
    watched = Watched(corpus.keyword_index)
    strategy = HybridRAGStrategy(watched, watched)
    assert strategy.retrieve("red fox")
    assert watched.threads == [threading.current_thread()]


@pytest.mark.parametrize("filters", [{}, {"tier": "WORKING"}])
def test_streams_that_overlap_give_the_same(corpus, overlapping, filters):  # S5 S6
    watched = Watched(corpus.keyword_index)
    strategy = HybridRAGStrategy(watched, watched)
    context = RAGContext(5, metadata_filters=filters)
    overlapped = [strategy.retrieve(query, context) for query in QUERIES]
    table = strategy.retrieve_batch(QUERIES, context)
    assert threading.current_thread() not in watched.threads
    with pytest.MonkeyPatch.context() as one_processor:
        one_processor.setattr(parallel, "available_threads", lambda: 1)
        assert [strategy.retrieve(query, context) for query in QUERIES] == overlapped
        assert strategy.retrieve_batch(QUERIES, context).equals(table)
    assert watched.threads[-1] is threading.current_thread()


def test_a_batch_over_a_corpus_keeps_to_its_threads(corpus, overlapping, monkeypatch):
    watched = Watched(corpus.keyword_index)
    strategy = HybridRAGStrategy(watched, watched)
    monkeypatch.setattr(parallel, "available_threads", lambda: 8)
    found = list(parallel.ordered_map(strategy.retrieve, QUERIES, threads=1))
    assert found == [strategy.retrieve(query) for query in QUERIES]
    assert watched.threads[: len(QUERIES)] == [threading.current_thread()] * len(QUERIES)


def test_errors_of_overlapping_streams(corpus, overlapping):  # S43
    with pytest.raises(InvalidArgumentError, match="dimensions"):
        corpus.search("fox", strategy="hybrid", query_vector=np.ones(3))
    assert corpus.search("fox", strategy="hybrid")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python warns of any fork beside threads")
def test_a_process_forked_after_a_search_searches(corpus, overlapping):
    strategy = corpus.strategy("hybrid")
    before = strategy.retrieve("red fox")
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if strategy.retrieve("red fox") == before else 1)
    assert os.waitpid(child, 0)[1] == 0
