"""Keys order hits as S6 does, and the heap keeps the greatest."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.key_heap import (
    LARGEST_ROW,
    hit_key,
    key_score,
    push_key,
    replace_root,
    sort_keys,
)

SCORES = st.floats(0, 2.0**90, width=32) | st.sampled_from([0.0, 1.0, 2.0])
ROWS = st.integers(0, LARGEST_ROW)


@given(st.lists(st.tuples(SCORES, ROWS), max_size=30))
def test_greater_keys_are_better_hits(hits):
    # S6
    keys = sorted((hit_key(np.float32(score), row) for score, row in hits), reverse=True)
    expected = sorted(hits, key=lambda hit: (-hit[0], hit[1]))
    assert [(float(key_score(key)), LARGEST_ROW - (key & 0xFFFFFFFF)) for key in keys] == expected


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 20), st.integers(0, 5))
def test_the_heap_keeps_the_greatest(values, limit, base):
    heap = np.full(base + limit + 1, -7, np.int64)
    size = 0
    for value in values:
        if size < limit:
            push_key(heap, base, size, value)
            size += 1
        elif value > heap[base]:
            replace_root(heap, base, size, value)
        assert heap[base] == min(heap[base : base + size])
    sort_keys(heap, base, size)
    assert heap[base : base + size].tolist() == sorted(values, reverse=True)[:limit]
    assert set(heap[:base].tolist()) <= {-7}
    assert heap[-1] == -7
