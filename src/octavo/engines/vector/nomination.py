"""Approximate scores of a block of vectors, by FAISS, with a proven bound on their error.

FAISS's own matrix product serves batches; a few queries are bound by memory bandwidth and go one by
one through its inner products. Both run in single precision, in an order of summation that depends
on the block and on the processor, so they only nominate: the bound says which vectors could still
be among the best.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import faiss
import numpy as np
from numpy.typing import NDArray

# Up to here reading the vectors once for each query is faster than one matrix product (measured).
_FEW_QUERIES = 5
_ULP = 2.0**-24  # unit roundoff of float32


@dataclass(frozen=True, slots=True)
class Bound:
    """``slope * approximate + reach`` is never below the cosine of a query and a stored vector."""

    slope: float
    reach: float


def bound(queries: int, dimensions: int) -> Bound:
    """Return what :func:`approximate` guarantees for so many queries of so many dimensions.

    Notes
    -----
    Let u = 2**-24, and let both vectors be zero or of a squared length within 2**-20 + 4 u of 1. A
    float32 inner product of d terms, summed in any order, is off by at most g = d u / (1 - d u)
    times the product of the lengths (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
    The squared distance ``|q|**2 + |v|**2 - 2 q.v`` is off by g for each square, 2 g for the
    product and at most 4 u for each addition, of which a blocked product makes one for every 64
    terms or fewer. Half of that is the error of the cosine. The lengths add less than 2**-18,
    rounding and underflow included. A zero vector has distance 1 and is only overestimated.
    """
    spread = dimensions * _ULP
    product_error = spread / (1.0 - spread)
    lengths = 2.0**-18
    if queries <= _FEW_QUERIES:
        return Bound(1.0, product_error + lengths)
    additions = 4.0 * _ULP * (4.0 + dimensions / 64.0)
    return Bound(-0.5, 1.0 + 2.0 * product_error + additions / 2.0 + lengths)


def approximate(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], values: NDArray[np.float32]
) -> None:
    """Write to ``values[i, j]`` the approximate score of query ``i`` and vector ``j``.

    All three arrays are C-contiguous; ``values`` has a row for each query and at least as many
    columns as there are vectors. The GIL is released.
    """
    count, dimensions = queries.shape
    n = len(vectors)
    stored = faiss.swig_ptr(vectors)
    if count <= _FEW_QUERIES:
        for query in range(count):
            faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]
                faiss.swig_ptr(values[query]), faiss.swig_ptr(queries[query]), stored, dimensions, n
            )
        return
    faiss.pairwise_L2sqr(
        dimensions,
        count,
        faiss.swig_ptr(queries),
        n,
        stored,
        faiss.swig_ptr(values),
        dimensions,
        dimensions,
        values.shape[1],
    )


def block_rows(queries: int, dimensions: int) -> int:
    """Return how many vectors to compare at a time with so many queries.

    A few queries read each block once for each query, so it stays in the innermost caches; a matrix
    product blocks for itself and is given more, so that there are few calls (measured).
    """
    size = 1 << (20 if queries <= _FEW_QUERIES else 22)
    return max(64, size // (4 * dimensions))


def dense_share(queries: int) -> float:
    """Return from which share of admitted rows on a block is compared whole, not gathered.

    A gathered row is copied once, while a row that is not admitted costs each query one comparison
    (measured).
    """
    return 0.33 if queries <= _FEW_QUERIES else 0.8


@contextmanager
def one_thread() -> Iterator[None]:
    """Let FAISS use only the calling thread, and restore its number of threads afterwards.

    The number belongs to the calling thread, so nothing another thread does is affected.
    """
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)
