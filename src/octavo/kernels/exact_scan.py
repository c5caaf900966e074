"""Exact cosine top-k of a block of vectors, from approximate scores that were computed before.

An approximate score (single precision, any order of summation) only says which rows can still
reach the k best. Those are scored again in double precision with one fixed order of summation, and
only such scores are compared. So neither the block size nor the way the approximation was computed
can move a score, an order or a tie.
"""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.top_k import push, sift_down

_STRIP = 64
_LANES = 32
SUMS = 2 * _LANES
_VECTORS = readonly(types.float32, 2)


@kernel(types.void(_VECTORS, types.int64, _VECTORS, types.int64, writable(types.float64)))
def _inner_products(
    queries: NDArray[np.float32],
    query: int,
    vectors: NDArray[np.float32],
    position: int,
    sums: NDArray[np.float64],
) -> None:
    """Leave the inner product of query and vector in ``sums[0]``, of the vector with itself next.

    Component ``c`` goes to partial sum ``c mod 32``, and the partial sums are added by halves: a
    fixed order that the compiler can vectorise as it stands. The product of two float32 values is
    exact in float64, so only the sums round, and a fused multiply-add changes nothing.
    """
    for lane in range(2 * _LANES):
        sums[lane] = 0.0
    dimensions = vectors.shape[1]
    whole = dimensions - dimensions % _LANES
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            value = np.float64(vectors[position, start + lane])
            sums[lane] += np.float64(queries[query, start + lane]) * value
            sums[_LANES + lane] += value * value
    for lane in range(dimensions - whole):
        value = np.float64(vectors[position, whole + lane])
        sums[lane] += np.float64(queries[query, whole + lane]) * value
        sums[_LANES + lane] += value * value
    half = _LANES // 2
    while half > 0:
        for lane in range(half):
            sums[lane] += sums[lane + half]
            sums[_LANES + lane] += sums[_LANES + lane + half]
        half //= 2
    sums[1] = sums[_LANES]


@kernel(
    types.float64(
        _VECTORS, types.int64, types.float64, _VECTORS, types.int64, writable(types.float64)
    )
)
def cosine(
    queries: NDArray[np.float32],
    query: int,
    query_square: float,
    vectors: NDArray[np.float32],
    position: int,
    sums: NDArray[np.float64],
) -> float:
    """Return the cosine of a query and a stored vector, in [-1, 1]; 0 where either is zero.

    Parameters
    ----------
    queries, query
        Float32 array of shape ``(q, d)`` and the number of its row.
    query_square
        The query's own value of :func:`squared_lengths`.
    vectors, position
        Float32 array of shape ``(n, d)`` and the number of its row.
    sums
        Scratch of :data:`SUMS` values.
    """
    _inner_products(queries, query, vectors, position, sums)
    product = float(sums[0])
    square = float(sums[1])
    if square == 0.0 or query_square == 0.0:
        return 0.0
    # sqrt(x * x) is x exactly, so a vector has cosine 1.0 with itself, to the last bit.
    value = product / math.sqrt(query_square * square)
    # Clipped before anything is compared, so that rounding past 1 decides no order.
    if value > 1.0:
        return 1.0
    if value < -1.0:
        return -1.0
    return value


@kernel(types.void(_VECTORS, writable(types.float64)))
def squared_lengths(vectors: NDArray[np.float32], squares: NDArray[np.float64]) -> None:
    """Write the inner product of each vector with itself, summed in the order of :func:`cosine`."""
    sums = np.empty(SUMS, np.float64)
    for position in range(vectors.shape[0]):
        _inner_products(vectors, position, vectors, position, sums)
        squares[position] = sums[1]


@kernel(
    types.int64(
        types.float64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        writable(types.int64),
        writable(types.float64),
        writable(types.int64),
    )
)
def offer(
    score: float,
    row: int,
    base: int,
    count: int,
    depth: int,
    heap: NDArray[np.int64],
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> int:
    """Offer a scored row to the ``count`` of at most ``depth`` hits that lie from ``base`` on.

    Returns
    -------
    int
        How many there now are. NaN, which only damaged vectors score, is never one.
    """
    if score != score:
        return count
    if count < depth:
        slot = base + count
        scores[slot] = score
        rows[slot] = row
        push(heap, base, count, slot, scores, rows)
        return count + 1
    slot = heap[base]
    worst = scores[slot]
    if score > worst or (score == worst and row < rows[slot]):
        scores[slot] = score
        rows[slot] = row
        sift_down(heap, base, depth, scores, rows)
    return count


@kernel(
    types.int64(
        readonly(types.float32, 2),
        types.float32,
        types.float64,
        _VECTORS,
        readonly(types.float64),
        _VECTORS,
        types.int64,
        readonly(types.int64),
        readonly(types.boolean),
        types.int64,
        writable(types.int64),
        writable(types.int64),
        writable(types.float64),
        writable(types.int64),
    )
)
def scan_block(
    approximate: NDArray[np.float32],
    slope: float,
    reach: float,
    queries: NDArray[np.float32],
    query_squares: NDArray[np.float64],
    vectors: NDArray[np.float32],
    first_row: int,
    row_numbers: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    depth: int,
    counts: NDArray[np.int64],
    heap: NDArray[np.int64],
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> int:
    """Offer a block of vectors to the ``depth`` best of each query.

    Parameters
    ----------
    approximate
        Float32, shape ``(q, at least n)``: one value for each query and vector.
    slope, reach
        ``slope * approximate + reach`` is never below the cosine of the pair. ``slope`` is a power
        of two with either sign.
    queries, query_squares
        Float32, shape ``(q, d)``, and the inner product of each with itself.
    vectors
        Float32, shape ``(n, d)``.
    first_row, row_numbers
        Vector ``i`` is row ``row_numbers[i]``, or ``first_row + i`` where ``row_numbers`` is empty.
    admitted
        Which of the vectors may be hits; empty: all.
    depth
        The number of hits kept of each query, at least 1.
    counts, heap, scores, rows
        State of the heaps: query ``i`` owns ``counts[i]`` slots from ``i * depth`` on.

    Returns
    -------
    int
        How many vectors were scored exactly.
    """
    n = vectors.shape[0]
    rescored = 0
    sums = np.empty(SUMS, np.float64)
    for query in range(queries.shape[0]):
        base = query * depth
        count = counts[query]
        cut = np.float32(-np.inf)
        if count == depth:
            cut = np.float32(scores[heap[base]] - reach)
        for start in range(0, n, _STRIP):
            stop = min(start + _STRIP, n)
            possible = 0
            for position in range(start, stop):  # vectorised: most strips end here
                possible += not (slope * approximate[query, position] < cut)
            if possible == 0:
                continue
            for position in range(start, stop):
                if slope * approximate[query, position] < cut:
                    continue
                if admitted.shape[0] > 0 and not admitted[position]:
                    continue
                score = cosine(queries, query, query_squares[query], vectors, position, sums)
                rescored += 1
                row = first_row + position
                if row_numbers.shape[0] > 0:
                    row = row_numbers[position]
                count = offer(score, row, base, count, depth, heap, scores, rows)
                if count == depth:
                    cut = np.float32(scores[heap[base]] - reach)
        counts[query] = count
    return rescored


@kernel(
    types.void(
        _VECTORS,
        readonly(types.float64),
        readonly(types.int64),
        readonly(types.int64),
        _VECTORS,
        types.int64,
        writable(types.float64),
    )
)
def score_rows(
    queries: NDArray[np.float32],
    query_squares: NDArray[np.float64],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    vectors: NDArray[np.float32],
    first_row: int,
    scores: NDArray[np.float64],
) -> None:
    """Write the cosine of each (query, row) pair whose row lies in this segment.

    Query ``i`` owns positions ``offsets[i]`` to ``offsets[i + 1]`` of ``rows`` and ``scores``; the
    segment holds rows ``first_row`` to ``first_row + len(vectors)``.
    """
    sums = np.empty(SUMS, np.float64)
    for query in range(queries.shape[0]):
        for position in range(offsets[query], offsets[query + 1]):
            local = rows[position] - first_row
            if 0 <= local < vectors.shape[0]:
                scores[position] = cosine(
                    queries, query, query_squares[query], vectors, local, sums
                )
