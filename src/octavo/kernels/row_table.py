"""Finding the entry of a row in an open-addressing table that the caller owns."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly

FREE = -1
"""What a free slot of the table holds."""

SLOTS_PER_ENTRY = 4
"""How many slots a table has for each entry, at least: so few collide that branches are foreseen."""

_SPREAD = 0x9E3779B1  # 2**32 / golden ratio; with 31 bits of a row the product fits in an int64


@kernel(types.int64(readonly(types.int64), readonly(types.int32), types.int64, types.int64))
def find_slot(rows: NDArray[np.int64], table: NDArray[np.int32], mask: int, row: int) -> int:
    """Return the slot of the table that holds the entry of ``row``, or the free one for it.

    Parameters
    ----------
    rows
        The row of each entry.
    table
        The entry in each used slot, :data:`FREE` in the others. At least one is.
    mask
        One less than the size of the table, which is a power of two.
    row
        At least 0.
    """
    spread = (row & 0x7FFFFFFF) * _SPREAD
    slot = ((spread >> 15) ^ (row >> 31)) & mask
    entry = table[slot]
    while entry >= 0 and rows[entry] != row:
        slot = (slot + 1) & mask
        entry = table[slot]
    return int(slot)
