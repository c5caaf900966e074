"""Find a row in the rising rows of a term."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly

_STEP = 16
"""Rows compared at once, without branches: as many as a vector register holds."""


@kernel(types.int64(readonly(types.int32), types.int64, types.int64, types.int64))
def seek_row(rows: NDArray[np.int32], position: int, stop: int, row: int | np.int64) -> int:
    """Return the first place from ``position`` on, before ``stop``, whose row is at least ``row``.

    Returns ``stop`` where there is none. O(log distance), and fast for short distances.
    """
    if position + _STEP < stop and rows[position + _STEP - 1] < row:
        position += _STEP
        step = _STEP
        while position + step < stop and rows[position + step] < row:
            position += step + 1
            step *= 2
        end = min(position + step, stop)
        while end - position > _STEP:
            middle = (position + end) // 2
            if rows[middle] < row:
                position = middle + 1
            else:
                end = middle
    if position + _STEP > stop:
        while position < stop and rows[position] < row:
            position += 1
        return position
    below = 0
    for index in range(_STEP):
        below += rows[position + index] < row
    return position + below
