"""Re-scoring of nominated rows: the same bits as the exact scan."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.queries import unit_queries
from octavo.engines.vector.rescoring import rescore
from octavo.engines.vector.segments import VectorSegments
from octavo.kernels.unit_length import unit_length


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.integers(-2, 45), max_size=50), min_size=1, max_size=5),
    st.integers(1, 50),
    st.integers(0, 2**32 - 1),
)
def test_nominated_rows_score_as_in_the_scan(pairs, nominated, depth, seed):  # S5, S13
    random = np.random.default_rng(seed)
    vectors = unit_length(random.integers(-1, 2, (40, 5)).astype(float))
    present = random.random(25) < 0.8
    split = [vectors[:25], vectors[25:]]
    queries = random.integers(-1, 2, (len(nominated), 5)).astype(float)
    offsets = np.cumsum([0, *map(len, nominated)]).astype(np.int64)
    rows = np.array([row for own in nominated for row in own], np.int64)
    hits = rescore(
        VectorSegments(split, [present, None]), unit_queries(queries, 5), offsets, rows, depth
    )
    everything, _ = FlatVectorIndex(split, [present, None]).search(queries, 40)
    scores = [dict(hits) for hits in pairs(everything)]
    for query, own in enumerate(nominated):
        known = {row: scores[query][row] for row in own if row in scores[query]}
        expected = sorted(known.items(), key=lambda hit: (-hit[1], hit[0]))[:depth]
        assert pairs(hits)[query] == expected


def test_nothing_nominated():
    segments = VectorSegments([np.eye(3, dtype=np.float32)])
    hits = rescore(
        segments, np.ones((2, 3), np.float32), np.zeros(3, np.int64), np.zeros(0, np.int64), 5
    )
    assert hits.offsets.tolist() == [0, 0, 0]
