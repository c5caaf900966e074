"""Reciprocal Rank Fusion of any number of ranked streams, for a batch of queries (S22).

``score = (sum over streams of (k + 1) / (k + rank)) / non_empty_streams``, rank from 1 (Cormack,
Clarke and Buettcher, SIGIR 2009, scaled to 0..1). The streams are walked rank by rank, so each
document's terms are added in ascending order of rank: neither the order of the streams nor their
number moves the last bit.

With weights, an extension of S22, ``score = (sum of weight * (k + 1) / (k + rank)) / (sum of the
weights of the non-empty streams)``. Weights of 1 give the bits of the formula without.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.row_table import FREE, SLOTS_PER_ENTRY, find_slot
from octavo.kernels.top_k import select_best


@kernel(
    types.void(
        readonly(types.int64, 2),
        readonly(types.int64),
        readonly(types.float64),
        types.int64,
        types.int64,
        writable(types.int64),
        writable(types.int64),
        writable(types.float64),
        writable(types.int32, 2),
    )
)
def _fuse(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    weights: NDArray[np.float64],
    k: int,
    limit: int,
    counts: NDArray[np.int64],
    fused_rows: NDArray[np.int64],
    fused_scores: NDArray[np.float64],
    ranks: NDArray[np.int32],
) -> None:
    streams = offsets.shape[0]
    queries = offsets.shape[1] - 1
    most = 0
    longest = 0
    for query in range(queries):
        total = 0
        for stream in range(streams):
            length = offsets[stream, query + 1] - offsets[stream, query]
            total += length
            longest = max(longest, length)
        most = max(most, total)
    capacity = 2
    while capacity < SLOTS_PER_ENTRY * most:
        capacity *= 2
    table = np.empty(capacity, np.int32)
    entry_rows = np.empty(most, np.int64)
    entry_scores = np.empty(most, np.float64)
    entry_ranks = np.empty((most, streams), np.int32)
    # The entries that can be among the best, and what decides between them.
    chosen = np.empty(most, np.int32)
    chosen_rows = np.empty(most, np.int64)
    chosen_scores = np.empty(most, np.float64)
    best = np.empty(min(limit, most), np.int64)
    scratch = np.empty(2 * min(limit, most), np.int64)
    terms = np.empty(longest + 1, np.float64)
    for rank in range(1, longest + 1):
        terms[rank] = (k + 1) / (k + rank)
    weighted = False
    for stream in range(streams):
        weighted = weighted or weights[stream] != 1.0

    written = 0
    for query in range(queries):
        total = 0
        depth = 0
        divisor = 0.0
        for stream in range(streams):
            length = offsets[stream, query + 1] - offsets[stream, query]
            total += length
            depth = max(depth, length)
            if length > 0:
                divisor += weights[stream]
        size = 2
        while size < SLOTS_PER_ENTRY * total:
            size *= 2
        mask = size - 1
        table[:size] = FREE
        entry_ranks[:total] = 0

        entries = 0
        candidates = 0
        few = True
        for rank in range(1, depth + 1):
            term = terms[rank]
            for stream in range(streams):
                position = offsets[stream, query] + rank - 1
                if position >= offsets[stream, query + 1]:
                    continue
                if weighted:
                    term = terms[rank] * weights[stream]
                row = rows[position]
                slot = find_slot(entry_rows, table, mask, row)
                entry = table[slot]
                if entry < 0:
                    # Once `limit` rows have a better rank, a row is no candidate until a second
                    # stream ranks it; till then its score is kept below zero.
                    table[slot] = entries
                    entry_rows[entries] = row
                    entry_ranks[entries, stream] = rank
                    entry_scores[entries] = term if few else -term
                    if few:
                        chosen[candidates] = entries
                        candidates += 1
                    entries += 1
                elif entry_ranks[entry, stream] == 0:  # a duplicate counts once, at its best rank
                    entry_ranks[entry, stream] = rank
                    score = entry_scores[entry]
                    if score < 0.0:
                        chosen[candidates] = entry
                        candidates += 1
                    entry_scores[entry] = abs(score) + term
            # With weights, a row may have more from a late rank than another from an early one.
            few = weighted or candidates < limit

        for candidate in range(candidates):
            chosen_rows[candidate] = entry_rows[chosen[candidate]]
            chosen_scores[candidate] = entry_scores[chosen[candidate]] / divisor
        kept = select_best(chosen_scores, chosen_rows, 0, candidates, limit, best, 0, scratch)

        counts[query] = kept
        for position in range(kept):
            candidate = best[position]
            fused_rows[written] = chosen_rows[candidate]
            fused_scores[written] = chosen_scores[candidate]
            for stream in range(streams):
                ranks[stream, written] = entry_ranks[chosen[candidate], stream]
            written += 1


@kernel(
    types.void(
        readonly(types.int64),
        readonly(types.float64),
        readonly(types.int64),
        readonly(types.int32),
        writable(types.float64),
    )
)
def scores_at_ranks(
    stream_offsets: NDArray[np.int64],
    stream_scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> None:
    """Write the score that a stream gave each fused hit, by its rank there; 0 at rank 0.

    Query ``i`` owns ``stream_offsets[i]`` to ``stream_offsets[i + 1]`` of the stream, and
    ``offsets[i]`` to ``offsets[i + 1]`` of the fused hits.
    """
    for query in range(offsets.shape[0] - 1):
        before = stream_offsets[query] - 1
        for position in range(offsets[query], offsets[query + 1]):
            scores[position] = 0.0
            if ranks[position] > 0:
                scores[position] = stream_scores[before + ranks[position]]


def reciprocal_rank_fusion(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    k: int,
    limit: int,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int32]]:
    """Fuse ``S`` streams for ``q`` queries and keep the ``limit`` best rows of each query.

    Parameters
    ----------
    offsets
        int64, shape ``(S, q + 1)``: stream ``s`` ranks for query ``i`` the rows from
        ``offsets[s, i]`` to ``offsets[s, i + 1]``, best first.
    rows
        int64: the rows of all streams, one stream after another.
    k
        The constant of the formula, from 0 to 2**31.
    limit
        The number of rows kept of each query, at least 1.
    weights
        float64, shape ``(S,)``: what a vote of each stream counts, finite and above 0, no more than
        a few powers of ten apart. ``None`` is 1 for all.

    Returns
    -------
    offsets, rows, scores
        The fused hits, (score descending, row ascending); ``n`` in all.
    ranks
        int32, shape ``(S, n)``: the rank of each hit in each stream; 0 where the stream does not
        have it.

    Notes
    -----
    O(hits of all streams), plus O(distinct log limit) to keep the best. A stream that is empty for
    a query does not count for it. Scratch memory is that of the longest query.

    Examples
    --------
    >>> kept, rows, scores, ranks = reciprocal_rank_fusion(
    ...     np.array([[0, 2], [2, 3]]), np.array([5, 8, 5]), k=60, limit=10
    ... )
    >>> rows.tolist(), scores.round(3).tolist(), ranks.tolist()
    ([5, 8], [1.0, 0.492], [[1, 2], [1, 0]])
    """
    queries = offsets.shape[1] - 1
    totals = (offsets[:, 1:] - offsets[:, :-1]).sum(axis=0)
    bound = int(np.minimum(totals, limit).sum())
    counts = np.zeros(queries, np.int64)
    fused_rows = np.empty(bound, np.int64)
    fused_scores = np.empty(bound, np.float64)
    ranks = np.empty((len(offsets), bound), np.int32)
    if weights is None:
        ones = np.ones(len(offsets))
        _fuse(offsets, rows, ones, k, limit, counts, fused_rows, fused_scores, ranks)
    else:
        # At equal ranks the heavier vote is added first, whatever the order of the streams.
        order = np.argsort(-weights, kind="stable")
        sorted_ranks = np.empty_like(ranks)
        outputs = (counts, fused_rows, fused_scores, sorted_ranks)
        _fuse(np.ascontiguousarray(offsets[order]), rows, weights[order], k, limit, *outputs)
        ranks[order] = sorted_ranks
    kept = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
    n = int(kept[-1])
    return kept, fused_rows[:n], fused_scores[:n], ranks[:, :n]
