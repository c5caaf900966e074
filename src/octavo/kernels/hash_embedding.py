"""Analysed text to hash vectors: one pass over the bytes of tokens joined by spaces."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_OFFSET_BASIS = np.uint64(0xCBF29CE484222325)  # FNV-1a, 64 bits
_PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)  # finaliser of MurmurHash3, 64 bits
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_33 = np.uint64(33)
_32 = np.uint64(32)
_31 = np.uint64(31)
_LOW = np.uint64(0xFFFFFFFF)
_1 = np.uint64(1)
_SPACE = 0x20
HASHES = 2
"""64-bit hashes of a token; each gives two slots."""
_LONG_TOKEN = 7  # bytes; short tokens are mostly function words and count less


@kernel(types.uint64(types.uint64))
def mix(value: np.uint64) -> np.uint64:
    """Spread every bit of a hash over all bits (MurmurHash3's ``fmix64``)."""
    value ^= value >> _33
    value *= _MIX_1
    value ^= value >> _33
    value *= _MIX_2
    value ^= value >> _33
    return value


@kernel(
    types.void(
        readonly(types.uint8), readonly(types.int64), writable(types.int64),
        writable(types.float32, 2),
    )
)  # fmt: skip
def embed_rows(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """Write one unit vector a row; zero where the row has no token.

    A token is hashed with 64-bit FNV-1a over its bytes and MurmurHash3's finaliser. It adds its
    weight, its bytes less one held between 1 and 6, with a sign to four slots. A value is the
    signed square root of its slot, divided by the length of the vector. Sums are integers, and
    square root and division are exact in IEEE 754, so the bits are the same everywhere.

    Parameters
    ----------
    text, offsets
        UTF-8 bytes of tokens joined by spaces, and where each of ``n`` rows begins: int64[n + 1].
    counts
        Scratch, int64[dimensions].
    out
        Filled: float32[n, dimensions].
    """
    dimensions = counts.shape[0]
    slots = np.uint64(dimensions)
    for row in range(offsets.shape[0] - 1):
        counts[:] = 0
        slot = -1
        end = int(offsets[row + 1])
        at = int(offsets[row])
        while at < end:
            state = _OFFSET_BASIS
            begin = at
            while at < end and text[at] != _SPACE:
                state = (state ^ np.uint64(text[at])) * _PRIME
                at += 1
            if at > begin:
                state = mix(state)
                weight = max(1, min(at - begin, _LONG_TOKEN) - 1)
                # Each half of a hash: 31 bits choose the slot, the lowest bit the sign.
                for _ in range(HASHES):
                    for half in (state & _LOW, state >> _32):
                        slot = int(np.int64(((half >> _1) * slots) >> _31))
                        counts[slot] += -weight if half & _1 else weight
                    state = mix(state + _1)
            at += 1
        total = 0
        for dimension in range(dimensions):
            total += abs(int(counts[dimension]))
        if total == 0 and slot >= 0:  # signs that cancel to nothing: rare, but not "no token"
            counts[slot] = 1
            total = 1
        # The length of the vector of square roots is the square root of the sum, which is exact.
        length = math.sqrt(float(total)) if total > 0 else 1.0
        for dimension in range(dimensions):
            count = int(counts[dimension])
            value = math.sqrt(float(abs(count))) / length
            out[row, dimension] = np.float32(-value if count < 0 else value)
