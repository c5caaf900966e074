"""The heap and the selection of the best, against sorting in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.top_k import precedes, push, select_best, sift_down, sort_heap, sort_heaps

ITEMS = st.lists(st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 1.0]), st.integers(0, 20)))
MANY = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 2**62)), max_size=150)


def arrays(items):
    scores = np.array([score for score, _ in items], np.float64)
    rows = np.array([row for _, row in items], np.int64)
    return scores, rows


def ordered(items):
    return sorted(range(len(items)), key=lambda slot: (-items[slot][0], items[slot][1], slot))


@given(st.one_of(ITEMS, MANY), st.integers(0, 120), st.integers(0, 3), st.integers(0, 2))
def test_select_best_is_a_sort_that_is_cut(items, limit, skip, base):  # S6
    scores, rows = arrays(items)
    start = min(skip, len(items))
    best = np.full(base + len(items), -7, np.int64)
    scratch = np.empty(2 * min(limit, len(items) - start), np.int64)
    kept = select_best(scores, rows, start, len(items), limit, best, base, scratch)
    expected = [slot for slot in ordered(items) if slot >= start][:limit]
    assert best[base : base + kept].tolist() == expected
    assert (best[:base] == -7).all()


@pytest.mark.parametrize("limit", [31, 32, 33, 200])
@pytest.mark.parametrize("order", ["ascending", "descending", "equal"])
def test_select_best_on_ordered_input(limit, order):
    values = {
        "ascending": np.arange(200.0),
        "descending": -np.arange(200.0),
        "equal": np.zeros(200),
    }[order]
    items = list(zip(values.tolist(), reversed(range(200)), strict=True))
    scores, rows = arrays(items)
    best = np.empty(200, np.int64)
    kept = select_best(scores, rows, 0, 200, limit, best, 0, np.empty(400, np.int64))
    assert best[:kept].tolist() == ordered(items)[:limit]


@given(st.one_of(ITEMS, MANY), st.integers(1, 40), st.integers(0, 5))
def test_a_bounded_heap_keeps_the_best_of_a_stream(items, capacity, base):
    scores, rows = arrays(items)
    heap = np.full(base + capacity, -7, np.int64)
    size = 0
    for slot in range(len(items)):
        if size < capacity:
            push(heap, base, size, slot, scores, rows)
            size += 1
        elif precedes(scores, rows, slot, heap[base]):
            heap[base] = slot
            sift_down(heap, base, size, scores, rows)
    sort_heap(heap, base, size, scores, rows)
    assert heap[base : base + size].tolist() == ordered(items)[:capacity]
    assert (heap[:base] == -7).all()


def test_heaps_of_different_sizes_are_sorted_side_by_side():
    scores = np.array([0.1, 0.5, 0.3, 0.9, 0.2, 0.2])
    rows = np.array([1, 2, 3, 4, 9, 5])
    heap = np.array([0, 1, 2, -7, -7, -7, 4, 5, -7])  # each root is the worst
    sort_heaps(heap, 3, np.array([3, 0, 2]), scores, rows)
    assert heap.tolist() == [1, 2, 0, -7, -7, -7, 5, 4, -7]
