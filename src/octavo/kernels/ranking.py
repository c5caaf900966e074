"""Put ragged hits in order and cut them: (score descending, row ascending) within each query."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.top_k import select_best


@kernel(
    types.void(
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.float64),
        types.int64,
        readonly(types.int64),
        writable(types.int64),
    )
)
def _rank_positions(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    limit: int,
    kept_offsets: NDArray[np.int64],
    positions: NDArray[np.int64],
) -> None:
    longest = 0
    for query in range(offsets.shape[0] - 1):
        longest = max(longest, kept_offsets[query + 1] - kept_offsets[query])
    scratch = np.empty(2 * longest, np.int64)
    for query in range(offsets.shape[0] - 1):
        select_best(
            scores,
            rows,
            offsets[query],
            offsets[query + 1],
            limit,
            positions,
            kept_offsets[query],
            scratch,
        )


def rank_positions(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    limit: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the ``limit`` best hits of each query lie, in order.

    Parameters
    ----------
    offsets, rows, scores
        Ragged hits as in :class:`octavo.columns.hits.Hits`, in any order; no score is NaN.
    limit
        The number of hits kept of each query, at least 0.

    Returns
    -------
    offsets, positions
        int64 arrays: query ``i`` keeps ``positions[offsets[i]:offsets[i + 1]]``, best first. Equal
        (score, row) pairs stay in the order they came in. O(n log limit).

    Examples
    --------
    >>> rank_positions(np.array([0, 3]), np.array([9, 4, 2]), np.array([0.5, 0.9, 0.5]), 2)
    (array([0, 2]), array([1, 2]))
    """
    kept = np.minimum(np.diff(offsets), limit)
    kept_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)))
    positions = np.empty(int(kept_offsets[-1]), np.int64)
    _rank_positions(offsets, rows, scores, limit, kept_offsets, positions)
    return kept_offsets, positions
