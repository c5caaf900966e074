"""A batch is its queries, one after the other, in heaps of different sizes."""

import numpy as np

from octavo.kernels.rank_block_max import rank_queries, unpack_hits
from tests.kernels.test_block_max import NORMS, oracle, world

CLAUSES = 18


def test_a_batch_of_queries_with_few_and_many_clauses():
    w = world(4, 900, [5 * number for number in range(1, CLAUSES + 1)])
    clauses = len(w.weights)
    offsets = [0, 3, 3, clauses]
    limits = [4, 9, 0]
    # Three queries: clauses 0 to 3, none, and the rest; the last has no room at all.
    heap_offsets = np.array([0, *np.cumsum(limits)])
    heap, sizes = np.zeros(sum(limits), np.int64), np.zeros(3, np.int64)
    everything, counters = np.zeros(0, np.bool_), np.zeros(3, np.int64)
    rank_queries(
        w.rows, w.codes, w.large_places, w.large_counts, w.bounds, w.levels, w.factors, NORMS,
        np.array(offsets), np.array([False, False, True]), w.starts, w.stops, w.weights, w.level_numbers, everything,
        w.rows_total, 0, heap, heap_offsets, sizes, counters,
    )  # fmt: skip
    assert sizes.tolist() == [4, 0, 0]
    rows, scores = np.empty(4, np.int64), np.empty(4)
    unpack_hits(heap, heap_offsets, sizes, rows, scores)
    first = w._replace(starts=w.starts[:3], stops=w.stops[:3], weights=w.weights[:3])
    assert list(zip(rows, scores, strict=True)) == oracle(first, 4, everything)


def test_all_clauses_at_once_are_accumulated():
    w = world(6, 900, [7 * number for number in range(1, CLAUSES)])
    everything, counters = np.zeros(0, np.bool_), np.zeros(3, np.int64)
    heap, heap_offsets, sizes = np.zeros(25, np.int64), np.array([0, 25]), np.zeros(1, np.int64)
    rank_queries(
        w.rows, w.codes, w.large_places, w.large_counts, w.bounds, w.levels, w.factors, NORMS,
        np.array([0, len(w.weights)]), np.array([True]), w.starts, w.stops, w.weights, w.level_numbers, everything,
        w.rows_total, 0, heap, heap_offsets, sizes, counters,
    )  # fmt: skip
    rows, scores = np.empty(25, np.int64), np.empty(25)
    unpack_hits(heap, heap_offsets, sizes, rows, scores)
    assert list(zip(rows, scores, strict=True)) == oracle(w, 25, everything)
    assert counters.tolist() == [len(w.rows), 0, 0]
