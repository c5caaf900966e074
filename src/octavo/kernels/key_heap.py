"""Hits as single integers, and a heap that keeps the best of them.

A float32 score of at least 0 and a row below 2**31 make one int64 *key*: the bits of the score
above the complement of the row. Greater keys are better hits by (score descending, row ascending),
so that one comparison settles score and tie (S6).
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, writable

LARGEST_ROW = 0x7FFF_FFFF
_HEAP = writable(types.int64)


@kernel(types.int64(types.float32, types.int64))
def hit_key(score: np.float32, row: int | np.int64) -> np.int64:
    """Return the key of a hit."""
    return (np.int64(np.float32(score).view(np.int32)) << 32) | (LARGEST_ROW - row)


@kernel(types.float32(types.int64))
def key_score(key: int | np.int64) -> np.float32:
    """Return the score of a key."""
    return np.int32(key >> 32).view(np.float32)


@kernel(types.void(_HEAP, types.int64, types.int64, types.int64))
def push_key(heap: NDArray[np.int64], base: int, size: int, key: int | np.int64) -> None:
    """Add ``key`` to the heap of ``size`` keys at ``base``, whose root is the least."""
    position = size
    while position > 0:
        parent = (position - 1) >> 1
        if heap[base + parent] <= key:
            break
        heap[base + position] = heap[base + parent]
        position = parent
    heap[base + position] = key


@kernel(types.void(_HEAP, types.int64, types.int64, types.int64))
def replace_root(heap: NDArray[np.int64], base: int, size: int, key: int | np.int64) -> None:
    """Put ``key`` in place of the least of the ``size`` keys at ``base``."""
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and heap[base + child + 1] < heap[base + child]:
            child += 1
        if heap[base + child] >= key:
            break
        heap[base + position] = heap[base + child]
        position = child
    heap[base + position] = key


@kernel(types.void(_HEAP, types.int64, types.int64))
def sort_keys(heap: NDArray[np.int64], base: int, size: int) -> None:
    """Turn the heap of ``size`` keys at ``base`` into a list, greatest first."""
    for end in range(size - 1, 0, -1):
        key = heap[base + end]
        heap[base + end] = heap[base]
        replace_root(heap, base, end, key)
