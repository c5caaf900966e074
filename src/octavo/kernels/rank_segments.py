"""Rank a batch of queries over the block-max postings of several segments, in one call."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.find_postings import BLOCKS, LARGE, POSTINGS, ROWS
from octavo.kernels.rank_block_max import rank_queries

_INTS = readonly(types.int64)
_NUMBERS = writable(types.int64)


@kernel(
    types.void(
        readonly(types.int32), readonly(types.uint16), _INTS, _INTS, readonly(types.uint16, 2),
        readonly(types.uint8, 2), readonly(types.float32), readonly(types.float32), _INTS,
        readonly(types.bool_), readonly(types.int64, 2), readonly(types.int64, 2),
        readonly(types.float32), readonly(types.int64, 2), readonly(types.bool_),
        readonly(types.int64, 2), _INTS, _NUMBERS, _INTS, _NUMBERS, _NUMBERS,
    )
)  # fmt: skip
def rank_segments(
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
    ends: NDArray[np.int64],
    first_rows: NDArray[np.int64],
    heap: NDArray[np.int64],
    heap_offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counters: NDArray[np.int64],
) -> None:
    """Offer the rows of each segment to the heap of each query.

    The arrays of the segments lie one behind the other, as ``ends`` says
    (:func:`octavo.kernels.find_postings.find_postings`); ``levels`` are those of the only segment,
    else empty. ``starts``, ``stops`` and ``level_numbers`` have a line a segment; ``admitted`` is
    for all rows of the index, and ``first_rows`` says which of them is the first of each segment.
    The rest is as in :func:`octavo.kernels.rank_block_max.rank_queries`.
    """
    for segment in range(first_rows.shape[0]):
        first_row = first_rows[segment]
        row_count = ends[segment + 1, ROWS] - ends[segment, ROWS]
        held = slice(ends[segment, POSTINGS], ends[segment + 1, POSTINGS])
        large = slice(ends[segment, LARGE], ends[segment + 1, LARGE])
        rank_queries(
            rows[held], codes[held], large_places[large], large_counts[large],
            bounds[ends[segment, BLOCKS] : ends[segment + 1, BLOCKS]], levels, factors, norms,
            clause_offsets, accumulated, starts[segment], stops[segment], weights,
            level_numbers[segment], admitted[first_row : first_row + row_count], row_count,
            first_row, heap, heap_offsets, sizes, counters,
        )  # fmt: skip
