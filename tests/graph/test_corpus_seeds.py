"""Where a walk over a corpus starts: its own search (S20, S21, S22, S24)."""

from itertools import pairwise

import numpy as np
import pytest

from octavo import ConfigurationError, Corpus, CorpusGraph, DimensionMismatchError, GraphSeeds
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.bounds import WalkBounds
from tests.graph.corpora import IDS, OPTIONS, table
from tests.graph.stored_graphs import with_graph

QUERIES = ["fox", "owl x", "nothing known", "name3"]


class Counting:
    """An embedding of three numbers that counts how often it is asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, text):
        self.asked.append(text)
        if text == "nothing known":
            return [0.0, 0.0, 0.0]
        words = text.split()
        return [words.count("fox") - 1.5, words.count("owl") - 0.5, len(words) / 10]


@pytest.fixture
def corpus(tmp_path):
    options = {**OPTIONS, "embedding": Counting()}
    return with_graph(Corpus.build(table(IDS), tmp_path / "index", **options), EDGES)


EDGES = [(IDS[0], "to", IDS[1]), (IDS[1], "to", "gone")]


def seeds_of(corpus, kind, queries=QUERIES, limit=5, vectors=None):
    graph = CorpusGraph(corpus.keyword_index, kind)
    hits, _ = graph.rank_seeds(queries, limit, None, vectors)
    ids, bounds = graph.nodes.ids(hits.rows), hits.offsets.tolist()
    pairs = list(zip(ids, hits.scores.tolist(), strict=True))
    return [pairs[start:stop] for start, stop in pairwise(bounds)]


def found_by(corpus, strategy, query, limit=5, **options):
    hits = corpus.search(query, strategy=strategy, max_results=limit, min_score=-2.0, **options)
    return [(hit.metadata["entryId"], hit.score) for hit in hits]


def test_by_keyword(corpus):  # S21
    expected = [found_by(corpus, "keyword", query) for query in QUERIES]
    assert seeds_of(corpus, GraphSeeds.KEYWORD) == expected


def test_by_vector_above_zero(corpus):  # S20
    expected = [
        [pair for pair in found_by(corpus, "vector", query) if pair[1] > 0] for query in QUERIES
    ]
    assert seeds_of(corpus, GraphSeeds.VECTOR) == expected
    assert expected[2] == []
    assert any(pair[1] <= 0 for query in QUERIES for pair in found_by(corpus, "vector", query, 10))


def test_by_both(corpus):  # S22
    for limit in (1, 3, 10):
        found = seeds_of(corpus, GraphSeeds.HYBRID, limit=limit)
        for query, pairs in zip(QUERIES, found, strict=True):
            worded = [name for name, _ in found_by(corpus, "keyword", query, limit)]
            near = [name for name, cosine in found_by(corpus, "vector", query, limit) if cosine > 0]
            streams = [stream for stream in (worded, near) if stream]
            scores = {
                name: sum(61 / (61 + each.index(name)) for each in streams if name in each)
                / len(streams)
                for name in {*worded, *near}
            }
            order = sorted(scores, key=lambda name: (-scores[name], IDS.index(name)))[:limit]
            assert [name for name, _ in pairs] == order
            assert [score for _, score in pairs] == pytest.approx([scores[each] for each in order])


def test_unset_both_where_vectors_are_real(corpus, tmp_path):  # S24
    assert seeds_of(corpus, None) == seeds_of(corpus, GraphSeeds.HYBRID)
    assert seeds_of(corpus, None) != seeds_of(corpus, GraphSeeds.KEYWORD)
    given = np.array([[1.0, 0.0, 0.0]] * 4)
    # Whoever has no function can still bring vectors.
    closed = with_graph(Corpus.open(corpus.path), EDGES)
    assert not closed.embeds_queries
    assert seeds_of(closed, None) == seeds_of(corpus, GraphSeeds.KEYWORD)
    assert seeds_of(closed, None, vectors=given) == seeds_of(
        corpus, GraphSeeds.HYBRID, vectors=given
    )
    for embedding in ("none", "hash"):
        path = tmp_path / embedding
        other = Corpus.build(table(IDS), path, **{**OPTIONS, "embedding": embedding})
        with_graph(other, EDGES)
        vectors = None if embedding == "none" else np.ones((4, 128))
        expected = seeds_of(other, GraphSeeds.KEYWORD)
        assert seeds_of(other, None) == seeds_of(other, None, vectors=vectors) == expected


def test_vectors_of_the_queries_are_used(corpus):
    given = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    corpus.keyword_index.function.asked.clear()
    for kind in (GraphSeeds.VECTOR, GraphSeeds.HYBRID):
        found = seeds_of(corpus, kind, ["fox", "fox"], 3, given)
        assert found[0] != found[1]
    strategy = corpus.strategy("graph", seeds="vector", max_depth=0)
    expected = found_by(corpus, "vector", "fox", query_vector=[0.0, 1.0, 0.0])
    hits = corpus.search("fox", strategy="graph", seeds="vector", max_depth=0, max_results=5,
                         query_vector=[0.0, 1.0, 0.0])  # fmt: skip
    assert [(hit.metadata["entryId"], hit.score) for hit in hits] == expected
    assert corpus.keyword_index.function.asked == []
    assert strategy.retrieve("fox") != hits
    with pytest.raises(DimensionMismatchError, match="3 dimensions, found 2"):
        seeds_of(corpus, GraphSeeds.VECTOR, ["fox"], 3, np.ones((1, 2)))


def test_queries_are_embedded_once_for_all_streams(corpus):
    asked = corpus.keyword_index.function.asked
    strategies = (
        corpus.strategy("hybrid", graph=True),
        corpus.strategy("hybrid", graph=corpus.graph),
        corpus.strategy("hybrid", graph=True, seeds="vector"),
    )
    for strategy in strategies:
        asked.clear()
        strategy.retrieve_batch(QUERIES)
        assert asked == QUERIES


def test_vectors_that_are_not_there(tmp_path):  # S50
    corpus = Corpus.build(table(IDS), tmp_path / "none", **{**OPTIONS, "embedding": "none"})
    with pytest.raises(ConfigurationError, match="the index has no vectors"):
        with_graph(corpus, EDGES).search("fox", strategy="graph", seeds="vector")
    options = {**OPTIONS, "embedding": Counting()}
    built = Corpus.build(table(IDS), tmp_path / "function", **options).path
    with pytest.raises(ConfigurationError, match="made by a function that only its builder has"):
        with_graph(Corpus.open(built), EDGES).search("fox", strategy="graph", seeds="hybrid")


def test_a_walk_tells_what_the_searches_did(corpus):
    walk = ArrayWalk("corpus", corpus.graph, WalkBounds(2, 0.5, 10), ())
    report = walk.walk(["fox", "owl"], 5).report
    assert report.plans["graph: arrays"] == 2
    assert sum(count for plan, count in report.plans.items() if plan.startswith("keyword")) == 2
    assert any(plan.startswith("vector") for plan in report.plans)
