"""Exact scores for rows that an approximate index nominated."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.ranking import rank_hits
from octavo.engines.vector.segments import VectorSegments
from octavo.kernels.exact_scan import score_rows, squared_lengths


def rescore(
    segments: VectorSegments,
    queries: NDArray[np.float32],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    depth: int,
) -> Hits:
    """Return the ``depth`` best of the nominated rows of each query, with their exact cosines.

    Parameters
    ----------
    segments
        The stored vectors.
    queries
        Unit-length queries, as :func:`octavo.engines.vector.queries.unit_queries` makes them.
    offsets, rows
        Query ``i`` nominates ``rows[offsets[i]:offsets[i + 1]]``, in any order. Numbers that are no
        row, padding among them, and rows without a vector are dropped; a row nominated twice
        counts once.
    depth
        The number of hits of each query, at least 1.

    Returns
    -------
    Hits
        Scores have the bits that :class:`octavo.engines.vector.flat.FlatVectorIndex` gives.
    """
    scores = np.empty(len(rows), np.float64)
    known = np.zeros(len(rows), np.bool_)
    squares = np.empty(len(queries), np.float64)
    squared_lengths(queries, squares)
    for segment, matrix in enumerate(segments.matrices):
        first_row = int(segments.starts[segment])
        score_rows(queries, squares, offsets, rows, matrix, first_row, scores)
        local = rows - first_row
        inside = (local >= 0) & (local < len(matrix))
        searchable = segments.searchable(segment, None)
        if searchable is not None:
            inside[inside] = searchable[local[inside]]
        known |= inside
    scores[~known] = np.nan
    hits = rank_hits(Hits(offsets, rows, scores).keep(~np.isnan(scores)))
    repeated = np.zeros(len(hits), np.bool_)
    repeated[1:] = (np.diff(hits.rows) == 0) & (np.diff(hits.query_of()) == 0)
    return hits.keep(~repeated).head(depth)
