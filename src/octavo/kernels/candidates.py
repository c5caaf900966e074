"""Candidates for the best k whose scores are known only to lie in an interval.

A buffer of more than k candidates a query takes what a scan nominates. When it is full, every
candidate is dropped that k others certainly beat; where too few can be, all are scored exactly
and the best k stay. So a long scan scores little more than k vectors, and the work of keeping the
buffer is a few steps a candidate. A candidate that has been scored has an interval of one point.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.exact_scan import SUMS, cosine
from octavo.kernels.prefetch import fetch_row
from octavo.kernels.selection import value_at
from octavo.kernels.top_k import select_best

_AHEAD = 8  # candidates: how far ahead their vectors are fetched (measured)
_VECTORS = readonly(types.float32, 2)
_VALUES = writable(types.float64)
_NUMBERS = writable(types.int64)


@kernel(types.float64(_VALUES, types.int64, types.int64))
def kth_largest(values: NDArray[np.float64], size: int, k: int) -> float:
    """Return the ``k``-th largest of the first ``size`` values, none of them NaN; reorders them."""
    return value_at(values[:size], size - k)


@kernel(types.int64(types.int64, types.int64, types.int64, _NUMBERS, _VALUES, _VALUES, _VALUES))
def prune(
    base: int,
    size: int,
    k: int,
    rows: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    scratch: NDArray[np.float64],
) -> int:
    """Drop the candidates that ``k`` others certainly beat, keeping the order of the rest.

    Parameters
    ----------
    base, size
        The candidates lie from ``base`` on; there are more than ``k``.
    k
        How many are wanted, at least 1.
    rows, lowest, highest
        Row and interval of each candidate.
    scratch
        At least ``size`` values. Afterwards the first is the ``k``-th largest lower end.

    Returns
    -------
    int
        How many stay, at least ``k``.
    """
    for number in range(size):
        scratch[number] = lowest[base + number]
    cut = kth_largest(scratch, size, k)
    scratch[0] = cut
    kept = base
    for place in range(base, base + size):
        if highest[place] >= cut:
            rows[kept] = rows[place]
            lowest[kept] = lowest[place]
            highest[kept] = highest[place]
            kept += 1
    return kept - base


@kernel(
    types.int64(
        types.int64,
        types.int64,
        types.int64,
        _NUMBERS,
        _NUMBERS,
        _VALUES,
        _VALUES,
        _VECTORS,
        types.float64,
        _VECTORS,
        types.int64,
    )
)
def settle(
    query: int,
    base: int,
    k: int,
    counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    queries: NDArray[np.float32],
    query_square: float,
    vectors: NDArray[np.float32],
    first_row: int,
) -> int:
    """Score every candidate that has an interval and keep the best ``k``, in order (S6).

    Parameters
    ----------
    query, base, k
        The ``counts[query]`` candidates lie from ``base`` on; at most ``k`` stay.
    counts, rows, lowest, highest
        Number of candidates of each query; row and interval of each candidate. Afterwards both
        ends of those that stay are their scores.
    queries, query_square
        Float32, shape ``(q, d)``, and the product of this query with itself.
    vectors, first_row
        Float32, shape ``(n, d)``, and the row of the first; it holds every row not yet scored.

    Returns
    -------
    int
        How many were scored. A score of NaN, from damaged vectors, does not stay.
    """
    size = counts[query]
    sums = np.empty(SUMS, np.float64)
    scored = 0
    kept = base
    for place in range(base, base + size):
        ahead = place + _AHEAD
        if ahead < base + size and lowest[ahead] < highest[ahead]:
            fetch_row(vectors, rows[ahead] - first_row)
        score = lowest[place]
        if score < highest[place]:
            position = rows[place] - first_row
            score = cosine(queries, query, query_square, vectors, position, sums)
            scored += 1
            if score != score:
                continue
        rows[kept] = rows[place]
        lowest[kept] = score
        kept += 1
    best = np.empty(size, np.int64)
    heap = np.empty(2 * size, np.int64)
    counts[query] = select_best(lowest, rows, base, kept, k, best, 0, heap)
    for number in range(counts[query]):  # upper ends are of no more use: they take the scores
        highest[base + number] = lowest[best[number]]
        best[number] = rows[best[number]]
    for number in range(counts[query]):
        lowest[base + number] = highest[base + number]
        rows[base + number] = best[number]
    return scored


@kernel(
    types.int64(
        types.int64,
        types.int64,
        _VECTORS,
        readonly(types.float64),
        readonly(types.float64, 2),
        writable(types.float32),
        _VECTORS,
        types.int64,
        types.int64,
        _NUMBERS,
        _NUMBERS,
        _VALUES,
        _VALUES,
    )
)
def settle_queries(
    first: int,
    stop: int,
    queries: NDArray[np.float32],
    query_squares: NDArray[np.float64],
    cuts: NDArray[np.float64],
    thresholds: NDArray[np.float32],
    vectors: NDArray[np.float32],
    first_row: int,
    depth: int,
    counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
) -> int:
    """Score the candidates of queries ``first`` to ``stop`` and keep the best of each, in order.

    The other parameters are those of :func:`octavo.kernels.code_scan.scan_codes`; ``vectors`` holds
    every row that has not been scored. ``lowest`` then holds the scores. Returns how many vectors
    were scored.
    """
    capacity = rows.shape[0] // counts.shape[0]
    scored = 0
    for query in range(first, stop):
        base = query * capacity
        scored += settle(
            query,
            base,
            depth,
            counts,
            rows,
            lowest,
            highest,
            queries,
            query_squares[query],
            vectors,
            first_row,
        )
        if counts[query] == depth:
            worst = lowest[base + depth - 1]
            thresholds[query] = np.float32((worst - cuts[query, 0]) * cuts[query, 1])
    return scored
