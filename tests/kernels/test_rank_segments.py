"""A stack of segments ranks as its segments do, one after the other, in any order."""

import numpy as np
import pytest

from octavo.kernels.rank_block_max import rank_queries, unpack_hits
from octavo.kernels.rank_segments import rank_segments
from tests.kernels.test_block_max import NORMS, world

ROWS = 700


def hits(heap, heap_offsets, sizes):
    rows, scores = np.empty(int(sizes.sum()), np.int64), np.empty(int(sizes.sum()))
    unpack_hits(heap, heap_offsets, sizes, rows, scores)
    return rows.tolist(), scores.tolist()


@pytest.mark.parametrize("accumulated", [False, True])
@pytest.mark.parametrize("share", [None, 0.5, 0.02])
def test_a_stack_is_its_segments(accumulated, share):  # S6
    worlds = [world(seed, ROWS, [40, 90, 200]) for seed in (3, 4, 5)]
    admitted = np.zeros(0, np.bool_)
    if share is not None:
        admitted = np.random.default_rng(6).random(3 * ROWS) < share
    offsets, flags = np.array([0, 3]), np.array([accumulated])
    weights = worlds[0].weights
    first_rows = np.array([0, ROWS, 2 * ROWS])
    heap_offsets, none = np.array([0, 12]), np.zeros((0, 0), np.uint8)
    no_levels = np.full(3, -1)

    heap, sizes, counters = np.zeros(12, np.int64), np.zeros(1, np.int64), np.zeros(3, np.int64)
    for each, first_row in zip(worlds, first_rows.tolist(), strict=True):
        rank_queries(
            each.rows, each.codes, each.large_places, each.large_counts, each.bounds, none,
            each.factors, NORMS, offsets, flags, each.starts, each.stops, weights, no_levels,
            admitted[first_row : first_row + ROWS], ROWS, first_row,
            heap, heap_offsets, sizes, counters,
        )  # fmt: skip
    expected = hits(heap, heap_offsets, sizes)
    assert len(expected[0]) == 12

    for order in ([0, 1, 2], [2, 0, 1]):
        chosen = [worlds[number] for number in order]
        ends = np.zeros((4, 6), np.int64)
        for number, each in enumerate(chosen, 1):
            held = [0, 0, len(each.rows), len(each.bounds), len(each.large_places), ROWS]
            ends[number] = ends[number - 1] + held

        def stacked(name, chosen=chosen):
            return np.concatenate([getattr(each, name) for each in chosen])

        heap, sizes = np.zeros(12, np.int64), np.zeros(1, np.int64)
        rank_segments(
            stacked("rows"), stacked("codes"), stacked("large_places"), stacked("large_counts"),
            stacked("bounds"), none, worlds[0].factors, NORMS, offsets, flags,
            np.stack([each.starts for each in chosen]), np.stack([each.stops for each in chosen]),
            weights, np.tile(no_levels, (3, 1)), admitted, ends, first_rows[order],
            heap, heap_offsets, sizes, np.zeros(3, np.int64),
        )  # fmt: skip
        assert hits(heap, heap_offsets, sizes) == expected
