"""Reciprocal Rank Fusion over hits (S22)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part
from octavo.errors import InvalidArgumentError, checked_count, real_number, shown
from octavo.kernels.rrf import reciprocal_rank_fusion, scores_at_ranks

LARGEST_K = 2**31
"""Far beyond use, and no sum with a rank overflows."""

_LIGHTEST, _HEAVIEST = 1e-6, 1e6  # far beyond use, and no term underflows


def fuse(
    streams: Mapping[str, Hits],
    *,
    k: int = 60,
    limit: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> Hits:
    """Fuse ranked streams of the same queries by Reciprocal Rank Fusion, unweighted by default.

    Parameters
    ----------
    streams
        Hits by name of stream, all for the same queries; each query's hits best first. Only
        positions count, so the streams' scores need not be comparable.
    k
        The constant of the formula, at least 0.
    limit
        The number of hits kept of each query, at least 1; ``None`` keeps all.
    weights
        An extension of the rule: what a vote of each stream counts
        (:func:`checked_weights`). A stream of weight 0 is as if it ranked nothing.

    Returns
    -------
    Hits
        ``score = (sum over streams of (k + 1) / (k + rank)) / non_empty_streams``, with rank from 1
        and streams counted per query: a row first in every non-empty stream scores exactly 1.0, a
        row absent from a stream gets exactly 0 from it, and a row that a stream has twice counts
        once, at its better rank. Parts: ``voting_streams`` (int32), the number of the query's
        non-empty streams; then, in the order of ``streams``, ``<stream>_rank`` (int32) and
        ``<stream>_score`` (float64), present where the stream ranked the row. With weights, each
        term is multiplied by its stream's, the sum is divided by the weights of the non-empty
        streams together, and the part ``voting_weight`` (float64) is this divisor. Parts that the
        streams themselves carry are not passed on.

    Raises
    ------
    InvalidArgumentError
        There is no stream, the streams have different numbers of queries, or ``k``, ``limit`` or a
        weight is out of range.

    Notes
    -----
    Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods", SIGIR 2009. Terms are added in ascending order of rank, so the order of
    the streams moves no bit; at equal ranks, the heavier first.

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
    checked_count("k", k, 0, LARGEST_K)
    if limit is not None:
        checked_count("limit", limit)
    given = None if weights is None else checked_weights(weights, tuple(streams))
    if given is not None:
        # What has no weight has no vote.
        streams = {
            name: hits if given[name] > 0.0 else Hits.empty(queries)
            for name, hits in streams.items()
        }
    members = list(streams.values())
    lengths = [len(hits) for hits in members]
    starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    offsets = np.empty((len(members), queries + 1), np.int64)
    for stream, hits in enumerate(members):
        np.add(hits.offsets, starts[stream], out=offsets[stream])
    longest = max(1, int(starts[-1]))
    # Any positive number stands for the weight of an empty stream, which is not looked at.
    factors = None if given is None else np.array([each or 1.0 for each in given.values()])
    kept, rows, scores, ranks = reciprocal_rank_fusion(
        offsets,
        np.concatenate([hits.rows for hits in members]),
        k=k,
        limit=longest if limit is None else min(int(limit), longest),
        weights=factors,
    )
    parts = _divisors(offsets, kept, factors)
    for (name, hits), rank in zip(streams.items(), ranks, strict=True):
        present = rank > 0
        score = np.empty(len(rows), np.float64)
        scores_at_ranks(hits.offsets, hits.scores, kept, rank, score)
        parts[f"{name}_rank"] = Part(rank, present, f"hybrid.{name}.rank")
        parts[f"{name}_score"] = Part(score, present, f"hybrid.{name}.score")
    return Hits(kept, rows, scores, parts)


def checked_weights(weights: Mapping[str, float], streams: Sequence[str]) -> dict[str, float]:
    """Return the weight of each stream, in the order of the streams.

    Raises
    ------
    InvalidArgumentError
        A stream has no weight, a weight no stream, or one is neither 0 nor from 1e-6 to 1e6, or all
        are 0.

    Examples
    --------
    >>> checked_weights({"vector": 1, "keyword": 0.25}, ("keyword", "vector"))
    {'keyword': 0.25, 'vector': 1.0}
    """
    if not isinstance(weights, Mapping):
        raise InvalidArgumentError(
            f"weights: expected a number for each stream by name, found {shown(weights)}"
        )
    if sorted(map(str, weights)) != sorted(streams):
        raise InvalidArgumentError(
            f"weights: expected one for each of {', '.join(streams)}, found {shown(dict(weights))}"
        )
    checked: dict[str, float] = {}
    for stream in streams:
        number = real_number(weights[stream])
        if number is None or not (number == 0.0 or _LIGHTEST <= number <= _HEAVIEST):
            raise InvalidArgumentError(
                f"weights: {stream}: expected 0 or a number from {_LIGHTEST:g} to {_HEAVIEST:g}, "
                f"found {shown(weights[stream])}"
            )
        checked[stream] = abs(number)
    if not any(checked.values()):
        raise InvalidArgumentError("weights: expected one above 0, found only 0")
    return checked


def _divisors(
    offsets: NDArray[np.int64],
    kept: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
) -> dict[str, Part]:
    """Return what each hit's sum of terms was divided by, as parts."""
    counts = np.diff(kept)
    voting = np.diff(offsets, axis=1) > 0
    number = np.count_nonzero(voting, axis=0).astype(np.int32)
    parts = {"voting_streams": Part(np.repeat(number, counts))}
    if weights is not None:
        total = np.zeros(len(counts))
        for stream in np.argsort(-weights, kind="stable"):  # as the kernel adds them up
            total[voting[stream]] += weights[stream]
        parts["voting_weight"] = Part(np.repeat(total, counts))
    return parts


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
