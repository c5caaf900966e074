"""A sweep over shards finds at each point what a sweep over a single index finds."""

import numpy as np
import pyarrow as pa
import pytest

from octavo.errors import ConfigurationError
from octavo.shards import ShardedCorpus
from octavo.shards.questions import RankKeyword, RankVector
from octavo.spi import RAGContext
from octavo.strategies.queries import Queries
from octavo.sweeps import sweep
from octavo.sweeps.bench import SweepBench
from octavo.sweeps.grid import grid_points
from tests.sweeps.judged import Judgements

AT = {"now": "2026-01-01T00:00:00Z"}
HYBRID = {
    "rrf_k": [0, 60],
    "weights": ["keyword=1,vector=1", "keyword=0.2,vector=3"],
    "candidate_depth": [1, 3, 30],
}
SWEEPS = [
    ("hybrid", HYBRID, {}),
    (
        "temporal",
        {"half_life": ["9d", "900d"], "candidate_depth": [3, 30], "child.rrf_k": [1, 60]},
        {"child": "hybrid", **AT},
    ),
    (
        "multi-query",
        {"max_expansions": [1, 2]},
        {"expander": lambda query, *_: [f"{query} fox", "whale"], "model": "m", "child": "keyword"},
    ),
]


@pytest.fixture(scope="module")
def judged(questions):
    return Judgements(
        {
            f"q{n}": {f"d{(n * 37 + k * 11) % 420}": k % 3 for k in range(20)}
            for n in range(len(questions))
        }
    )


@pytest.mark.parametrize(("strategy", "over", "fixed"), SWEEPS, ids=[each[0] for each in SWEEPS])
@pytest.mark.parametrize("filters", [{}, {"tier": "a"}])
def test_all_points_are_those_of_a_single_index(
    single, sharded, queries, judged, strategy, over, fixed, filters
):  # S5 S12 S22 S25 S27
    if strategy == "multi-query":
        queries = queries.drop_columns("vector")  # which its variants could not share
    one, several = (
        sweep(
            corpus,
            queries,
            judged,
            over=over,
            strategy=strategy,
            filters=filters,
            threads=2,
            **fixed,
        )
        for corpus in (single, sharded)
    )
    assert [each.options for each in several.points] == [each.options for each in one.points]
    assert several.values.tobytes() == one.values.tobytes()
    assert several.baseline.tobytes() == one.baseline.tobytes()
    assert several.held_out.values.tobytes() == one.held_out.values.tobytes()
    assert len(set(one.values.mean(axis=1))) > 1  # the settings matter


class Watched:
    """Shards that note which depths are asked for."""

    def __init__(self, shards):
        self.shards, self.asked = shards, []

    def ask(self, questions):
        for each in questions.values():
            if isinstance(each, RankKeyword | RankVector):
                self.asked.append((type(each).__name__, each.depth))
        return self.shards.ask(questions)


def test_each_shard_is_asked_once(sharded, queries, judged):  # S12
    watched = Watched(sharded.keyword_index._shards)
    sweep(sharded.asking(watched), queries, judged, over=HYBRID, strategy="hybrid", threads=2)
    # Four shards, at the greatest depth, and at the default's, with which all is compared.
    asked = {each: watched.asked.count(each) for each in watched.asked}
    kinds = ("RankKeyword", "RankVector")
    assert asked == {(kind, depth): 4 for kind in kinds for depth in (30, 100)}


def test_where_vectors_are_searched_approximately_points_are_searches(tmp_path):
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((2_400, 8)).astype(np.float32)
    documents = pa.table(
        {
            "id": [f"d{number}" for number in range(2_400)],
            "text": [f"w{number % 31} w{number % 37}" for number in range(2_400)],
            "v": pa.array(vectors.tolist(), pa.list_(pa.float32(), 8)),
        }
    )
    corpus = ShardedCorpus.build(
        documents, tmp_path / "index", 2, embedding="column:v", vector_index="lists", recall=0.5
    )
    assert not corpus.keyword_index.scans_all_vectors
    asked = rng.standard_normal((40, 8)).astype(np.float32)
    bench = SweepBench(
        corpus, "hybrid", Queries.of(["w1 w2"] * 40, asked), RAGContext(5), {"rrf_k": 1}
    )
    ids = pa.array([str(number) for number in range(40)])
    points = grid_points({"candidate_depth": [200, 3, 40]})
    for point in points:
        expected = corpus.search_batch(
            ["w1 w2"] * 40, strategy="hybrid", max_results=5, query_vectors=asked, rrf_k=1, **point
        )
        (ranking,) = bench.rankings(point)
        assert ranking.table(ids).equals(expected)


def test_whether_all_vectors_are_compared(sharded, documents, tmp_path):
    assert sharded.keyword_index.scans_all_vectors
    without = ShardedCorpus.build(documents, tmp_path / "index", 2, embedding="none")
    assert without.keyword_index.scans_all_vectors


@pytest.mark.parametrize(
    ("strategy", "over", "fixed"),
    [
        ("hierarchical", {"decay": [0.5]}, {}),
        ("temporal", {"child.decay": [0.5]}, {"child": "graph"}),
        ("hybrid", {"rrf_k": [1]}, {"graph": True}),
    ],
)
def test_what_follows_links_is_refused_before_anything_is_ranked(
    sharded, queries, judged, strategy, over, fixed
):
    watched = Watched(sharded.keyword_index._shards)
    with pytest.raises(ConfigurationError, match="not over a sharded index"):
        sweep(sharded.asking(watched), queries, judged, over=over, strategy=strategy, **fixed)
    assert not watched.asked
