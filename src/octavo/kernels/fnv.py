"""A stable 64-bit hash of texts: FNV-1a over UTF-8 bytes.

Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/ (RFC 9923). The hash is part
of the on-disk format of the id index and never changes.
"""

import numpy as np
import pyarrow as pa
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

OFFSET_BASIS = 0xCBF29CE484222325
PRIME = 0x100000001B3


@kernel(types.void(readonly(types.int64), readonly(types.uint8), writable(types.uint64)))
def fnv1a(offsets: NDArray[np.int64], data: NDArray[np.uint8], hashes: NDArray[np.uint64]) -> None:
    """Hash ``data[offsets[i]:offsets[i + 1]]`` into ``hashes[i]`` for each ``i``.

    Parameters
    ----------
    offsets
        int64, shape ``(n + 1,)``, within ``data``, never falling.
    data
        uint8: UTF-8 bytes.
    hashes
        uint64, shape ``(n,)``: written.
    """
    prime = np.uint64(PRIME)
    for i in range(len(hashes)):
        value = np.uint64(OFFSET_BASIS)
        for position in range(offsets[i], offsets[i + 1]):
            value = (value ^ np.uint64(data[position])) * prime
        hashes[i] = value


def hash_texts(texts: pa.LargeStringArray) -> NDArray[np.uint64]:
    """Return the FNV-1a hash of each text, shape ``(n,)``; null hashes like the empty text.

    Linear in the bytes, about a nanosecond each; the texts are not copied.

    Examples
    --------
    >>> [hex(value) for value in hash_texts(pa.array(["", "a"], pa.large_string()))]
    ['0xcbf29ce484222325', '0xaf63dc4c8601ec8c']
    """
    hashes = np.empty(len(texts), np.uint64)
    if not len(texts):
        return hashes
    _, offsets, data = (memoryview(buffer or b"") for buffer in texts.buffers())
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    octets = np.frombuffer(data, np.uint8)
    with np.errstate(over="ignore"):  # the product wraps on purpose; without JIT numpy warns
        fnv1a(ends, octets, hashes)
    return hashes
