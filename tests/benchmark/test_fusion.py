import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.benchmark.fusion import fused_by_hand
from octavo.columns.hits import Hits
from octavo.strategies.fusion import fuse

RANKED = st.lists(st.integers(0, 30), unique=True, max_size=20)


@given(st.lists(RANKED, min_size=1, max_size=3), st.integers(1, 12))
def test_it_agrees_with_the_kernel(streams, k):  # S22
    rows = [np.array(stream, np.int64) for stream in streams]
    hits = {
        str(number): Hits(np.array([0, len(stream)]), stream, -np.arange(len(stream), dtype=float))
        for number, stream in enumerate(rows)
    }
    fused = fuse(hits, limit=k)
    found = fused_by_hand(rows, k)
    assert np.allclose(fused.scores, [score for _, score in found], rtol=1e-12)
    assert fused.rows.tolist() == [row for row, _ in found]
