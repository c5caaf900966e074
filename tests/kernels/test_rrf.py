"""Reciprocal rank fusion against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.rrf import reciprocal_rank_fusion, scores_at_ranks

ROW = st.one_of(st.integers(0, 12), st.sampled_from([2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1]))
STREAM = st.lists(ROW, max_size=20)


def flat(batch):
    """Return offsets [S, q + 1] and rows of ``batch[query][stream]``."""
    streams = len(batch[0])
    offsets = np.zeros((streams, len(batch) + 1), np.int64)
    rows = []
    for stream in range(streams):
        offsets[stream, 0] = len(rows)
        for query, lists in enumerate(batch):
            rows += lists[stream]
            offsets[stream, query + 1] = len(rows)
    return offsets, np.array(rows, np.int64)


def exact(lists, k):
    """Return the exact score and the ranks of each row, by the formula of S22."""
    non_empty = sum(1 for stream in lists if stream)
    rows = dict.fromkeys(row for stream in lists for row in stream)
    ranks = {
        row: [stream.index(row) + 1 if row in stream else 0 for stream in lists] for row in rows
    }
    scores = {
        row: sum((Fraction(k + 1, k + rank) for rank in found if rank), Fraction(0)) / non_empty
        for row, found in ranks.items()
    }
    return scores, ranks


@given(
    st.integers(1, 5).flatmap(
        lambda streams: st.lists(
            st.lists(STREAM, min_size=streams, max_size=streams), min_size=1, max_size=4
        )
    ),
    st.integers(0, 100),
    st.integers(1, 60),
)
def test_scores_ranks_and_order_are_those_of_the_formula(batch, k, limit):  # S22
    kept, rows, scores, ranks = reciprocal_rank_fusion(*flat(batch), k=k, limit=limit)
    for query, lists in enumerate(batch):
        expected, expected_ranks = exact(lists, k)
        own = slice(kept[query], kept[query + 1])
        found = rows[own].tolist()
        assert len(found) == min(limit, len(expected))
        for row, score in zip(found, scores[own].tolist(), strict=True):
            assert score == pytest.approx(float(expected[row]), rel=1e-15, abs=0)
        assert ranks[:, own].T.tolist() == [expected_ranks[row] for row in found]
        pairs = list(zip((-scores[own]).tolist(), found, strict=True))
        assert pairs == sorted(pairs)  # S6
        worst = min((expected[row] for row in found), default=Fraction(0))
        for row in expected.keys() - set(found):
            assert expected[row] <= worst * (1 + Fraction(1, 10**15))


@pytest.mark.parametrize("streams", range(1, 9))
@pytest.mark.parametrize("k", [0, 1, 60, 1000])
def test_first_everywhere_is_exactly_one(streams, k):  # S22
    lists = [[5, stream + 10] for stream in range(streams)] + [[]]
    _, rows, scores, _ = reciprocal_rank_fusion(*flat([lists]), k=k, limit=3)
    assert (rows[0], scores[0]) == (5, 1.0)


@given(st.lists(STREAM, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_streams_moves_no_bit(lists, random):  # S22
    shuffled = lists.copy()
    random.shuffle(shuffled)
    one = reciprocal_rank_fusion(*flat([lists]), k=60, limit=100)
    other = reciprocal_rank_fusion(*flat([shuffled]), k=60, limit=100)
    assert one[1].tolist() == other[1].tolist()
    assert one[2].tobytes() == other[2].tobytes()


@given(st.lists(STREAM, min_size=1, max_size=4), st.integers(1, 50), st.integers(0, 50))
def test_fewer_are_a_prefix_of_more(lists, limit, more):  # S12
    short = reciprocal_rank_fusion(*flat([lists]), k=60, limit=limit)
    long = reciprocal_rank_fusion(*flat([lists]), k=60, limit=limit + more)
    assert short[1].tolist() == long[1].tolist()[:limit]
    assert short[2].tobytes() == long[2][:limit].tobytes()


def test_rows_that_share_the_low_bits_stay_apart():
    rows = [(number << 31) + 7 for number in range(200)]
    _, fused, scores, ranks = reciprocal_rank_fusion(*flat([[rows, rows[::-1]]]), k=60, limit=500)
    assert sorted(fused.tolist()) == rows
    expected, expected_ranks = exact([rows, rows[::-1]], 60)
    assert scores.tolist() == pytest.approx([float(expected[row]) for row in fused.tolist()])
    assert ranks.T.tolist() == [expected_ranks[row] for row in fused.tolist()]


def test_nothing_to_fuse():
    kept, rows, scores, ranks = reciprocal_rank_fusion(
        np.zeros((2, 4), np.int64), np.zeros(0, np.int64), k=60, limit=10
    )
    assert kept.tolist() == [0, 0, 0, 0]
    assert (len(rows), len(scores), ranks.shape) == (0, 0, (2, 0))
    kept, *_ = reciprocal_rank_fusion(
        np.zeros((2, 1), np.int64), np.zeros(0, np.int64), k=60, limit=10
    )
    assert kept.tolist() == [0]


def test_scores_are_read_at_ranks():
    scores = np.full(4, 9.0)
    scores_at_ranks(
        np.array([0, 2, 3]),
        np.array([0.5, 0.25, 0.75]),
        np.array([0, 2, 4]),
        np.array([2, 0, 1, 0], np.int32),
        scores,
    )
    assert scores.tolist() == [0.25, 0.0, 0.75, 0.0]


WEIGHTED = st.integers(1, 4).flatmap(
    lambda streams: st.tuples(
        st.lists(STREAM, min_size=streams, max_size=streams),
        st.lists(
            st.sampled_from([0.25, 1.0, 3.0]) | st.floats(0.001, 50.0),
            min_size=streams,
            max_size=streams,
        ),
    )
)


@given(WEIGHTED, st.integers(0, 100), st.integers(1, 60))
def test_weighted_votes(given_streams, k, limit):  # S22
    lists, weights = given_streams
    _, rows, scores, ranks = reciprocal_rank_fusion(
        *flat([lists]), k=k, limit=limit, weights=np.array(weights)
    )
    exactly = {}
    for stream, weight in zip(lists, map(Fraction, weights), strict=True):
        for row in dict.fromkeys(stream):
            term = weight * Fraction(k + 1, k + stream.index(row) + 1)
            exactly[row] = exactly.get(row, 0) + term
    total = sum(Fraction(w) for stream, w in zip(lists, weights, strict=True) if stream)
    found = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    assert len(found) == min(limit, len(exactly))
    assert found == pytest.approx({row: float(exactly[row] / total) for row in found}, rel=1e-14)
    cut = min(found.values(), default=0.0)
    assert all(exactly[row] / total <= cut * (1 + 1e-14) for row in exactly.keys() - found.keys())
    order = list(zip((-scores).tolist(), rows.tolist(), strict=True))
    assert order == sorted(order)
    for stream, column in zip(lists, ranks.tolist(), strict=True):
        expected = [stream.index(row) + 1 if row in stream else 0 for row in rows.tolist()]
        assert column == expected


@given(WEIGHTED, st.randoms(use_true_random=False))
def test_the_order_of_weighted_streams_moves_no_bit(given_streams, random):  # S22
    lists, weights = given_streams
    places = list(range(len(lists)))
    random.shuffle(places)
    one = reciprocal_rank_fusion(*flat([lists]), k=60, limit=100, weights=np.array(weights))
    shuffled = [lists[place] for place in places]
    other = reciprocal_rank_fusion(
        *flat([shuffled]), k=60, limit=100, weights=np.array([weights[place] for place in places])
    )
    assert one[1].tolist() == other[1].tolist()
    assert one[2].tobytes() == other[2].tobytes()


@given(st.lists(STREAM, min_size=1, max_size=4), st.integers(0, 100), st.integers(1, 60))
def test_weights_of_one_give_the_bits_of_no_weights(lists, k, limit):  # S22
    plain = reciprocal_rank_fusion(*flat([lists]), k=k, limit=limit)
    ones = reciprocal_rank_fusion(*flat([lists]), k=k, limit=limit, weights=np.ones(len(lists)))
    assert [each.tobytes() for each in plain] == [each.tobytes() for each in ones]


@given(WEIGHTED)
def test_first_in_every_weighted_stream_is_exactly_one(given_streams):  # S22
    lists, weights = given_streams
    lists = [[77, *stream] if stream else [] for stream in lists]
    _, rows, scores, _ = reciprocal_rank_fusion(
        *flat([lists]), k=60, limit=1, weights=np.array(weights)
    )
    if any(lists):
        assert (rows.tolist(), scores.tolist()) == ([77], [1.0])
