"""Product quantisation to four bits: each slice of a vector becomes the number of a centroid."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

CENTROIDS = 16
"""Centroids a slice: what four bits can say."""


@kernel(
    types.void(
        readonly(types.float32, 2),
        readonly(types.int64),
        readonly(types.float32, 2),
        types.int64,
        writable(types.uint8, 2),
    )
)
def quantize(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    centroids: NDArray[np.float32],
    width: int,
    codes: NDArray[np.uint8],
) -> None:
    """Write the code of each of ``rows`` of ``vectors``, two slices a byte, the first one lowest.

    Parameters
    ----------
    vectors
        Shape ``(n, dimensions)``.
    rows
        Which of them to code: at least 0 and below ``n``.
    centroids
        Shape ``(dimensions, 16)``: column ``c`` holds, slice after slice, centroid ``c``.
    width
        Dimensions a slice; divides ``dimensions``.
    codes
        Shape ``(len(rows), at least half the number of slices)``; set where slices lie, the rest
        left alone.

    Notes
    -----
    The centroid nearest by squared distance, the first of equally near ones. O(16 * dimensions) a
    row (Jegou, Douze and Schmid, Product Quantization for Nearest Neighbor Search, 2011).
    """
    distances = np.empty(CENTROIDS, np.float32)
    for place in range(rows.shape[0]):
        row = rows[place]
        for number in range(vectors.shape[1] // width):
            for centroid in range(CENTROIDS):
                distances[centroid] = np.float32(0.0)
            for dimension in range(number * width, (number + 1) * width):
                value = vectors[row, dimension]
                for centroid in range(CENTROIDS):
                    difference = value - centroids[dimension, centroid]
                    distances[centroid] += difference * difference
            nearest = 0
            for centroid in range(1, CENTROIDS):
                if distances[centroid] < distances[nearest]:
                    nearest = centroid
            if number % 2 == 0:
                codes[place, number // 2] = np.uint8(nearest)
            else:
                codes[place, number // 2] |= np.uint8(nearest << 4)
