"""Expanding hits to the parents above them, for a batch of queries (S26).

``score(parent) = max over its hit descendants of child_score * decay^levels``, multiplied level by
level; a document that is both hit and parent keeps the larger score.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.row_table import FREE, SLOTS_PER_ENTRY, find_slot
from octavo.kernels.top_k import select_best


@kernel(
    types.void(
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.float64),
        readonly(types.int64),
        readonly(types.boolean),
        readonly(types.boolean),
        types.int64,
        types.float64,
        types.int64,
        writable(types.int64),
        writable(types.int64),
        writable(types.float64),
        writable(types.int32),
        writable(types.int64),
    )
)
def _expand(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    shown: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    max_depth: int,
    decay: float,
    limit: int,
    counts: NDArray[np.int64],
    expanded_rows: NDArray[np.int64],
    expanded_scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    positions: NDArray[np.int64],
) -> None:
    nodes = parents.shape[0]
    most = 0
    for query in range(offsets.shape[0] - 1):
        hits = offsets[query + 1] - offsets[query]
        most = max(most, hits + min(hits * max_depth, nodes))
    capacity = 2
    while capacity < SLOTS_PER_ENTRY * most:
        capacity *= 2
    table = np.empty(capacity, np.int32)
    entry_rows = np.empty(most, np.int64)
    entry_scores = np.empty(most, np.float64)
    entry_levels = np.empty(most, np.int32)
    entry_positions = np.empty(most, np.int64)
    best = np.empty(min(limit, most), np.int64)
    scratch = np.empty(2 * min(limit, most), np.int64)

    written = 0
    for query in range(offsets.shape[0] - 1):
        hits = offsets[query + 1] - offsets[query]
        size = 2
        while size < SLOTS_PER_ENTRY * (hits + min(hits * max_depth, nodes)):
            size *= 2
        mask = size - 1
        table[:size] = FREE

        entries = 0
        for position in range(offsets[query], offsets[query + 1]):
            node = rows[position]
            score = scores[position]
            level = 0
            while True:
                if 0 <= node < nodes and allowed.shape[0] > 0 and not allowed[node]:
                    break
                row = shown[position] if level == 0 else node
                if level == 0 or admitted.shape[0] == 0 or admitted[node]:
                    slot = find_slot(entry_rows, table, mask, row)
                    entry = table[slot]
                    if entry < 0:
                        entry = entries
                        entries += 1
                        table[slot] = entry
                        entry_rows[entry] = row
                        replaces = True
                    elif score != entry_scores[entry]:
                        replaces = score > entry_scores[entry]
                    elif level != entry_levels[entry]:
                        replaces = level < entry_levels[entry]
                    else:
                        replaces = shown[position] < shown[entry_positions[entry]]
                    if replaces:
                        entry_scores[entry] = score
                        entry_levels[entry] = level
                        entry_positions[entry] = position
                if level == max_depth or node >= nodes or parents[node] < 0:
                    break
                node = parents[node]
                level += 1
                # Not a product where decay is 0: infinity times 0 would be NaN.
                score = score * decay if decay > 0.0 else 0.0
        kept = select_best(entry_scores, entry_rows, 0, entries, limit, best, 0, scratch)

        counts[query] = kept
        for rank in range(kept):
            entry = best[rank]
            expanded_rows[written] = entry_rows[entry]
            expanded_scores[written] = entry_scores[entry]
            levels[written] = entry_levels[entry]
            positions[written] = entry_positions[entry]
            written += 1


def expand_to_parents(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[np.int64],
    *,
    max_depth: int,
    decay: float,
    limit: int,
    admitted: NDArray[np.bool_] | None = None,
    allowed: NDArray[np.bool_] | None = None,
    shown: NDArray[np.int64] | None = None,
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]
]:
    """Add the parents of ``q`` queries' hits and keep the ``limit`` best rows of each query.

    Parameters
    ----------
    offsets, rows, scores
        Ragged hits as in :class:`octavo.columns.hits.Hits`, in any order; no score is NaN. A row
        from ``len(parents)`` on is in no hierarchy: kept, not expanded.
    parents
        int64, shape ``(n,)``: the row of each node's parent, -1 for a root; without cycles.
    max_depth
        The largest number of levels climbed, at least 0.
    decay
        The factor for each level, from 0 to 1.
    limit
        The number of rows kept of each query, at least 1.
    admitted
        bool, shape ``(n,)``: parents that may be returned; the others are climbed through.
    allowed
        bool, shape ``(n,)``: nodes inside the fence; the others end the climb, hits among them.
    shown
        int64, shape of ``rows``: the row under which a hit itself is returned, by default its own;
        rows from ``len(parents)`` on where they differ.

    Returns
    -------
    offsets, rows, scores
        The expanded hits, (score descending, row ascending); ``m`` in all.
    levels
        int32, shape ``(m,)``: how far below the hit lies that gave the score; 0 is a hit itself.
    positions
        int64, shape ``(m,)``: the position of that hit in the input. Equal scores are settled by
        the smaller level, then by the smaller row of the hit.

    Notes
    -----
    O(hits * levels climbed). Scratch memory is that of the longest query.

    Examples
    --------
    >>> kept, rows, scores, levels, positions = expand_to_parents(
    ...     np.array([0, 2]), np.array([2, 3]), np.array([1.0, 0.9]), np.array([-1, 0, 1, 1]),
    ...     max_depth=2, decay=0.5, limit=10,
    ... )  # fmt: skip
    >>> rows.tolist(), scores.tolist(), levels.tolist(), positions.tolist()
    ([2, 3, 1, 0], [1.0, 0.9, 0.5, 0.25], [0, 0, 1, 2], [0, 1, 0, 0])
    """
    nodes = len(parents)
    climbed = min(max_depth, nodes)
    totals = offsets[1:] - offsets[:-1]
    bound = int(np.minimum(totals + np.minimum(totals * climbed, nodes), limit).sum())
    limit = min(limit, max(1, bound))
    counts = np.zeros(len(totals), np.int64)
    expanded_rows = np.empty(bound, np.int64)
    expanded_scores = np.empty(bound, np.float64)
    levels = np.empty(bound, np.int32)
    positions = np.empty(bound, np.int64)
    everything = np.zeros(0, np.bool_)
    _expand(
        offsets,
        rows,
        rows if shown is None else shown,
        scores,
        parents,
        everything if admitted is None else admitted,
        everything if allowed is None else allowed,
        climbed,
        decay,
        limit,
        counts,
        expanded_rows,
        expanded_scores,
        levels,
        positions,
    )
    kept = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
    m = int(kept[-1])
    return kept, expanded_rows[:m], expanded_scores[:m], levels[:m], positions[:m]
