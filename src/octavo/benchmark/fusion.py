"""Reciprocal Rank Fusion in plain Python: the right answer of every hybrid search."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def fused_by_hand(streams: Iterable[NDArray[np.int64]], k: int) -> list[tuple[int, float]]:
    """Return the ``k`` best rows of ranked streams with their scores (S22).

    Examples
    --------
    >>> fused_by_hand((np.array([7, 3]), np.array([3])), 1)
    [(3, 0.9919354838709677)]
    """
    terms: dict[int, list[float]] = {}
    filled = 0
    for rows in streams:
        filled += len(rows) > 0
        for rank, row in enumerate(rows.tolist(), 1):
            terms.setdefault(row, []).append(61 / (60 + rank))
    fused = [(row, sum(sorted(each, reverse=True)) / filled) for row, each in terms.items()]
    return sorted(fused, key=lambda hit: (-hit[1], hit[0]))[:k]
