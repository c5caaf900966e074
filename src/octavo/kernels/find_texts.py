"""Texts among sorted texts, by binary search over their bytes."""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.prefetch import fetch

_TOGETHER = 32
"""Texts that are searched for step by step together: each would wait for memory at every step."""

_BYTES = readonly(types.uint8)
_INTS = readonly(types.int64)


@kernel(types.boolean(_BYTES, types.int64, types.int64, _BYTES, types.int64, types.int64))
def _before(
    one: NDArray[np.uint8],
    at: int,
    end: int,
    other: NDArray[np.uint8],
    at_other: int,
    end_other: int,
) -> Any:  # noqa: ANN401 - a boolean
    """Return whether one text comes before another."""
    # A damaged file may say anything about where its texts lie.
    at = max(0, at)
    end = min(one.shape[0], end)
    at_other = max(0, at_other)
    end_other = min(other.shape[0], end_other)
    while at < end and at_other < end_other and one[at] == other[at_other]:
        at += 1
        at_other += 1
    if at < end and at_other < end_other:
        return one[at] < other[at_other]
    return at >= end and at_other < end_other


@kernel(types.void(_INTS, _BYTES, _INTS, _BYTES, writable(types.int32)))
def find_texts(
    sorted_offsets: NDArray[np.int64],
    sorted_data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
    numbers: NDArray[np.int32],
) -> None:
    """Write the place of each text among distinct ascending ones, -1 where it is not there.

    Text ``i`` is ``data[offsets[i]:offsets[i + 1]]``. O(log texts) comparisons a text.
    """
    count = np.int64(sorted_offsets.shape[0] - 1)
    lows = np.empty(_TOGETHER, np.int64)
    highs = np.empty(_TOGETHER, np.int64)
    for first in range(0, numbers.shape[0], _TOGETHER):
        texts = min(_TOGETHER, numbers.shape[0] - first)
        lows[:texts] = 0
        highs[:texts] = count
        wide = count
        while wide > 0:  # the widest of the ranges; each step leaves at most half
            for text in range(texts):
                fetch(sorted_offsets, (lows[text] + highs[text]) // 2)
            for text in range(texts):
                fetch(sorted_data, sorted_offsets[(lows[text] + highs[text]) // 2])
            wide //= 2
            for text in range(texts):
                if lows[text] < highs[text]:
                    middle = (lows[text] + highs[text]) // 2
                    at = sorted_offsets[middle]
                    end = sorted_offsets[middle + 1]
                    row = first + text
                    if _before(sorted_data, at, end, data, offsets[row], offsets[row + 1]):
                        lows[text] = middle + 1
                    else:
                        highs[text] = middle
        for text in range(texts):
            row = first + text
            low = lows[text]
            numbers[row] = -1
            if low < count:
                at = sorted_offsets[low]
                end = sorted_offsets[low + 1]
                if not _before(data, offsets[row], offsets[row + 1], sorted_data, at, end):
                    numbers[row] = low
