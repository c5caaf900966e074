"""Put hits in the one order that octavo knows, and cut them."""

from octavo.columns.hits import Hits
from octavo.errors import checked_count
from octavo.kernels.ranking import rank_positions


def rank_hits(hits: Hits, limit: int | None = None) -> Hits:
    """Return each query's hits by (score descending, row ascending), at most ``limit`` of them.

    Parameters
    ----------
    hits
        Hits in any order within each query; no score is NaN. Equal (score, row) pairs stay in the
        order they came in.
    limit
        The number of hits kept of each query, at least 1; ``None`` keeps all.

    Raises
    ------
    InvalidArgumentError
        ``limit`` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> hits = Hits(np.array([0, 3]), np.array([9, 4, 2]), np.array([0.5, 0.9, 0.5]))
    >>> rank_hits(hits, 2).rows.tolist()
    [4, 2]
    """
    largest = len(hits) if limit is None else min(checked_count("limit", limit), len(hits))
    offsets, positions = rank_positions(hits.offsets, hits.rows, hits.scores, largest)
    parts = {name: part.take(positions) for name, part in hits.parts.items()}
    return Hits(offsets, hits.rows[positions], hits.scores[positions], parts)
