"""Document lengths in one byte, as Lucene and tantivy round them down."""

import numpy as np
from numpy.typing import NDArray

_EXACT = 24


def _decode(code: int) -> int:
    if code < _EXACT:
        return code
    mantissa, shift = (code - _EXACT) & 7, (code - _EXACT >> 3) - 1
    return _EXACT + (mantissa if shift < 0 else (mantissa | 8) << shift)


CODED_LENGTHS = np.array([_decode(code) for code in range(256)], np.int64)
"""The length that each code stands for (Lucene's SmallFloat.byte4ToInt)."""


def length_codes(lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the code of the largest coded length that is not above each length.

    Examples
    --------
    >>> CODED_LENGTHS[length_codes(np.array([0, 39, 41, 1000]))].tolist()
    [0, 39, 40, 984]
    """
    return (np.searchsorted(CODED_LENGTHS, lengths, side="right") - 1).astype(np.uint8)
