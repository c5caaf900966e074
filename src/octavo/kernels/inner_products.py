"""Inner products in single precision with one fixed order of summation."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_LANES = 32
_MATRIX = readonly(types.float32, 2)


@kernel(types.void(_MATRIX, _MATRIX, writable(types.float32, 2)))
def inner_products(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], products: NDArray[np.float32]
) -> None:
    """Write to ``products[i, j]`` the inner product of query ``i`` and vector ``j``.

    Notes
    -----
    Component ``c`` goes to partial sum ``c mod 32`` and the partial sums are added by halves, in
    float32 throughout: unlike a matrix product's, the bits depend on the two vectors only, not on
    how many queries are asked together. O(queries * vectors * dimensions).
    """
    sums = np.empty(_LANES, np.float32)
    dimensions = vectors.shape[1]
    whole = dimensions - dimensions % _LANES
    for query in range(queries.shape[0]):
        for position in range(vectors.shape[0]):
            for lane in range(_LANES):
                sums[lane] = np.float32(0.0)
            for start in range(0, whole, _LANES):
                for lane in range(_LANES):
                    sums[lane] += queries[query, start + lane] * vectors[position, start + lane]
            for lane in range(dimensions - whole):
                sums[lane] += queries[query, whole + lane] * vectors[position, whole + lane]
            half = _LANES // 2
            while half > 0:
                for lane in range(half):
                    sums[lane] += sums[lane + half]
                half //= 2
            products[query, position] = sums[0]
