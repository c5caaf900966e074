"""Approximate vector search: structures nominate, one kernel scores, and a filter may ask for more.

Every hit has the score, and every two hits the order, that an exact search gives them; what can be
missing is a row that no structure nominated.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.vector_codes import VectorCodes
from octavo.engines.choice import VectorIndexKind
from octavo.engines.report import SearchReport
from octavo.engines.vector.admitted_nomination import nominate_admitted
from octavo.engines.vector.flat import scan_all, search_exactly
from octavo.engines.vector.joined_segments import join_small
from octavo.engines.vector.nominator import Admitted, Nominations, Nominator
from octavo.engines.vector.queries import admitted_rows, unit_queries
from octavo.engines.vector.remembered_filters import RememberedFilters
from octavo.engines.vector.rescoring import rescore
from octavo.engines.vector.segments import VectorSegments
from octavo.engines.vector.width import SearchWidth
from octavo.errors import checked_count

_QUERY_BLOCK = 256
_PLANS = {VectorIndexKind.LISTS: "vector: inverted lists", VectorIndexKind.GRAPH: "vector: graph"}
_WIDENING = 4
_SCORED_OUTRIGHT = 256  # rows beside a structure: a scan would take as long to begin (measured)
_NOMINEE_COST = 16.0  # of scoring a nominee, in vectors compared by an exact scan (measured)


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """A nominator, and how widely to search it."""

    nominator: Nominator
    width: SearchWidth


class ApproximateVectorIndex:
    """Rank rows by cosine with structures that look at a part of the vectors only.

    Parameters
    ----------
    vectors, present, codes
        As for :class:`~octavo.engines.vector.flat.FlatVectorIndex`.
    structures
        One a segment; ``None`` where the segment is to be scanned.

    Notes
    -----
    Hits and scores depend on the query, the index and the selection only. For ``depth`` up to
    :attr:`~octavo.engines.vector.width.SearchWidth.nominees`, and then up to each doubling of it,
    a smaller depth gives a prefix of a larger one's hits. A search uses the calling thread,
    releases the GIL, changes nothing that is shared, and may run in any number of threads at once.
    """

    def __init__(
        self,
        vectors: Sequence[NDArray[np.float32]],
        present: Sequence[NDArray[np.bool_] | None] | None,
        structures: Sequence[Structure | None],
        codes: Sequence[VectorCodes | None] | None = None,
    ) -> None:
        stored = VectorSegments(vectors, present, codes)
        apart = [structure is not None for structure in structures]
        self._segments, firsts = join_small(stored, apart)
        self._structures = [structures[number] for number in firsts]
        self._with_vector = [
            len(matrix) if flags is None else int(np.count_nonzero(flags))
            for matrix, flags in zip(self._segments.matrices, self._segments.present, strict=True)
        ]
        # Lists hold no row without a vector; a graph does, and must be told which they are.
        self._everything = [
            Admitted(flags)
            if isinstance(structure, Structure) and _is_graph(structure) and flags is not None
            else None
            for structure, flags in zip(self._structures, self._segments.present, strict=True)
        ]
        self._filters = RememberedFilters(self._segments)

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
        """Return about the ``depth`` best admitted rows of each query, and how they were found.

        Parameters and errors are those of
        :meth:`octavo.engines.vector.flat.FlatVectorIndex.search`. There are always as many hits as
        there are admitted rows with a vector, up to ``depth``.
        """
        unit = unit_queries(queries, self.dimensions)
        depth = checked_count("depth", depth)
        flags = admitted_rows(selection, self.rows)
        admitted = self._everything if flags is None else self._filters.of(flags)
        widths = [self._width(number, own, depth) for number, own in enumerate(admitted)]
        if all(width is None for width in widths):
            return search_exactly(self._segments, queries, depth, selection)
        blocks, report = [], SearchReport()
        for start in range(0, len(unit), _QUERY_BLOCK):
            block = unit[start : start + _QUERY_BLOCK]
            hits, found = self._search_block(block, depth, selection, admitted, widths)
            blocks.append(hits)
            report += found
        return Hits.concatenate(blocks) if blocks else Hits.empty(0), report

    def _search_block(
        self,
        unit: NDArray[np.float32],
        depth: int,
        selection: Selection | None,
        admitted: list[Admitted | None],
        widths: list[SearchWidth | None],
    ) -> tuple[Hits, SearchReport]:
        """Search, then again and more widely for the queries that too few rows were found for.

        Too few is fewer than the structures could nominate, not fewer than ``depth``: so a smaller
        depth retries where a larger one does, and gives a prefix of its hits (S12).
        """
        report = SearchReport()
        found: list[Hits] = []
        owners: list[NDArray[np.int64]] = []
        zero = ~unit.any(axis=1)
        left, exact = np.flatnonzero(~zero), np.flatnonzero(zero)
        flags = None if selection is None else selection.admitted
        plan = self._plan(widths, filtered=selection is not None and selection.admitted is not None)
        while len(left):
            hits, short, apart, work = self._attempt(unit[left], depth, flags, admitted, widths)
            again = short | apart
            found.append(hits.keep(~again[hits.query_of()]) if again.any() else hits)
            owners.append(left)
            work["vector retries"] += int(np.count_nonzero(short))
            report += SearchReport(+Counter({plan: len(left) - int(again.sum())}), +work)
            exact = np.concatenate([exact, left[apart]])
            left = left[short]
            widths = [None if width is None else width.widened(_WIDENING) for width in widths]
            if self._is_exhaustive(widths):
                exact = np.concatenate([exact, left])
                break
        if len(exact):
            hits, counted = search_exactly(self._segments, unit[exact], depth, selection)
            found.append(hits)
            owners.append(exact)
            report += counted
        return _in_order(found, owners, len(unit)), report

    def _attempt(
        self,
        queries: NDArray[np.float32],
        depth: int,
        flags: NDArray[np.bool_] | None,
        admitted: list[Admitted | None],
        widths: list[SearchWidth | None],
    ) -> tuple[Hits, NDArray[np.bool_], NDArray[np.bool_], Counter[str]]:
        """Nominate in every segment, then score all nominees together.

        Says which queries got too few, and which others are to be compared exactly.
        """
        nominated = []
        work: Counter[str] = Counter()
        short = np.zeros(len(queries), np.bool_)
        apart = np.zeros(len(queries), np.bool_)
        for number, (structure, width) in enumerate(zip(self._structures, widths, strict=True)):
            own = admitted[number]
            if structure is None or width is None:
                continue
            found, alone = self._nominate(number, structure, width, queries, own)
            possible = self._with_vector[number] if own is None else own.count
            apart |= alone
            short |= (found.rows >= 0).sum(axis=1) < min(width.nominees, possible)
            work["lists probed"] += found.probed
            work["vectors compared"] += found.compared
            start = int(self._segments.starts[number])
            nominated.append(np.where(found.rows >= 0, found.rows + start, -1))
        scanned = [number for number, width in enumerate(widths) if width is None]
        if scanned:
            rows, compared = _scanned(self._segments.only(scanned), queries, depth, flags)
            nominated.append(rows)
            work += compared
        rows = np.concatenate(nominated, axis=1)
        work["vectors rescored"] += int(np.count_nonzero(rows >= 0))
        offsets = np.arange(len(queries) + 1, dtype=np.int64) * rows.shape[1]
        hits = rescore(self._segments, queries, offsets, rows.ravel(), depth)
        return hits, short & ~apart, apart, work

    def _nominate(
        self,
        number: int,
        structure: Structure,
        width: SearchWidth,
        queries: NDArray[np.float32],
        own: Admitted | None,
    ) -> tuple[Nominations, NDArray[np.bool_]]:
        """Nominate in one segment; say which queries are to be compared exactly instead."""
        if own is None or own is self._everything[number]:
            effort = width.effort(self._share(number, own))
            found = structure.nominator.nominate(queries, effort, width.nominees, own)
            return found, np.zeros(len(queries), np.bool_)
        share = self._share(number, own)
        return nominate_admitted(structure.nominator, queries, width, own, share)

    def _width(self, number: int, own: Admitted | None, depth: int) -> SearchWidth | None:
        """Return how widely to search a segment; ``None`` where a scan costs less."""
        structure = self._structures[number]
        width = None if structure is None else structure.width.for_depth(depth)
        if structure is None or width is None:
            return None
        if own is None:
            return width
        effort = width.effort(self._share(number, own))
        cost = structure.nominator.cost(effort, own.count) + _NOMINEE_COST * width.nominees
        return width if cost < own.count else None

    def _share(self, number: int, own: Admitted | None) -> float:
        return 1.0 if own is None else own.count / max(1, self._with_vector[number])

    def _is_exhaustive(self, widths: list[SearchWidth | None]) -> bool:
        """Whether so wide a search costs as much as an exact one."""
        return all(
            structure is None
            or width is None
            or width.narrowest > structure.nominator.largest_effort
            for structure, width in zip(self._structures, widths, strict=True)
        )

    def _plan(self, widths: list[SearchWidth | None], *, filtered: bool) -> str:
        """Name the plan of a query after the structure that decided what it could find."""
        used = {
            structure.nominator.kind
            for structure, width in zip(self._structures, widths, strict=True)
            if structure is not None and width is not None
        }
        return _PLANS[min(used)] + (" of admitted rows" if filtered else "")


def _scanned(
    segments: VectorSegments,
    queries: NDArray[np.float32],
    depth: int,
    flags: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int64], Counter[str]]:
    """Nominate the best admitted rows of segments that are scanned, or all where they are few."""
    if sum(map(len, segments.matrices)) > _SCORED_OUTRIGHT:
        hits, work = scan_all(segments, queries, depth, flags)
        return _as_matrix(hits), work
    rows = np.concatenate(
        [
            np.arange(start, start + len(matrix))
            for start, matrix in zip(segments.starts.tolist(), segments.matrices, strict=True)
        ]
    )
    if flags is not None:
        rows = rows[flags[rows]]
    return np.tile(rows, (len(queries), 1)), Counter()


def _is_graph(structure: Structure) -> bool:
    return structure.nominator.kind is VectorIndexKind.GRAPH


def _as_matrix(hits: Hits) -> NDArray[np.int64]:
    """Return the rows of each query as one line, -1 behind the last."""
    counts = hits.counts()
    rows = np.full((hits.queries, max(1, int(counts.max(initial=0)))), -1, np.int64)
    rows[hits.query_of(), hits.ranks() - 1] = hits.rows
    return rows


def _in_order(found: list[Hits], owners: list[NDArray[np.int64]], queries: int) -> Hits:
    """Put the hits of groups of queries back into the order of the queries."""
    if len(found) == 1 and len(owners[0]) == queries:
        return found[0]
    owner = np.concatenate([own[hits.query_of()] for hits, own in zip(found, owners, strict=True)])
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=queries)
    return Hits(
        np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        np.concatenate([hits.rows for hits in found])[order],
        np.concatenate([hits.scores for hits in found])[order],
    )
