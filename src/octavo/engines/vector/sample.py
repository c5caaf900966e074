"""Sample queries, the rows truly nearest to them, and how many of those a search found."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.engines.vector.index import VectorIndex
from octavo.parallel import ordered_map

_BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Queries of one kind.

    Parameters
    ----------
    name
        What kind, such as ``documents`` or ``texts``.
    vectors
        Unit-length float32, shape ``(queries, dimensions)``.
    own_rows
        int64: the row that a query was taken from, which is no answer to it; -1 for none.
    """

    name: str
    vectors: NDArray[np.float32]
    own_rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def documents(self) -> bool:
        """Whether these are documents of the index, asked with their own vectors."""
        return bool((self.own_rows >= 0).any())

    def head(self, count: int) -> "Sample":
        """Return the first ``count`` queries."""
        return self._take(slice(0, count))

    def halves(self) -> tuple["Sample", "Sample"]:
        """Return two samples of about equal size that have no query in common."""
        return self._take(slice(0, None, 2)), self._take(slice(1, None, 2))

    def blocks(self) -> Sequence["Sample"]:
        """Return the queries in blocks of fixed size."""
        starts = range(0, len(self), _BLOCK)
        return [self._take(slice(start, start + _BLOCK)) for start in starts]

    def _take(self, places: slice) -> "Sample":
        vectors = np.ascontiguousarray(self.vectors[places])
        return Sample(self.name, vectors, self.own_rows[places])


def true_rows(
    index: VectorIndex,
    sample: Sample,
    depth: int,
    selection: Selection | None = None,
    *,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Return what a search of ``index`` finds for each query, its own row left out.

    ``selection`` has the rows that may be found; ``None`` admits all.

    Returns
    -------
    NDArray[np.int64]
        Shape ``(queries, depth)``, best first, -1 where there were no more.
    """

    def search(block: Sample) -> NDArray[np.int64]:
        hits, _ = index.search(block.vectors, depth + 1, selection)
        hits = hits.keep(hits.rows != block.own_rows[hits.query_of()]).head(depth)
        rows = np.full((len(block), depth), -1, np.int64)
        rows[hits.query_of(), hits.ranks() - 1] = hits.rows
        return rows

    found = [np.zeros((0, depth), np.int64), *ordered_map(search, sample.blocks(), threads=threads)]
    return np.concatenate(found)


def mean_recall(found: NDArray[np.int64], truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each query the share of its true rows that were found; 1 where there are none.

    Parameters
    ----------
    found, truth
        Rows, -1 for none.

    Examples
    --------
    >>> mean_recall(np.array([[7, 1, -1]]), np.array([[1, 2, -1]])).tolist()
    [0.5]
    """
    known = truth >= 0
    inside = np.zeros(len(truth), np.int64)
    for query, (rows, wanted) in enumerate(zip(found, truth, strict=True)):
        inside[query] = np.count_nonzero(np.isin(wanted[wanted >= 0], rows))
    counts = known.sum(axis=1)
    return np.where(counts == 0, 1.0, inside / np.maximum(1, counts))
