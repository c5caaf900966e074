"""The best of what each shard found best."""

from collections.abc import Sequence

import numpy as np

from octavo.columns.hits import Hits
from octavo.columns.ranking import rank_hits


def merge_hits(found: Sequence[Hits], limit: int) -> Hits:
    """Return the ``limit`` best hits of each query among those of all shards.

    Parameters
    ----------
    found
        For each shard its own best, at least ``limit`` of each query where it has so many; all of
        the same queries, with rows of one space and without parts.
    limit
        At least 1.

    Examples
    --------
    >>> one = Hits(np.array([0, 1]), np.array([4]), np.array([0.5]))
    >>> two = Hits(np.array([0, 2]), np.array([3, 9]), np.array([0.9, 0.5]))
    >>> merge_hits([one, two], 2).rows.tolist()
    [3, 4]
    """
    if len(found) == 1:
        return found[0].head(limit)
    order = np.argsort(np.concatenate([hits.query_of() for hits in found]), kind="stable")
    counts = np.sum([hits.counts() for hits in found], axis=0, dtype=np.int64)
    return rank_hits(
        Hits(
            np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))),
            np.concatenate([hits.rows for hits in found])[order],
            np.concatenate([hits.scores for hits in found])[order],
        ),
        limit,
    )
