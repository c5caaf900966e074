"""Weigh scores by freshness: a bounded exponential decay of age (S27).

``multiplier = floor + (1 - floor) * 2^(-age / half_life)``; undated is ``floor``. A positive score
is multiplied by it; a negative one by ``1 + floor - multiplier``, so that fresh is better there
too.
"""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_LN2 = math.log(2.0)
_PER_SECOND = 1_000_000.0


@kernel(
    types.void(
        readonly(types.float64),
        readonly(types.float64),
        readonly(types.boolean),
        types.float64,
        types.float64,
        writable(types.float64),
        writable(types.float64),
    )
)
def _decay(
    scores: NDArray[np.float64],
    ages: NDArray[np.float64],
    present: NDArray[np.bool_],
    half_life: float,
    floor: float,
    decayed: NDArray[np.float64],
    multipliers: NDArray[np.float64],
) -> None:
    for position in range(scores.shape[0]):
        multiplier = floor
        if present[position]:
            # Not 2.0**-x, whose bits differ between numba and Python.
            multiplier = floor + (1.0 - floor) * math.exp(-(ages[position] / half_life) * _LN2)
        multipliers[position] = multiplier
        factor = multiplier if scores[position] >= 0.0 else 1.0 + floor - multiplier
        # Nothing is left at factor 0, not even of an infinite score (which would give NaN).
        decayed[position] = scores[position] * factor if factor > 0.0 else 0.0


def decay_by_age(
    scores: NDArray[np.float64],
    ages: NDArray[np.float64],
    present: NDArray[np.bool_],
    *,
    half_life: float,
    floor: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return decayed scores and multipliers of documents whose ages are known.

    Parameters
    ----------
    scores
        float64, shape ``(n,)``: never NaN.
    ages, present
        Seconds, at least 0, and where there is an age; shape ``(n,)``.
    half_life, floor
        As in :func:`temporal_decay`.

    Examples
    --------
    >>> decay_by_age(np.array([2.0]), np.array([30.0]), np.array([True]), half_life=30.0, floor=0.8)
    (array([1.8]), array([0.9]))
    """
    decayed = np.empty(len(scores), np.float64)
    multipliers = np.empty(len(scores), np.float64)
    _decay(scores, ages, present, half_life, floor, decayed, multipliers)
    return decayed, multipliers


def temporal_decay(
    scores: NDArray[np.float64],
    ticks: NDArray[np.int64],
    present: NDArray[np.bool_],
    *,
    now: int,
    half_life: float,
    floor: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return decayed scores, multipliers and ages.

    Parameters
    ----------
    scores
        float64, shape ``(n,)``: never NaN.
    ticks, present
        int64 microseconds since 1970 UTC, and where there are any; shape ``(n,)``. Between the
        years 1 and 9999, so that no difference overflows.
    now
        Microseconds since 1970 UTC; what is later counts as now.
    half_life
        Seconds until half of what is above the floor is gone, above 0.
    floor
        The multiplier of what is infinitely old or undated, from 0 to 1.

    Returns
    -------
    decayed, multipliers, ages
        float64, shape ``(n,)``. Ages are in seconds, 0 where undated. Each decayed score is
        ``score * multiplier``, or ``score * (1 + floor - multiplier)`` below 0, exactly.

    Notes
    -----
    O(n). The multiplier never falls with freshness: ages that differ by a microsecond differ by
    far more than the rounding of ``exp``, for any half-life up to decades.

    Examples
    --------
    >>> day = 86_400_000_000
    >>> scores, multipliers, ages = temporal_decay(
    ...     np.array([2.0, 2.0, 2.0]),
    ...     np.array([30 * day, 0, 0]),
    ...     np.array([True, True, False]),
    ...     now=30 * day, half_life=30 * 86_400.0, floor=0.8,
    ... )  # fmt: skip
    >>> scores.tolist(), multipliers.tolist()
    ([2.0, 1.8, 1.6], [1.0, 0.9, 0.8])
    """
    ages = np.where(present, np.maximum(now - ticks, 0) / _PER_SECOND, 0.0)
    decayed, multipliers = decay_by_age(scores, ages, present, half_life=half_life, floor=floor)
    return decayed, multipliers, ages
