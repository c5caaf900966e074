"""Reciprocal Rank Fusion over hits (S22)."""

from collections.abc import Mapping

import numpy as np

from octavo.columns.hits import Hits, Part
from octavo.errors import InvalidArgumentError, checked_count
from octavo.kernels.rrf import reciprocal_rank_fusion, scores_at_ranks

_LARGEST_K = 2**31  # far beyond use, and no sum with a rank overflows


def fuse(streams: Mapping[str, Hits], *, k: int = 60, limit: int | None = None) -> Hits:
    """Fuse ranked streams of the same queries by unweighted Reciprocal Rank Fusion.

    Parameters
    ----------
    streams
        Hits by name of stream, all for the same queries; each query's hits best first. Only
        positions count, so the streams' scores need not be comparable.
    k
        The constant of the formula, at least 0.
    limit
        The number of hits kept of each query, at least 1; ``None`` keeps all.

    Returns
    -------
    Hits
        ``score = (sum over streams of (k + 1) / (k + rank)) / non_empty_streams``, with rank from 1
        and streams counted per query: a row first in every non-empty stream scores exactly 1.0, a
        row absent from a stream gets exactly 0 from it, and a row that a stream has twice counts
        once, at its better rank. Parts, in the order of ``streams``: ``<stream>_rank`` (int32) and
        ``<stream>_score`` (float64), present where the stream ranked the row. Parts that the
        streams themselves carry are not passed on.

    Raises
    ------
    InvalidArgumentError
        There is no stream, the streams have different numbers of queries, or ``k`` or ``limit`` is
        out of range.

    Notes
    -----
    Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods", SIGIR 2009. Terms are added in ascending order of rank, so the order of
    the streams moves no bit.

    Examples
    --------
    >>> words = Hits(np.array([0, 2]), np.array([7, 3]), np.array([9.1, 4.0]))
    >>> vectors = Hits(np.array([0, 1]), np.array([7]), np.array([0.8]))
    >>> fused = fuse({"keyword": words, "vector": vectors})
    >>> fused.rows.tolist(), fused.scores.round(3).tolist()
    ([7, 3], [1.0, 0.492])
    >>> fused.parts["vector_rank"].present.tolist()
    [True, False]
    """
    queries = _checked_queries(streams)
    checked_count("k", k, 0, _LARGEST_K)
    if limit is not None:
        checked_count("limit", limit)
    members = list(streams.values())
    lengths = [len(hits) for hits in members]
    starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    offsets = np.empty((len(members), queries + 1), np.int64)
    for stream, hits in enumerate(members):
        np.add(hits.offsets, starts[stream], out=offsets[stream])
    longest = max(1, int(starts[-1]))
    kept, rows, scores, ranks = reciprocal_rank_fusion(
        offsets,
        np.concatenate([hits.rows for hits in members]),
        k=k,
        limit=longest if limit is None else min(int(limit), longest),
    )
    parts: dict[str, Part] = {}
    for (name, hits), rank in zip(streams.items(), ranks, strict=True):
        present = rank > 0
        score = np.empty(len(rows), np.float64)
        scores_at_ranks(hits.offsets, hits.scores, kept, rank, score)
        parts[f"{name}_rank"] = Part(rank, present, f"hybrid.{name}.rank")
        parts[f"{name}_score"] = Part(score, present, f"hybrid.{name}.score")
    return Hits(kept, rows, scores, parts)


def _checked_queries(streams: Mapping[str, Hits]) -> int:
    if not streams:
        raise InvalidArgumentError("streams: expected at least one, found none")
    found = {name: hits.queries for name, hits in streams.items()}
    queries = next(iter(found.values()))
    if any(number != queries for number in found.values()):
        raise InvalidArgumentError(
            f"streams: expected hits of the same queries, found numbers of queries {found}"
        )
    return queries
