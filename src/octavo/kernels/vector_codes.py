"""Vectors as 8-bit codes: a quarter of the size, with a proven bound on what was lost.

A vector ``v`` becomes ``scale * (code - 128) + rest``. The code is rounded to the nearest of 255
levels between the vector's largest component and its negative; ``|rest|`` is stored beside it,
rounded up. By Cauchy and Schwarz the inner product with a query is then known to within
``|query| * |rest|``, so codes can say which vectors cannot be among the best.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

LEVELS = 127  # on either side of zero
ZERO = 128  # the code of a component that is zero

_STEPS = 512  # fractions of a level in which a rest is counted; squares of 16,384 fit in an int32
_MAGNITUDE = 0x7FFFFFFF


@kernel(types.int32(readonly(types.int32, 2), types.int64))
def _largest_magnitude(bits: NDArray[np.int32], row: int) -> int:
    """Return the bits of the largest magnitude in a row; float32 magnitudes order as integers."""
    largest = np.int32(0)
    for column in range(bits.shape[1]):
        largest = max(largest, np.int32(bits[row, column] & np.int32(_MAGNITUDE)))
    return largest  # type: ignore[return-value] # an int32, so that the kernel stays narrow


@kernel(
    types.void(
        readonly(types.float32, 2),
        readonly(types.int32, 2),
        writable(types.uint8, 2),
        writable(types.float32, 2),
    )
)
def _encode_rows(
    vectors: NDArray[np.float32],
    bits: NDArray[np.int32],
    codes: NDArray[np.uint8],
    bounds: NDArray[np.float32],
) -> None:
    """Encode each row of ``vectors``, whose memory is ``bits`` too."""
    dimensions = vectors.shape[1]
    steps = np.float32(_STEPS)
    slack = np.float32(np.sqrt(np.float32(dimensions)))  # twice half a step a component
    magnitude = np.empty(1, np.int32)
    as_float = magnitude.view(np.float32)
    for row in range(vectors.shape[0]):
        magnitude[0] = _largest_magnitude(bits, row)
        largest = as_float[0]
        usual = np.float32(2.0**-40) < largest < np.float32(2.0**40)
        inverse = np.float32(0.0)
        if usual:
            inverse = np.float32(np.float32(LEVELS) / largest)
        total = np.int32(0)
        for column in range(dimensions):
            level = np.float32(0.0)
            if usual:
                level = np.float32(vectors[row, column] * inverse)
            nearest = np.float32(np.rint(level))
            codes[row, column] = np.uint8(np.int32(nearest) + np.int32(ZERO))
            rest = np.int32(np.rint(np.float32(np.float32(level - nearest) * steps)))
            total = np.int32(total + np.int32(rest * rest))
        if usual:
            scale = np.float32(largest / np.float32(LEVELS))
            length = np.float32(np.float32(np.sqrt(np.float32(total))) + slack)
            bounds[row, 0] = scale
            bounds[row, 1] = np.float32(np.float32(scale * length) / steps)
        else:
            bounds[row, 0] = np.float32(0.0)
            bounds[row, 1] = np.float32(0.0) if largest == np.float32(0.0) else np.float32(np.inf)


def encode_vectors(
    vectors: NDArray[np.float32], width: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Encode each row of ``vectors``.

    Parameters
    ----------
    vectors
        Float32, shape ``(n, d)``, at most 16,384 dimensions.
    width
        Columns of the codes, at least ``d``; those from ``d`` on stand for zero.

    Returns
    -------
    codes, bounds
        uint8 of shape ``(n, width)``, and float32 of shape ``(n, 2)``: the scale of each row, and
        an upper bound of the length of its rest. A row that is not finite, or too large or small
        to be of unit length, has the bound infinity.

    Notes
    -----
    Components are measured in levels. Each rest is counted in whole steps of 1/512 of a level, so
    that the sum of squares is exact in integers; a step a component, twice what rounding to steps
    and the rounding of float32 can lose, is added to the length at the end. O(n d).

    Examples
    --------
    >>> codes, bounds = encode_vectors(np.array([[0.6, -0.8]], np.float32), 3)
    >>> codes.tolist()
    [[223, 1, 128]]
    """
    vectors = np.ascontiguousarray(vectors)
    codes = np.empty((len(vectors), width), np.uint8)
    codes[:, vectors.shape[1] :] = ZERO
    bounds = np.empty((len(vectors), 2), np.float32)
    _encode_rows(vectors, vectors.view(np.int32), codes, bounds)
    return codes, bounds
