"""Ragged ranking against sorting in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.ranking import rank_positions

HIT = st.tuples(st.one_of(st.sampled_from([0.0, -0.0, 0.5]), st.floats(-5, 5)), st.integers(0, 9))
BATCH = st.lists(st.lists(HIT, max_size=60), max_size=6)


@given(BATCH, st.integers(0, 70))
def test_each_query_is_sorted_and_cut(batch, limit):  # S6
    offsets = np.cumsum([0, *map(len, batch)]).astype(np.int64)
    flat = [hit for query in batch for hit in query]
    scores = np.array([score for score, _ in flat], np.float64)
    rows = np.array([row for _, row in flat], np.int64)
    kept, positions = rank_positions(offsets, rows, scores, limit)
    expected = []
    for query in range(len(batch)):
        own = range(offsets[query], offsets[query + 1])
        expected.append(sorted(own, key=lambda p: (-flat[p][0], flat[p][1], p))[:limit])
    assert kept.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert positions.tolist() == [position for query in expected for position in query]


def test_a_limit_far_beyond_the_hits_needs_no_memory():
    kept, positions = rank_positions(np.array([0, 2]), np.array([1, 2]), np.ones(2), 2**62)
    assert (kept.tolist(), positions.tolist()) == ([0, 2], [0, 1])
