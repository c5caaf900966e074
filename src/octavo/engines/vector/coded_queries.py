"""Queries as 8-bit codes, and the thresholds that stored codes must reach."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.vector_codes import code_width
from octavo.kernels.code_tiles import LANES, WIDE_GROUPS
from octavo.kernels.vector_codes import LEVELS, ZERO

# The lengths of query and vector are within 2**-20 + 4 u of 1 (u = 2**-24), and the comparison
# rounds five float32 values of at most 2: together less than this.
_SLACK = 2.0**-17


@dataclass(frozen=True, slots=True, eq=False)
class CodedQueries:
    """What a scan of codes needs of its queries; all but ``thresholds`` stays as it is.

    Parameters
    ----------
    levels
        int8, shape ``(queries, code_width(dimensions))``: the code of each.
    packed
        The same as tiles read it. One query: as it is. Several: for each group of 16, each four
        components in turn, the four of the first query, then those of the second, and so on;
        queries that fill up the last groups are zeros.
    starts
        int32: what every sum starts from, so that the offset of the stored codes cancels out.
    slopes
        float32: by what the length of a vector's rest counts.
    cuts
        float64, shape ``(queries, 3)``: the error for a vector with rest ``r`` is
        ``first + |r| * third``; the threshold for a score is ``(score - first) * second``.
    thresholds
        float32: below this no vector can be among the best; infinity for queries that only fill up.

    Notes
    -----
    Query and vector are ``t b + e`` and ``s c + r``, with integers ``b`` and ``c``. Their inner
    product is ``t s (b . c) + e . (s c) + (t b + e) . r``, so it is at most
    ``t s (b . c) + |e| (1 + |r|) + |r|``, the vector having length 1. Divided by ``t``: a score of
    at least ``x`` needs ``(b . c) s + |r| (1 + |e|) / t >= (x - |e|) / t``.
    """

    levels: NDArray[np.int8]
    packed: NDArray[np.int8]
    starts: NDArray[np.int32]
    slopes: NDArray[np.float32]
    cuts: NDArray[np.float64]
    thresholds: NDArray[np.float32]

    @staticmethod
    def of(queries: NDArray[np.float32]) -> "CodedQueries":
        """Encode unit-length queries of shape ``(q, d)``, none of them zero."""
        count, dimensions = queries.shape
        exact = queries.astype(np.float64)
        scale = np.abs(exact).max(axis=1) / LEVELS
        levels = np.rint(exact / scale[:, np.newaxis])
        lost = np.linalg.norm(exact - scale[:, np.newaxis] * levels, axis=1)
        room = LANES * WIDE_GROUPS
        padded = -(-count // room) * room
        codes = np.zeros((padded, code_width(dimensions)), np.int8)
        codes[:count, :dimensions] = levels
        packed = codes.reshape(padded // LANES, LANES, -1, 4).transpose(0, 2, 1, 3)
        starts = np.zeros(padded, np.int32)
        starts[:count] = -ZERO * levels.sum(axis=1)
        slopes = np.zeros(padded, np.float32)
        slopes[:count] = (1.0 + lost) / scale
        thresholds = np.full(padded, np.inf, np.float32)
        thresholds[:count] = -np.inf
        return CodedQueries(
            levels=codes[:count],
            packed=np.ascontiguousarray(codes[0] if count == 1 else packed).ravel(),
            starts=starts,
            slopes=slopes,
            cuts=np.stack([lost + _SLACK, 1.0 / scale, 1.0 + lost], axis=1),
            thresholds=thresholds,
        )
