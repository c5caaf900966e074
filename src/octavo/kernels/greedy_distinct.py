"""Keep, in order of rank, the vectors that are not too similar to one kept before."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable


@kernel(types.int64(readonly(types.float32, 2), types.float64, types.int64, writable(types.int64)))
def greedy_distinct(
    vectors: NDArray[np.float32], threshold: float, limit: int, kept: NDArray[np.int64]
) -> int:
    """Write the positions of at most ``limit`` distinct vectors to ``kept``; return how many.

    A vector is dropped where its cosine with one kept before is at least ``threshold``. A zero
    vector has a cosine with none: it is kept, and drops none.

    Parameters
    ----------
    vectors
        Finite float32 values, shape ``(n, d)``, best first.
    threshold
        The cosine from which two vectors are taken for the same.
    limit
        Where to stop.
    kept
        int64, at least ``min(n, limit)`` long.

    Notes
    -----
    Sums are taken in float64 component by component, so equal vectors have a cosine of exactly 1.
    O(n * limit * d).
    """
    count = 0
    dimensions = vectors.shape[1]
    squares = np.zeros(vectors.shape[0], np.float64)
    for row in range(vectors.shape[0]):
        if count >= limit:
            break
        square = 0.0
        for column in range(dimensions):
            value = np.float64(vectors[row, column])
            square += value * value
        squares[row] = square
        distinct = True
        if square > 0.0:
            for place in range(count):
                other = kept[place]
                if squares[other] > 0.0:
                    product = 0.0
                    for column in range(dimensions):
                        product += np.float64(vectors[row, column]) * np.float64(
                            vectors[other, column]
                        )
                    if product / math.sqrt(square * squares[other]) >= threshold:
                        distinct = False
                        break
        if distinct:
            kept[count] = row
            count += 1
    return count
