"""The value at one place of the ascending order, without sorting."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, writable


@kernel(
    [
        types.float64(writable(types.float64), types.int64),
        types.int64(writable(types.int64), types.int64),
    ]
)
def value_at(values: NDArray[np.float64 | np.int64], place: int) -> float | int:
    """Return what would stand at ``place`` if the values were sorted; their order is lost.

    Parameters
    ----------
    values
        float64 or int64, none of them NaN; reordered.
    place
        From 0 to ``len(values) - 1``.

    Notes
    -----
    Hoare's algorithm (Communications of the ACM 4(7), 1961), linear on average. numba's own
    ``np.partition`` takes seconds to compile.
    """
    low = 0
    high = values.shape[0] - 1
    while low < high:
        pivot = values[(low + high) // 2]
        left = low
        right = high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while pivot < values[right]:
                right -= 1
            if left <= right:
                swapped = values[left]
                values[left] = values[right]
                values[right] = swapped
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            break
    return values[place]  # type: ignore[no-any-return]
