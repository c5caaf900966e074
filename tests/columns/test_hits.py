"""Hits: ragged, ordered, without padding (S6, S13)."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.hits import Hits, ListPart, Part

LISTS = st.lists(
    st.lists(st.tuples(st.integers(0, 50), st.floats(-2, 2)), max_size=6), min_size=1, max_size=5
)


def hits_of(lists):
    flat = [pair for one in lists for pair in one]
    ranks = np.array([rank for one in lists for rank in range(len(one))], np.int32)
    return Hits(
        np.concatenate(([0], np.cumsum([len(one) for one in lists]))),
        np.array([row for row, _ in flat], np.int64),
        np.array([score for _, score in flat], np.float64),
        {"place": Part(ranks), "even": Part(ranks, ranks % 2 == 0)},
    )


def lists_of(hits):
    bounds = hits.offsets.tolist()
    pairs = list(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
    return [pairs[start:stop] for start, stop in pairwise(bounds)]


@given(LISTS, st.integers(1, 7))
def test_head_keeps_the_first_of_each_query(lists, limit):  # S12
    assert lists_of(hits_of(lists).head(limit)) == [one[:limit] for one in lists]


@given(LISTS, st.floats(-2, 2))
def test_at_least_is_inclusive(lists, least):  # S10
    expected = [[pair for pair in one if pair[1] >= least] for one in lists]
    assert lists_of(hits_of(lists).at_least(least)) == expected


@given(LISTS)
def test_ranks_and_queries(lists):
    hits = hits_of(lists)
    assert hits.ranks().tolist() == [rank for one in lists for rank in range(1, len(one) + 1)]
    assert hits.query_of().tolist() == [q for q, one in enumerate(lists) for _ in one]
    assert hits.queries == len(lists)
    assert len(hits) == sum(map(len, lists))


@given(LISTS, LISTS)
def test_concatenating_blocks_is_one_batch(first, second):
    joined = Hits.concatenate([hits_of(first), hits_of(second)])
    whole = hits_of(first + second)
    assert lists_of(joined) == lists_of(whole)
    assert joined.parts["place"].values.tolist() == whole.parts["place"].values.tolist()
    assert joined.parts["even"].present.tolist() == whole.parts["even"].present.tolist()


def test_parts_follow_their_hits():
    hits = hits_of([[(1, 1.0), (2, 0.5)], [(3, 0.25)]]).at_least(0.5)
    assert hits.parts["place"].values.tolist() == [0, 1]
    assert hits.parts["even"].present.tolist() == [True, False]


def test_empty():
    assert lists_of(Hits.empty(2)) == [[], []]
    assert Hits.concatenate([]).queries == 0
    assert len(Hits.empty(3).head(1).at_least(0)) == 0


def test_lists_of_different_lengths():
    def hits(values):
        count = len(values)
        rows, scores = np.arange(count), np.ones(count)
        return Hits(
            np.array([0, count]), rows, scores, {"ranks": ListPart(np.array(values, np.int32))}
        )

    joined = Hits.concatenate([hits([[1, -1], [0, 2]]), hits([[0, 3, 1]]), hits(np.zeros((0, 1)))])
    part = joined.parts["ranks"]
    assert isinstance(part, ListPart)
    assert part.values.tolist() == [[1, -1, -1], [0, 2, -1], [0, 3, 1]]
    assert part.lengths().tolist() == [1, 2, 3]
    assert part.take(np.array([2, 0])).lengths().tolist() == [3, 1]
