"""Finding the entry of a row in an open-addressing table that the caller owns."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly

_SPREAD = 0x9E3779B1  # 2**32 / golden ratio; with 31 bits of a row the product fits in an int64


@kernel(types.int64(readonly(types.int64), readonly(types.int64), types.int64, types.int64))
def find_slot(keys: NDArray[np.int64], entries: NDArray[np.int64], mask: int, row: int) -> int:
    """Return the slot of the table that holds ``row``, or the free one for it.

    Parameters
    ----------
    keys
        The row of each used slot.
    entries
        The entry of each used slot; below 0 where the slot is free. At least one is.
    mask
        One less than the size of the table, which is a power of two.
    row
        At least 0.
    """
    spread = (row & 0x7FFFFFFF) * _SPREAD
    slot = ((spread >> 15) ^ (row >> 31)) & mask
    while entries[slot] >= 0 and keys[slot] != row:
        slot = (slot + 1) & mask
    return int(slot)
