"""Distinct texts numbered as they come: an open hash table, in which texts are told apart by bytes.

A slot of the table holds the upper 32 bits of a text's hash, then its number, counted from 1; zero
is a free slot. A hash belongs to the slot that its leading bits name, or to the next free one.
"""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.prefetch import fetch

_SPREAD = 0x9E3779B97F4A7C15
"""2**64 by the golden ratio (Knuth 6.4): FNV-1a varies least in the bits that lead."""

_AHEAD = 64
"""Texts whose memory is asked for before the first of them is looked up: a table of millions lies in
no cache, and each look-up would wait three times, one after the other."""

_NUMBER = 0x00000000FFFFFFFF
_HASH = 0xFFFFFFFF00000000


@kernel(types.uint64(types.int64))
def _shift(slots: int) -> Any:  # noqa: ANN401 - an integer
    """Return how far a hash is shifted to give one of a power of two of slots."""
    shift = np.uint64(64)
    while slots > 1:
        slots //= 2
        shift -= np.uint64(1)
    return shift


@kernel(
    types.void(
        readonly(types.uint64),
        types.uint64,
        readonly(types.uint64),
        readonly(types.int64),
        readonly(types.uint8),
    )
)
def _fetch_texts(
    hashes: NDArray[np.uint64],
    shift: np.uint64,
    table: NDArray[np.uint64],
    ends: NDArray[np.int64],
    text: NDArray[np.uint8],
) -> None:
    """Ask for what looking up some hashes is likely to read."""
    low = np.uint64(_NUMBER)
    for row in range(hashes.shape[0]):
        fetch(table, np.int64((hashes[row] * np.uint64(_SPREAD)) >> shift))
    for row in range(hashes.shape[0]):
        found = table[np.int64((hashes[row] * np.uint64(_SPREAD)) >> shift)]
        if found != np.uint64(0):
            fetch(ends, np.int64(found & low) - 1)
    for row in range(hashes.shape[0]):
        found = table[np.int64((hashes[row] * np.uint64(_SPREAD)) >> shift)]
        if found != np.uint64(0):
            fetch(text, ends[np.int64(found & low) - 1])


@kernel(
    types.int64(
        readonly(types.uint64),
        readonly(types.int64),
        readonly(types.uint8),
        writable(types.uint64),
        writable(types.int64),
        writable(types.uint8),
        types.int64,
        writable(types.int32),
    )
)
def number_texts(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    table: NDArray[np.uint64],
    ends: NDArray[np.int64],
    text: NDArray[np.uint8],
    known: int,
    numbers: NDArray[np.int32],
) -> int:
    """Write the number of each text, from 0 by first appearance; return how many are known then.

    Parameters
    ----------
    hashes
        The FNV-1a hash of each text.
    offsets, data
        Text ``i`` is ``data[offsets[i]:offsets[i + 1]]``.
    table
        A power of two of slots, at least 2, of which one stays free if all texts are new.
    ends, text
        The known texts: number ``i`` is ``text[ends[i]:ends[i + 1]]``. New ones are written behind
        them, and must have room.
    known
        The number of known texts.
    numbers
        Written.
    """
    shift = _shift(table.shape[0])
    last = np.int64(table.shape[0] - 1)
    low = np.uint64(_NUMBER)
    for row in range(numbers.shape[0]):
        if row % _AHEAD == 0:
            _fetch_texts(hashes[row : row + _AHEAD], shift, table, ends, text)
        mixed = hashes[row] * np.uint64(_SPREAD)
        slot = np.int64(mixed >> shift)
        begin = offsets[row]
        width = offsets[row + 1] - begin
        number = np.int64(-1)
        while number < 0 and table[slot] != np.uint64(0):
            if (table[slot] ^ mixed) <= low:  # the upper halves are equal
                candidate = np.int64(table[slot] & low) - 1
                start = ends[candidate]
                if ends[candidate + 1] - start == width:
                    index = 0
                    while index < width and text[start + index] == data[begin + index]:
                        index += 1
                    if index == width:
                        number = candidate
            slot = (slot + 1) & last
        if number < 0:
            number = np.int64(known)
            known += 1
            table[slot] = (mixed & np.uint64(_HASH)) | np.uint64(known)
            start = ends[number]
            for index in range(width):
                text[start + index] = data[begin + index]
            ends[known] = start + width
        numbers[row] = number
    return known


@kernel(types.void(readonly(types.uint64), writable(types.uint64)))
def move_slots(table: NDArray[np.uint64], larger: NDArray[np.uint64]) -> None:
    """Move what a table holds into an empty one of more slots, at most 2**32."""
    shift = _shift(larger.shape[0])
    last = np.int64(larger.shape[0] - 1)
    for place in range(table.shape[0]):
        if table[place] != np.uint64(0):
            slot = np.int64(table[place] >> shift)
            while larger[slot] != np.uint64(0):
                slot = (slot + 1) & last
            larger[slot] = table[place]
