"""A navigable small-world graph (HNSW): a walk from neighbour to neighbour towards the query."""

from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from octavo.engines.choice import VectorIndexKind
from octavo.engines.vector.inverted_lists import read_mapped
from octavo.engines.vector.nomination import one_thread
from octavo.engines.vector.nominator import Admitted, FaissObject, Nominations
from octavo.errors import CorpusCorruptError

_NEIGHBOURS = 32
_BUILDING_BREADTH = 100
_ROWS_AT_A_TIME = 1 << 14
# A step of the walk compares some forty vectors all over memory (measured: 4 us).
_STEP_SHARE = 128.0


class NeighbourGraph:
    """A nominator over a graph in a file that stays on disk; its vectors have half precision.

    Parameters
    ----------
    index
        FAISS's index; row numbers are its ids.
    """

    kind = VectorIndexKind.GRAPH

    def __init__(self, index: FaissObject) -> None:
        self._index = index

    @property
    def largest_effort(self) -> int:
        """The number of rows."""
        return int(self._index.ntotal)

    def cost(self, effort: int, admitted: int) -> float:
        """Return the expected work of one query, in vectors compared by an exact scan."""
        return _STEP_SHARE * effort * (self.largest_effort / max(1, admitted))

    def nominate(
        self,
        queries: NDArray[np.float32],
        effort: int,
        nominees: int,
        admitted: Admitted | None = None,
    ) -> Nominations:
        """Return the best ``nominees`` of a walk that keeps the ``effort`` best rows in view."""
        rows = np.full((len(queries), nominees), -1, np.int64)
        distances = np.empty((len(queries), nominees), np.float32)
        parameters = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
            efSearch=max(effort, nominees), sel=None if admitted is None else admitted.selector
        )
        with one_thread():
            self._index.search(queries, nominees, D=distances, I=rows, params=parameters)
        return Nominations(rows, 0, len(queries) * effort)


def build_graph(vectors: NDArray[np.float32]) -> FaissObject:
    """Build a graph over all rows, by one thread: several would link in an order of their own.

    Rows without a vector are in it as zeros, and dropped from what is nominated.
    """
    index: FaissObject = faiss.IndexHNSWSQ(
        vectors.shape[1],
        faiss.ScalarQuantizer.QT_fp16,  # type: ignore[arg-type]
        _NEIGHBOURS,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.hnsw.efConstruction = _BUILDING_BREADTH
    with one_thread():
        index.train(np.ascontiguousarray(vectors[:1]))
        for start in range(0, len(vectors), _ROWS_AT_A_TIME):
            index.add(vectors[start : start + _ROWS_AT_A_TIME])
    return index


def open_graph(descriptor: int, name: Path, rows: int, dimensions: int) -> NeighbourGraph:
    """Map a file of a graph that is open for reading.

    Raises
    ------
    CorpusCorruptError
        The file does not hold a graph of these rows.
    """
    index = read_mapped(descriptor, name)
    if not isinstance(index, faiss.IndexHNSWSQ) or (index.ntotal, index.d) != (rows, dimensions):
        raise CorpusCorruptError(f"{name}: expected a graph of {rows} rows")
    return NeighbourGraph(index)
