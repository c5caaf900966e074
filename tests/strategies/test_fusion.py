"""Fusion of hits; the formula itself is tested with its kernel."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.hits import Hits
from octavo.errors import InvalidArgumentError
from octavo.strategies.fusion import fuse


def stream(*queries):
    """Return hits that score 1, 1/2, 1/3, ... in each query."""
    rows = [row for query in queries for row in query]
    scores = [1.0 / rank for query in queries for rank in range(1, len(query) + 1)]
    offsets = np.cumsum([0, *map(len, queries)]).astype(np.int64)
    return Hits(offsets, np.array(rows, np.int64), np.array(scores, np.float64))


UNIQUE = st.lists(st.integers(0, 30), max_size=15, unique=True)


def test_parts_say_where_each_hit_came_from():  # S22
    fused = fuse({"keyword": stream([7, 3, 5]), "vector": stream([3, 9])})
    assert list(fused.parts) == [
        "voting_streams",
        "keyword_rank",
        "keyword_score",
        "vector_rank",
        "vector_score",
    ]
    assert fused.rows.tolist() == [3, 7, 9, 5]
    rank, score = fused.parts["keyword_rank"], fused.parts["keyword_score"]
    assert rank.values.dtype == np.int32
    assert score.values.dtype == np.float64
    assert rank.values.tolist() == [2, 1, 0, 3]
    assert rank.present.tolist() == [True, True, False, True]
    assert score.values.tolist() == [0.5, 1.0, 0.0, 1 / 3]
    assert fused.parts["vector_rank"].values.tolist() == [1, 0, 2, 0]
    assert fused.parts["vector_score"].values.tolist() == [1.0, 0.0, 0.5, 0.0]
    assert fused.parts["vector_score"].present.tolist() == [True, False, True, False]


@given(st.lists(st.tuples(UNIQUE, UNIQUE, UNIQUE), min_size=1, max_size=5))
def test_the_score_is_recomputed_from_the_parts(queries):  # S22: exactly 0 where absent
    names = ("keyword", "vector", "graph")
    streams = dict(
        zip(names, (stream(*lists) for lists in zip(*queries, strict=True)), strict=True)
    )
    fused = fuse(streams)
    ranks = np.stack([fused.parts[f"{name}_rank"].values for name in names], axis=1)
    for position, query in enumerate(fused.query_of().tolist()):
        non_empty = sum(1 for lists in queries[query] if lists)
        exact = sum(Fraction(61, 60 + rank) for rank in ranks[position].tolist() if rank)
        assert fused.scores[position] == pytest.approx(float(exact / non_empty), rel=1e-15)
        for column, name in enumerate(names):
            rank = ranks[position, column]
            assert fused.parts[f"{name}_score"].values[position] == (1.0 / rank if rank else 0.0)


@given(st.lists(st.tuples(UNIQUE, UNIQUE), min_size=1, max_size=6), st.integers(1, 10))
def test_a_batch_is_its_queries_one_by_one(queries, limit):  # S5
    keyword, vector = (stream(*lists) for lists in zip(*queries, strict=True))
    batch = fuse({"keyword": keyword, "vector": vector}, limit=limit)
    singles = [
        fuse({"keyword": stream(one), "vector": stream(other)}, limit=limit)
        for one, other in queries
    ]
    joined = Hits.concatenate(singles)
    assert batch.offsets.tolist() == joined.offsets.tolist()
    assert batch.rows.tolist() == joined.rows.tolist()
    assert batch.scores.tobytes() == joined.scores.tobytes()
    for name, part in batch.parts.items():
        assert part.values.tolist() == joined.parts[name].values.tolist()
        present = joined.parts[name].present
        assert (part.present is None) == (present is None)
        assert part.present is None or part.present.tolist() == present.tolist()


@given(UNIQUE, UNIQUE.filter(lambda rows: len(rows) > 1), st.data())
def test_rising_in_a_stream_never_lowers_a_score(one, other, data):
    place = data.draw(st.integers(1, len(other) - 1))
    row = other[place]
    risen = [*other[: place - 1], row, other[place - 1], *other[place + 1 :]]

    def place_and_score(lists):
        fused = fuse({"one": stream(one), "other": stream(lists)})
        position = fused.rows.tolist().index(row)
        return position, fused.scores[position]

    before, after = place_and_score(other), place_and_score(risen)
    assert after[0] <= before[0]
    assert after[1] > before[1]


def test_a_duplicate_in_a_stream_counts_once_at_its_better_rank():  # S22
    fused = fuse({"keyword": stream([4, 8, 4])})
    assert fused.rows.tolist() == [4, 8]
    assert fused.scores.tolist() == [1.0, 61 / 62]
    assert fused.parts["keyword_rank"].values.tolist() == [1, 2]


def test_streams_are_counted_for_each_query_by_itself():  # S22
    fused = fuse({"keyword": stream([1], [], []), "vector": stream([1], [2], [])})
    assert fused.offsets.tolist() == [0, 1, 2, 2]
    assert fused.scores.tolist() == [1.0, 1.0]


def test_ties_go_to_the_lower_row():  # S6
    fused = fuse({"keyword": stream([8, 3]), "vector": stream([3, 8])})
    assert fused.rows.tolist() == [3, 8]
    assert fused.scores[0] == fused.scores[1]


def test_the_streams_are_left_as_they_were():
    keyword, vector = stream([1, 2]), stream([2])
    before = keyword.rows.tobytes(), keyword.offsets.tobytes(), vector.offsets.tobytes()
    fuse({"keyword": keyword, "vector": vector}, limit=1)
    assert before == (keyword.rows.tobytes(), keyword.offsets.tobytes(), vector.offsets.tobytes())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"streams": {}}, "streams: expected at least one"),
        ({"streams": {"a": stream([1]), "b": stream([1], [2])}}, r"same queries.*'a': 1.*'b': 2"),
        ({"streams": {"a": stream([1])}, "k": -1}, "k: expected an integer from 0 to"),
        ({"streams": {"a": stream([1])}, "k": 2**63}, "k: expected an integer from 0 to"),
        ({"streams": {"a": stream([1])}, "k": True}, "k: expected .* found True"),
        ({"streams": {"a": stream([1])}, "k": 60.0}, "k: expected .* found 60.0"),
        ({"streams": {"a": stream([1])}, "limit": 0}, "limit: expected an integer of at least 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        fuse(**arguments)


def test_a_limit_of_any_size_is_legal():
    assert fuse({"a": stream([1, 2])}, limit=2**100).rows.tolist() == [1, 2]


PROGRAM = """
import numpy as np
from octavo.columns.hits import Hits
from octavo.strategies.fusion import fuse

random = np.random.default_rng(5)
streams = {}
for name in ("a", "b", "c"):
    rows = np.concatenate([random.permutation(90)[:50] for _ in range(4)]).astype(np.int64)
    streams[name] = Hits(np.arange(5) * 50, rows, np.tile(np.linspace(1, 0, 50), 4))
for limit in (10, 80):
    fused = fuse(streams, limit=limit)
    print(fused.rows.tobytes().hex(), fused.scores.tobytes().hex())
"""


def test_compiled_or_not_the_bits_are_the_same():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert outputs[0] == outputs[1]


def test_weights_of_streams():  # S22
    streams = {"keyword": stream([7, 3]), "vector": stream([3])}
    fused = fuse(streams, weights={"vector": 3, "keyword": 1})
    assert fused.rows.tolist() == [3, 7]
    assert fused.scores.tolist() == [(3.0 + 61 / 62) / 4, 1 / 4]
    assert fused.parts["voting_streams"].values.tolist() == [2, 2]
    assert fused.parts["voting_weight"].values.tolist() == [4.0, 4.0]


def test_a_stream_without_weight_has_no_vote():  # S22
    streams = {"keyword": stream([7, 3], []), "vector": stream([3, 9], [4])}
    fused = fuse(streams, weights={"keyword": 0.5, "vector": 0})
    alone = fuse({"keyword": streams["keyword"]})
    assert fused.rows.tolist() == alone.rows.tolist() == [7, 3]
    assert fused.scores.tolist() == alone.scores.tolist()
    assert fused.offsets.tolist() == [0, 2, 2]
    assert fused.parts["voting_streams"].values.tolist() == [1, 1]
    assert not fused.parts["vector_rank"].present.any()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"keyword": 1}, "expected one for each of keyword, vector"),
        ({"keyword": 1, "vector": 1, "graph": 1}, "expected one for each of keyword, vector"),
        ({"keyword": 1, "vector": -1}, "vector: expected 0 or a number from 1e-06 to 1e"),
        ({"keyword": float("nan"), "vector": 1}, "keyword: expected 0 or a number"),
        ({"keyword": True, "vector": 1}, "keyword: expected 0 or a number"),
        ({"keyword": 0, "vector": 0}, "expected one above 0, found only 0"),
        ([1, 1], "expected a number for each stream by name"),
    ],
)
def test_weights_that_mean_nothing(weights, message):
    with pytest.raises(InvalidArgumentError, match=f"weights: {message}"):
        fuse({"keyword": stream([1]), "vector": stream([2])}, weights=weights)
