"""The best rows of a query by scoring every posting, which is fastest for many terms.

One accumulator a row, a window of rows at a time. Scores are added in the order of the clauses, so
that their bits are those of :mod:`octavo.kernels.block_max`, and of tantivy's union.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.block_max import (
    CLAUSES,
    COUNTERS,
    HEAP,
    POSTINGS,
    SCORED,
    SCORING,
    SELECTION,
    large_factor,
)
from octavo.kernels.compile import kernel, writable
from octavo.kernels.key_heap import hit_key, key_score, push_key, replace_root
from octavo.kernels.posting_codes import FIRST_LARGE_CODE
from octavo.kernels.seek import seek_row

WINDOW = 8192
"""Rows scored together: 32 KiB of accumulators."""


@kernel(
    types.int64(*POSTINGS, *SCORING, *CLAUSES, *SELECTION, *HEAP, writable(types.float32), COUNTERS)
)
def rank_by_windows(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    large_places: NDArray[np.int64],
    large_counts: NDArray[np.int64],
    factors: NDArray[np.float32],
    norms: NDArray[np.float32],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    weights: NDArray[np.float32],
    admitted: NDArray[np.bool_],
    rows_total: int,
    first_row: int,
    heap: NDArray[np.int64],
    base: int,
    size: int,
    limit: int,
    sums: NDArray[np.float32],
    counters: NDArray[np.int64],
) -> int:
    """Do what :func:`octavo.kernels.block_max.rank_rarest_first` does, by scoring every posting.

    ``sums`` is float32[WINDOW], all zero, and is left so.
    """
    places = starts.copy()
    threshold = np.float32(0.0)
    if size == limit:
        threshold = key_score(heap[base])
    for window in range(0, rows_total, WINDOW):
        end = min(window + WINDOW, rows_total)
        width = end - window
        touched = 0
        for clause in range(starts.shape[0]):
            place = int(places[clause])
            weight = weights[clause]
            stop = seek_row(rows, place, stops[clause], end)
            touched += stop - place
            places[clause] = stop
            for posting in range(place, stop):
                code = np.int64(codes[posting])
                factor = factors[code]
                if code >= FIRST_LARGE_CODE:
                    factor = large_factor(posting, code, large_places, large_counts, norms)
                slot = np.int64(rows[posting]) - window
                if slot >= 0 and slot < width:  # always, but in a damaged file
                    sums[slot] = np.float32(sums[slot] + np.float32(weight * factor))
        if touched == 0:
            continue
        counters[SCORED] += touched
        for index in range(width):
            score = sums[index]
            sums[index] = np.float32(0.0)
            if score < threshold or not score > 0.0:
                continue
            row = window + index
            if admitted.shape[0] and not admitted[row]:
                continue
            key = hit_key(score, first_row + row)
            if size < limit:
                push_key(heap, base, size, key)
                size += 1
            elif key > heap[base]:
                replace_root(heap, base, size, key)
            if size == limit:
                threshold = key_score(heap[base])
    return size
