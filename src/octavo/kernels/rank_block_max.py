"""Rank a whole batch of queries over the block-max postings of one segment, in one call."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.accumulate import WINDOW, rank_by_windows
from octavo.kernels.block_max import rank_rarest_first
from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.key_heap import LARGEST_ROW, key_score, sort_keys


@kernel(
    types.void(
        readonly(types.int32), readonly(types.uint16), readonly(types.int64),
        readonly(types.int64), readonly(types.uint16, 2), readonly(types.uint8, 2),
        readonly(types.float32), readonly(types.float32), readonly(types.int64),
        readonly(types.bool_), readonly(types.int64), readonly(types.int64),
        readonly(types.float32), readonly(types.int64), readonly(types.bool_), types.int64, types.int64,
        writable(types.int64), readonly(types.int64), writable(types.int64),
        writable(types.int64),
    )
)  # fmt: skip
def rank_queries(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    large_places: NDArray[np.int64],
    large_counts: NDArray[np.int64],
    bounds: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    factors: NDArray[np.float32],
    norms: NDArray[np.float32],
    clause_offsets: NDArray[np.int64],
    accumulated: NDArray[np.bool_],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    weights: NDArray[np.float32],
    level_numbers: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    rows_total: int,
    first_row: int,
    heap: NDArray[np.int64],
    heap_offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counters: NDArray[np.int64],
) -> None:
    """Offer the rows of a segment to the heap of each query.

    The clauses of query ``q`` are ``clause_offsets[q]`` to ``clause_offsets[q + 1]``; where
    ``accumulated[q]``, all their postings are scored, else the rarest ones first. Its heap has room
    from ``heap_offsets[q]`` to ``heap_offsets[q + 1]`` and holds ``sizes[q]`` keys. The rest
    is as in :func:`octavo.kernels.block_max.rank_rarest_first`.
    """
    windows = False
    for query in range(sizes.shape[0]):
        windows |= accumulated[query]
    sums = np.zeros(WINDOW if windows else 0, np.float32)
    for query in range(sizes.shape[0]):
        first = clause_offsets[query]
        last = clause_offsets[query + 1]
        base = heap_offsets[query]
        limit = heap_offsets[query + 1] - base
        postings = np.int64(0)
        for clause in range(first, last):
            postings += stops[clause] - starts[clause]
        if limit == 0 or postings == 0:
            continue
        if not accumulated[query]:
            sizes[query] = rank_rarest_first(
                rows, codes, large_places, large_counts, bounds, levels, factors, norms,
                starts[first:last], stops[first:last], weights[first:last],
                level_numbers[first:last], admitted, rows_total, first_row,
                heap, base, sizes[query], limit, counters,
            )  # fmt: skip
        else:
            sizes[query] = rank_by_windows(
                rows, codes, large_places, large_counts, factors, norms,
                starts[first:last], stops[first:last], weights[first:last],
                admitted, rows_total, first_row,
                heap, base, sizes[query], limit, sums, counters,
            )  # fmt: skip


@kernel(
    types.void(
        writable(types.int64), readonly(types.int64), readonly(types.int64),
        writable(types.int64), writable(types.float64),
    )
)  # fmt: skip
def unpack_hits(
    heap: NDArray[np.int64],
    heap_offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Write the hits of each heap, best first, one query after the other; the heaps are used up."""
    written = 0
    for query in range(sizes.shape[0]):
        base = heap_offsets[query]
        sort_keys(heap, base, sizes[query])
        for position in range(base, base + sizes[query]):
            rows[written] = LARGEST_ROW - (heap[position] & 0xFFFF_FFFF)
            scores[written] = key_score(heap[position])
            written += 1
