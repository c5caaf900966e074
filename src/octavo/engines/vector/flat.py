"""Exact vector search: every admitted vector is compared."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.vector_codes import VectorCodes
from octavo.engines.report import SearchReport
from octavo.engines.vector import code_scan, product_scan
from octavo.engines.vector.joined_segments import join_small
from octavo.engines.vector.nomination import one_thread
from octavo.engines.vector.queries import admitted_rows, unit_queries
from octavo.engines.vector.segments import VectorSegments
from octavo.errors import checked_count

_QUERY_BLOCK = 256
_HIT_SLOTS = 1 << 21  # bounds the memory of a search for very many hits


class FlatVectorIndex:
    """Rank all admitted rows by cosine, exactly.

    Parameters
    ----------
    vectors
        One C-contiguous float32 array of shape ``(n, dimensions)`` a segment, in row order;
        memory-mapped and read-only arrays are used as they are. Every row has unit length, as
        :func:`octavo.kernels.unit_length.unit_length` makes it, or is zero.
    present
        For each segment one boolean a row, false where the document has no vector, or ``None``
        where all have one; ``None`` for the whole: all rows have one.
    codes
        For each segment the 8-bit codes of its vectors, or ``None``; ``None`` for the whole: there
        are none. With codes a search reads a quarter of the memory and gives the same hits.

    Raises
    ------
    InvalidArgumentError
        There is no segment, or an array has another type, layout or length.
    DimensionMismatchError
        The segments have different numbers of dimensions.

    Notes
    -----
    FAISS compares in single precision, block by block; a kernel scores again, in double precision
    and one fixed order of summation, every vector that could still be among the best. A hit
    and its score therefore depend on the query, the stored vectors and the selection only: not on
    the batch, the block, the thread or the processor. O(rows * dimensions) a query. A search uses
    the calling thread, releases the GIL, and may run in any number of threads at once.

    Examples
    --------
    >>> index = FlatVectorIndex([np.array([[1, 0], [0, 1], [1, 0]], np.float32)])
    >>> hits, report = index.search(np.array([[2.0, 0.0]]), 2)
    >>> hits.rows.tolist(), hits.scores.tolist(), dict(report.plans)
    ([0, 2], [1.0, 1.0], {'vector: exact scan': 1})
    """

    def __init__(
        self,
        vectors: Sequence[NDArray[np.float32]],
        present: Sequence[NDArray[np.bool_] | None] | None = None,
        codes: Sequence[VectorCodes | None] | None = None,
    ) -> None:
        segments = VectorSegments(vectors, present, codes)
        self._segments, _ = join_small(segments, [False] * len(vectors))

    @property
    def rows(self) -> int:
        """The number of rows, those without a vector included."""
        return self._segments.rows

    @property
    def dimensions(self) -> int:
        """The number of values in a vector."""
        return self._segments.dimensions

    def search(
        self, queries: NDArray[np.floating], depth: int, selection: Selection | None = None
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best admitted rows of each query, and how they were found.

        Parameters
        ----------
        queries
            float16, float32 or float64, shape ``(q, dimensions)``, of any length but finite.
        depth
            The number of hits of each query, at least 1; more than there are rows gives all.
        selection
            The admitted rows; ``None`` admits all. Rows without a vector are never hits.

        Returns
        -------
        hits, report
            Scores are cosines in [-1, 1]; a zero vector scores 0. An all-zero query has cosine 0
            with every row, so it gets the first admitted rows (S20).

        Raises
        ------
        InvalidArgumentError
            ``queries`` is no such array, ``depth`` is below 1, or ``selection`` is for another
            number of rows.
        DimensionMismatchError, NonFiniteVectorError
            A query does not fit the index, or holds NaN or an infinity.
        """
        return search_exactly(self._segments, queries, depth, selection)


def search_exactly(
    segments: VectorSegments,
    queries: NDArray[np.floating],
    depth: int,
    selection: Selection | None,
) -> tuple[Hits, SearchReport]:
    """Do what :meth:`FlatVectorIndex.search` does, over segments that are checked."""
    unit = unit_queries(queries, segments.dimensions)
    depth = min(checked_count("depth", depth), max(1, segments.rows))
    admitted = admitted_rows(selection, segments.rows)
    silent: NDArray[np.bool_] = np.logical_not(unit.any(axis=1))
    asked = np.ascontiguousarray(unit[~silent])
    hits, work = scan_all(segments, asked, depth, admitted)
    if silent.any():
        hits = _with_silent(hits, silent, _first_rows(segments, admitted, depth))
    plan = "vector: exact scan" + ("" if admitted is None else " of admitted rows")
    plans = Counter({plan: len(asked), "vector: zero query": len(unit) - len(asked)})
    return hits, SearchReport(+plans, +work)


def scan_all(
    segments: VectorSegments,
    queries: NDArray[np.float32],
    depth: int,
    admitted: NDArray[np.bool_] | None,
) -> tuple[Hits, Counter[str]]:
    """Return the ``depth`` best admitted rows of unit-length queries, none of them zero.

    The rows and ``admitted`` are those of the index that ``segments`` may be a part of.
    """
    by_codes = code_scan.fits(segments, min(len(queries), _QUERY_BLOCK))
    scan = code_scan.scan if by_codes else product_scan.scan
    size = max(1, min(_QUERY_BLOCK, _HIT_SLOTS // depth))
    with one_thread():
        found = [
            scan(segments, queries[start : start + size], depth, admitted)
            for start in range(0, len(queries), size)
        ]
    work = {
        "vectors compared": sum(block.compared for block in found),
        "vectors rescored": sum(block.rescored for block in found),
    }
    return Hits.concatenate([block.hits for block in found]), Counter(work)


def _first_rows(
    segments: VectorSegments, admitted: NDArray[np.bool_] | None, limit: int
) -> NDArray[np.int64]:
    """Return the first ``limit`` rows that may be hits."""
    found = [np.zeros(0, np.int64)]
    missing = limit
    for segment, matrix in enumerate(segments.matrices):
        searchable = segments.searchable(segment, admitted)
        if searchable is None:
            rows = np.arange(min(missing, len(matrix)), dtype=np.int64)
        else:
            rows = np.flatnonzero(searchable)[:missing]
        found.append(rows + segments.starts[segment])
        missing -= len(rows)
        if missing == 0:
            break
    return np.concatenate(found)


def _with_silent(hits: Hits, silent: NDArray[np.bool_], first_rows: NDArray[np.int64]) -> Hits:
    """Join the hits of the other queries with those of all-zero ones: ``first_rows`` at score 0."""
    counts = np.full(len(silent), len(first_rows), np.int64)
    counts[~silent] = hits.counts()
    of_silent = np.repeat(silent, counts)
    rows = np.empty(len(of_silent), np.int64)
    scores = np.zeros(len(of_silent), np.float64)
    rows[~of_silent] = hits.rows
    rows[of_silent] = np.tile(first_rows, int(silent.sum()))
    scores[~of_silent] = hits.scores
    return Hits(np.concatenate(([0], np.cumsum(counts, dtype=np.int64))), rows, scores)
