"""Scan 8-bit codes of stored vectors for candidates that can still be among the best.

The codes say between which ends the cosine of a candidate lies; :mod:`octavo.kernels.candidates`
keeps those that count, and scores them exactly in the end, so results have the bits of
:mod:`octavo.kernels.exact_scan`.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.candidates import prune, settle_queries
from octavo.kernels.code_tiles import (
    LANES,
    NARROW_ROWS,
    WIDE_GROUPS,
    WIDE_ROWS,
    narrow_tile,
    single_tile,
    wide_tile,
)
from octavo.kernels.compile import kernel, readonly, writable

_STRIP_BYTES = 1 << 19  # of codes: read once from memory, then by each tile from a cache (measured)
_WIDE_FROM = 3  # groups: from here on one wide tile is faster than several narrow ones (measured)
_POSITIVE = 0x7FFFFFFFFFFFFFFF
_VECTORS = readonly(types.float32, 2)
_NUMBERS = writable(types.int64)
_ENDS = writable(types.float64)


@kernel(types.int64(readonly(types.int8, 2), types.int64, readonly(types.uint8, 2), types.int64))
def _dot(levels: NDArray[np.int8], query: int, codes: NDArray[np.uint8], code: int) -> int:
    total = np.int32(0)
    for column in range(levels.shape[1]):
        product = np.int32(levels[query, column]) * np.int32(codes[code, column])
        total = np.int32(total + np.int32(product))
    return int(total)


@kernel(
    types.int64(
        readonly(types.uint16),
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        readonly(types.uint8, 2),
        _VECTORS,
        readonly(types.int8, 2),
        readonly(types.int32),
        readonly(types.float64, 2),
        writable(types.float32),
        _VECTORS,
        readonly(types.float64),
        _VECTORS,
        types.int64,
        readonly(types.int64),
        types.int64,
        readonly(types.boolean),
        types.int64,
        _NUMBERS,
        _NUMBERS,
        _ENDS,
        _ENDS,
        _ENDS,
    )
)
def _collect_tile(
    masks: NDArray[np.uint16],
    tile_rows: int,
    tile_groups: int,
    first: int,
    stop: int,
    group: int,
    codes: NDArray[np.uint8],
    bounds: NDArray[np.float32],
    levels: NDArray[np.int8],
    starts: NDArray[np.int32],
    cuts: NDArray[np.float64],
    thresholds: NDArray[np.float32],
    queries: NDArray[np.float32],
    query_squares: NDArray[np.float64],
    vectors: NDArray[np.float32],
    start: int,
    positions: NDArray[np.int64],
    first_row: int,
    admitted: NDArray[np.bool_],
    depth: int,
    counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    scratch: NDArray[np.float64],
) -> int:
    """Add the pairs that a tile left over to the candidates; return how many were scored."""
    capacity = rows.shape[0] // counts.shape[0]
    scored = 0
    for code in range(first, min(stop, first + tile_rows)):
        if admitted.shape[0] > 0 and not admitted[code]:
            continue
        number = (code - first) * tile_groups
        mask = np.int64(masks[number])
        for other in range(1, tile_groups):
            mask |= np.int64(masks[number + other]) << (LANES * other)
        query = group * LANES - 1
        while mask != 0:
            query += 1
            bit = mask & 1
            mask = (mask >> 1) & _POSITIVE
            if bit == 0 or query >= queries.shape[0]:
                continue
            dot = _dot(levels, query, codes, code) + np.int64(starts[query])
            value = np.float64(dot) * np.float64(bounds[code, 0]) / cuts[query, 1]
            reach = cuts[query, 0] + np.float64(bounds[code, 1]) * cuts[query, 2]
            place = query * capacity + counts[query]
            position = start + code
            if positions.shape[0] > 0:
                position = positions[code]
            rows[place] = first_row + position
            lowest[place] = value - reach
            highest[place] = value + reach
            if not lowest[place] < highest[place]:  # damaged
                lowest[place] = -np.inf
                highest[place] = np.inf
            counts[query] += 1
            if counts[query] < capacity:
                continue
            base = query * capacity
            counts[query] = prune(base, capacity, depth, rows, lowest, highest, scratch)
            thresholds[query] = np.float32((scratch[0] - cuts[query, 0]) * cuts[query, 1])
            if 2 * counts[query] > capacity + depth:  # too little was gained
                scored += settle_queries(
                    query,
                    query + 1,
                    queries,
                    query_squares,
                    cuts,
                    thresholds,
                    vectors,
                    first_row,
                    depth,
                    counts,
                    rows,
                    lowest,
                    highest,
                )
    return scored


@kernel(
    types.int64(
        readonly(types.uint8, 2),
        _VECTORS,
        readonly(types.int8),
        readonly(types.int8, 2),
        readonly(types.int32),
        readonly(types.float32),
        readonly(types.float64, 2),
        writable(types.float32),
        _VECTORS,
        readonly(types.float64),
        _VECTORS,
        types.int64,
        readonly(types.int64),
        types.int64,
        readonly(types.boolean),
        types.int64,
        _NUMBERS,
        _NUMBERS,
        _ENDS,
        _ENDS,
    )
)
def scan_codes(
    codes: NDArray[np.uint8],
    bounds: NDArray[np.float32],
    packed: NDArray[np.int8],
    levels: NDArray[np.int8],
    starts: NDArray[np.int32],
    slopes: NDArray[np.float32],
    cuts: NDArray[np.float64],
    thresholds: NDArray[np.float32],
    queries: NDArray[np.float32],
    query_squares: NDArray[np.float64],
    vectors: NDArray[np.float32],
    start: int,
    positions: NDArray[np.int64],
    first_row: int,
    admitted: NDArray[np.bool_],
    depth: int,
    counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
) -> int:
    """Add to the candidates of each query those coded vectors that can be among its best.

    Parameters
    ----------
    codes, bounds
        What :func:`octavo.kernels.vector_codes.encode_vectors` makes: shape ``(n, width)``, where
        ``width`` is a multiple of 64, and ``(n, 2)``.
    packed, levels, starts, slopes, cuts, thresholds
        The coded queries, as :class:`octavo.engines.vector.coded_queries.CodedQueries` has them;
        the thresholds rise as candidates are found.
    queries, query_squares
        Float32, shape ``(q, d)``, and the inner product of each with itself.
    vectors, start, positions
        Code ``i`` is that of ``vectors[start + i]``, or of ``vectors[positions[i]]`` where there
        are positions.
    first_row
        The row of ``vectors[0]``.
    admitted
        Which of the coded vectors may be hits; empty: all.
    depth
        How many hits are wanted of each query, at least 1.
    counts, rows, lowest, highest
        The candidates: query ``i`` has ``counts[i]`` of them, from ``i * capacity`` on; its
        capacity, ``len(rows) / q``, is larger than ``depth``.

    Returns
    -------
    int
        How many vectors were scored exactly on the way.
    """
    n = codes.shape[0]
    masks = np.zeros(WIDE_ROWS * WIDE_GROUPS, np.uint16)
    scratch = np.empty(rows.shape[0] // max(1, counts.shape[0]), np.float64)
    groups = (queries.shape[0] + LANES - 1) // LANES
    strip = max(64, _STRIP_BYTES // max(1, codes.shape[1]))
    scored = 0
    for begin in range(0, n, strip):
        stop = min(n, begin + strip)
        group = 0
        while group < groups:
            wide = groups - group >= _WIDE_FROM
            tile_groups = WIDE_GROUPS if wide else 1
            tile_rows = WIDE_ROWS if wide else NARROW_ROWS
            for first in range(begin, stop, tile_rows):
                # fmt: off
                if wide:
                    found = wide_tile(
                        codes, bounds, first, n - 1, packed, group,
                        starts, slopes, thresholds, masks,
                    )
                elif queries.shape[0] == 1:
                    found = single_tile(
                        codes, bounds, first, n - 1, packed, group,
                        starts, slopes, thresholds, masks,
                    )
                else:
                    found = narrow_tile(
                        codes, bounds, first, n - 1, packed, group,
                        starts, slopes, thresholds, masks,
                    )
                if found != 0:
                    scored += _collect_tile(
                        masks, tile_rows, tile_groups, first, stop, group,
                        codes, bounds, levels, starts, cuts, thresholds,
                        queries, query_squares, vectors, start, positions, first_row,
                        admitted, depth, counts, rows, lowest, highest, scratch,
                    )
                # fmt: on
            group += tile_groups
    return scored
