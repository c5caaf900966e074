"""BM25 as tantivy computes it, operation by operation in float32.

The formula is in :mod:`octavo.engines.keyword.queries`. tantivy multiplies ``idf * (1 + k1)`` by the
number of repetitions, then by ``tf / (tf + norm)``, where ``norm = k1 * (1 - b + b * length /
mean length)`` (its ``query/bm25.rs``). The logarithm is that of the C library, as tantivy's is:
another one may differ in the last bit.
"""

import ctypes
import ctypes.util
import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from octavo.engines.keyword.block_max.lengths import CODED_LENGTHS
from octavo.kernels.posting_codes import LARGE_FREQUENCY

K1, B = np.float32(1.2), np.float32(0.75)
_ONE, _HALF = np.float32(1.0), np.float32(0.5)


def length_norms(tokens: int, rows: int) -> NDArray[np.float32]:
    """Return the norm of each length code in an index of ``rows`` rows and ``tokens`` tokens."""
    mean = np.float32(tokens) / np.float32(max(rows, 1))
    if mean == 0:
        return np.full(256, K1)  # no token, so no posting
    norms: NDArray[np.float32] = K1 * ((_ONE - B) + B * CODED_LENGTHS.astype(np.float32) / mean)
    return norms


def posting_factors(norms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``tf / (tf + norm)`` of each posting code, and 1 where the frequency is large."""
    frequency = np.arange(LARGE_FREQUENCY + 1, dtype=np.float32)[:, np.newaxis]
    factors: NDArray[np.float32] = frequency / (frequency + norms)
    factors[LARGE_FREQUENCY] = 1.0
    return factors.ravel()


def clause_weights(
    frequencies: NDArray[np.int64], repetitions: NDArray[np.int64], rows: int
) -> NDArray[np.float32]:
    """Return the weight of each clause from its document frequency and its repetitions."""
    distinct, places = np.unique(frequencies, return_inverse=True)
    odds = ((rows - distinct).astype(np.float32) + _HALF) / (distinct.astype(np.float32) + _HALF)
    logarithm = _logarithm()
    idf = np.array([logarithm(value) for value in (_ONE + odds).tolist()], np.float32)
    weights: NDArray[np.float32] = (idf * (_ONE + K1))[places]
    # Multiplying by 1 changes no bit.
    return weights * repetitions.astype(np.float32)


@cache
def _logarithm() -> Callable[[float], float]:
    """Return the C library's natural logarithm of a float32."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("m") or None)
        function = library.logf
    except (OSError, AttributeError, TypeError):
        return math.log
    function.restype, function.argtypes = ctypes.c_float, (ctypes.c_float,)
    called: Callable[[float], float] = function
    return called
