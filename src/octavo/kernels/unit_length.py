"""Scale vectors to unit length, with a norm taken in float64 that cannot overflow."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

# A vector whose squared length is this close to 1 already has unit length as far as float32 can
# tell: it is kept as it is, so scaling twice gives the same bits as scaling once.
UNIT_TOLERANCE = 2.0**-20

_LANES = 32
_MATRICES = (readonly(types.float32, 2), readonly(types.float64, 2))
_SUMS = writable(types.float64)


@kernel([types.float64(matrix, types.int64, types.float64, _SUMS) for matrix in _MATRICES])
def _squared_length(
    values: NDArray[np.floating], row: int, scale: float, sums: NDArray[np.float64]
) -> float:
    """Return the squared length of a row divided by ``scale``, in one fixed order of summation."""
    for lane in range(_LANES):
        sums[lane] = 0.0
    dimensions = values.shape[1]
    whole = dimensions - dimensions % _LANES
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            value = np.float64(values[row, start + lane]) / scale
            sums[lane] += value * value
    for lane in range(dimensions - whole):
        value = np.float64(values[row, whole + lane]) / scale
        sums[lane] += value * value
    half = _LANES // 2
    while half > 0:
        for lane in range(half):
            sums[lane] += sums[lane + half]
        half //= 2
    return float(sums[0])


@kernel([types.void(matrix, writable(types.float32, 2)) for matrix in _MATRICES])
def _scale_rows(values: NDArray[np.floating], unit: NDArray[np.float32]) -> None:
    sums = np.empty(_LANES, np.float64)
    for row in range(values.shape[0]):
        scale = 1.0
        square = _squared_length(values, row, scale, sums)
        if not 1e-200 < square < 1e200:  # zero, or squares that overflow or vanish
            largest = 0.0
            for column in range(values.shape[1]):
                largest = max(largest, abs(float(values[row, column])))
            if largest == 0.0:
                unit[row, :] = np.float32(0.0)
                continue
            scale = largest
            square = _squared_length(values, row, scale, sums)
        norm = math.sqrt(square)
        if scale == 1.0 and abs(square - 1.0) <= UNIT_TOLERANCE:
            norm = 1.0
        if scale == 1.0:
            for column in range(values.shape[1]):
                unit[row, column] = np.float32(np.float64(values[row, column]) / norm)
        else:
            for column in range(values.shape[1]):
                unit[row, column] = np.float32(np.float64(values[row, column]) / scale / norm)


def unit_length(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the rows of ``values`` scaled to unit length.

    Parameters
    ----------
    values
        Finite float16, float32 or float64 values, shape ``(n, d)``, of any layout.

    Returns
    -------
    NDArray[np.float32]
        Shape ``(n, d)``, C-contiguous, newly allocated. A zero row stays zero; a row that has unit
        length already (its squared length within 2**-20 of 1) is only rounded to float32, so the
        function applied twice gives the same bits as applied once. O(n d).

    Examples
    --------
    >>> unit_length(np.array([[3.0, 4.0], [0.0, 0.0], [3e300, 4e300]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0], [0.6000000238418579, 0.800000011920929]]
    """
    dtype = np.float64 if values.dtype.itemsize > 4 else np.float32
    unit = np.empty(values.shape, np.float32)
    with np.errstate(all="ignore"):  # concerns plain Python only: overflow is dealt with above
        _scale_rows(np.ascontiguousarray(values, dtype), unit)
    return unit
