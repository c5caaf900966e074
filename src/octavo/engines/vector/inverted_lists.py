"""Inverted lists: vectors grouped around centroids, compared by four-bit codes in the nearest lists.

The codes (product quantisation, scanned by FAISS sixteen at a time in processor registers) only
nominate. Which lists a query probes is decided by one kernel with a fixed order of summation, and
codes are compared in integers, so the nominees do not depend on the batch or the thread.
"""

import os
from functools import cached_property
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from octavo.engines.choice import VectorIndexKind
from octavo.engines.vector.nomination import one_thread
from octavo.engines.vector.nominator import Admitted, FaissObject, Nominations
from octavo.errors import CorpusCorruptError
from octavo.kernels.inner_products import inner_products

# A comparison of codes costs about a sixteenth of a gathered exact one, a nominee about four
# (measured: 2 ns, 30 ns and 0.5 us).
_CODE_SHARE = 1.0 / 4.0
# Where a filter admits r times fewer rows near a query than elsewhere, r to this power times as
# many lists are needed (measured, with filters that admit the rows farthest from the queries).
_RARITY_POWER = 4
_LARGEST_RARITY = 16.0


class InvertedLists:
    """A nominator over lists in a file that stays on disk.

    Parameters
    ----------
    index
        FAISS's index; row numbers are its ids.
    list_of_row
        int32: the list of each row, below 0 for a row without a vector.
    """

    kind = VectorIndexKind.LISTS

    def __init__(self, index: FaissObject, list_of_row: NDArray[np.int32]) -> None:
        self._index = index
        self._list_of_row = list_of_row
        centroids: FaissObject = faiss.downcast_index(index.quantizer)
        flat = faiss.rev_swig_ptr(centroids.get_xb(), centroids.ntotal * centroids.d)
        self._centroids = np.array(flat, np.float32).reshape(centroids.ntotal, centroids.d)

    @property
    def largest_effort(self) -> int:
        """The number of lists."""
        return len(self._centroids)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows in each list."""
        lists = self._index.invlists
        return np.array([lists.list_size(each) for each in range(lists.nlist)], np.int64)

    def cost(self, effort: int, admitted: int) -> float:  # noqa: ARG002 - all codes are read
        """Return the expected work of one query, in vectors compared by an exact scan."""
        return _CODE_SHARE * len(self._list_of_row) * min(1.0, effort / self.largest_effort)

    def nominate(
        self,
        queries: NDArray[np.float32],
        effort: int,
        nominees: int,
        admitted: Admitted | None = None,
    ) -> Nominations:
        """Return the best ``nominees`` by code in the ``effort`` nearest lists that hold any row.

        Lists without an admitted row are passed over, so a filter whose rows lie together, far
        from the query, still finds them.
        """
        count = len(queries)
        rows = np.full((count, nominees), -1, np.int64)
        lists = self._nearest_lists(queries, effort, admitted)
        if count == 0 or lists.shape[1] == 0:
            return Nominations(rows, 0, 0)
        distances = np.empty((count, nominees), np.float32)
        unused = np.zeros(lists.shape, np.float32)
        parameters: FaissObject = faiss.SearchParametersIVF(  # type: ignore[call-arg]
            nprobe=lists.shape[1], sel=None if admitted is None else admitted.selector
        )
        with one_thread():
            self._index.search_preassigned_c(
                count,
                faiss.swig_ptr(queries),
                nominees,
                faiss.swig_ptr(lists),
                faiss.swig_ptr(unused),
                faiss.swig_ptr(distances),
                faiss.swig_ptr(rows),
                False,  # noqa: FBT003 - FAISS's own signature
                parameters,
            )
        probed = lists[lists >= 0]
        return Nominations(rows, len(probed), int(self.sizes[probed].sum()))

    def effort_to_reach(
        self, queries: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return for each query and each of its ``rows`` the effort from which its list is probed."""
        nearness = self._nearness(queries, self.sizes)
        # A damaged file may say anything.
        lists = np.clip(self._list_of_row[rows], 0, self.largest_effort - 1).astype(np.int64)
        wanted = np.take_along_axis(nearness, lists, axis=1)
        ordered = np.sort(nearness, axis=1)[:, ::-1]
        found = [
            np.searchsorted(-line, -values, side="right")
            for line, values in zip(ordered, wanted, strict=True)
        ]
        return np.stack(found).astype(np.int64)

    def _held(self, admitted: Admitted | None) -> NDArray[np.int64]:
        """Return how many rows of each list may be nominated."""
        if admitted is None:
            return self.sizes
        if admitted.held is None:
            lists = self._list_of_row[admitted.flags]
            known = (lists >= 0) & (lists < self.largest_effort)  # a damaged file may say anything
            admitted.held = np.bincount(lists[known], minlength=self.largest_effort)
        return admitted.held

    def _nearness(
        self, queries: NDArray[np.float32], held: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        nearness = np.empty((len(queries), len(self._centroids)), np.float32)
        inner_products(queries, self._centroids, nearness)
        nearness[:, held == 0] = -np.inf
        return nearness

    def _nearest_lists(
        self, queries: NDArray[np.float32], effort: int, admitted: Admitted | None
    ) -> NDArray[np.int64]:
        """Return the numbers of the lists to probe, ascending, for each query; -1 for none.

        A filter may admit few rows near a query: fewer, in the nearest lists, than so many lists
        hold on average. The admitted rows nearest to it are then spread over more lists, and more
        are probed.
        """
        held = self._held(admitted)
        everything = np.flatnonzero(held)
        if effort >= len(everything):
            return np.tile(everything, (len(queries), 1))
        nearness = self._nearness(queries, held)
        if admitted is None:
            # Ties at the cut are settled by the values of the query alone.
            nearest = np.argpartition(-nearness, effort - 1, axis=1)[:, :effort]
            return np.ascontiguousarray(np.sort(nearest, axis=1))
        order = np.argsort(-nearness, axis=1, kind="stable")
        nearby = held[order[:, :effort]].sum(axis=1)
        expected = held.sum() * effort / self.largest_effort
        rarity = np.maximum(1.0, expected / np.maximum(1, nearby))
        probes = np.ceil(effort * np.minimum(rarity, _LARGEST_RARITY) ** _RARITY_POWER)
        probes = np.minimum(probes, len(everything)).astype(np.int64)
        order[np.arange(self.largest_effort) >= probes[:, np.newaxis]] = -1
        return np.ascontiguousarray(order[:, : probes.max()])


def open_lists(
    descriptor: int, name: Path, list_of_row: NDArray[np.int32], dimensions: int
) -> InvertedLists:
    """Map a file of lists that is open for reading; its codes stay on disk.

    Raises
    ------
    CorpusCorruptError
        The file does not hold lists of these rows.
    """
    index = read_mapped(descriptor, name)
    if (
        type(index).__name__ != "IndexIVFPQFastScan"
        or index.d != dimensions
        or index.nlist != index.quantizer.ntotal
        or index.invlists.nlist != index.nlist
        or index.ntotal > len(list_of_row)
    ):
        raise CorpusCorruptError(f"{name}: expected inverted lists of {dimensions} dimensions")
    return InvertedLists(index, list_of_row)


def read_mapped(descriptor: int, name: Path) -> FaissObject:
    """Map a FAISS file by its open descriptor, so that a file replaced meanwhile is still read.

    Raises
    ------
    CorpusCorruptError
        The file is damaged.
    """
    by_descriptor = f"/dev/fd/{descriptor}"
    place = by_descriptor if os.path.exists(by_descriptor) else os.fspath(name)  # noqa: PTH110
    try:
        return faiss.read_index(place, faiss.IO_FLAG_MMAP_IFC)
    except (RuntimeError, MemoryError, ValueError) as error:
        first_line = (str(error).splitlines() or [type(error).__name__])[-1]
        raise CorpusCorruptError(f"{name}: expected a vector index: {first_line}") from error
