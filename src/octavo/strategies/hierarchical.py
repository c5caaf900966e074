"""Hierarchical retrieval: hits, and the parents above them (S26)."""

from collections.abc import Collection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part, RowPart
from octavo.errors import checked_count, checked_fraction
from octavo.kernels.parent_expansion import expand_to_parents
from octavo.spi import HierarchyMetadata, RAGContext, RAGStrategy
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.inner import candidate_depth as depth_of
from octavo.strategies.inner import carried, checked_depth, checked_sources, inner_context
from octavo.strategies.joined import JoinedDocuments, join
from octavo.strategies.provided import own_sources
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.returned import as_columnar
from octavo.strategies.sources import Documents

_DEEPEST = 2**31 - 1  # levels are int32


class HierarchicalRAGStrategy(ColumnarStrategy):
    """Rank the hits of another strategy together with the parents above them.

    Parameters
    ----------
    child
        Any strategy; its hits are where the climb starts.
    index
        The hierarchy. A hit that it does not know is kept and not expanded.
    allowed_sources
        Sources that may be returned or climbed through; none named means all.
    max_depth
        How many levels to climb, at least 0.
    decay
        The factor for each level, from 0 to 1.
    candidate_depth
        How many hits of the child are expanded, ``max(100, max_results)`` unless set.

    Raises
    ------
    InvalidArgumentError
        A bound is out of range.

    Notes
    -----
    ``score(parent) = max over its hit descendants of child_score * decay^levels``; a document that
    is both a hit and a parent keeps the larger score. Filters act on parents as on hits: a parent
    that does not match is left out but climbed through. A document of a source that is not allowed
    is left out and ends the climb.

    Parts: ``level`` (0: the hit itself), ``from_id`` (the hit below, where ``level > 0``),
    ``child_score`` (the score of the hit itself or below), and the parts of the child.
    """

    name = "hierarchical"
    DEFAULT_MAX_DEPTH: Final = 3
    DEFAULT_DECAY: Final = 0.85

    def __init__(
        self,
        child: RAGStrategy,
        index: HierarchyIndex,
        allowed_sources: Collection[str] = (),
        max_depth: int = DEFAULT_MAX_DEPTH,
        decay: float = DEFAULT_DECAY,
        *,
        candidate_depth: int | None = None,
    ) -> None:
        self._child = as_columnar(child)
        self._index = index
        self._allowed_sources = checked_sources(allowed_sources)
        self._max_depth = checked_count("max_depth", max_depth, 0, _DEEPEST)
        self._decay = checked_fraction("decay", decay)
        self._depth = checked_depth(candidate_depth)
        self._allowed = index.store.fence(self._allowed_sources)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {
            **super().settings(clocks),
            "formula": "hierarchical",
            "allowed_sources": sorted(self._allowed_sources),
            "max_depth": self._max_depth,
            "decay": self._decay,
            "candidate_depth": self._depth,
            "child": self._child.settings(clocks),
        }

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch: one ranking of the child, then one expansion for all queries."""
        depth = depth_of(context, self._depth)
        return self._expand(self._child.rank(queries, inner_context(context, depth)), context)

    def stream(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch as one stream of a fusion, and the child with it (S20, S24)."""
        depth = depth_of(context, self._depth)
        return self._expand(self._child.stream(queries, inner_context(context, depth)), context)

    def _expand(self, inner: Ranking, context: RAGContext) -> Ranking:
        hits, documents = join(inner.hits, inner.documents, self._index.store)
        selection = self._index.store.select(context.metadata_filters)
        matching = selection.admitted
        others = isinstance(documents, JoinedDocuments) and documents.second is inner.documents
        own_rows = self._index.store.rows + inner.hits.rows if others else inner.hits.rows
        shown = _shown_rows(hits.rows, own_rows, matching)
        if self._allowed is not None:
            inside = self._inside(shown, documents)
            hits, shown = hits.keep(inside), shown[inside]
        offsets, rows, scores, levels, positions = expand_to_parents(
            hits.offsets,
            hits.rows,
            hits.scores,
            self._index.parents,
            max_depth=self._max_depth,
            decay=self._decay,
            limit=min(context.max_results, _DEEPEST),
            admitted=matching,
            allowed=self._allowed,
            shown=shown,
        )
        own = {
            "level": Part(levels, None, HierarchyMetadata.LEVEL),
            "from_id": RowPart(shown[positions], levels > 0, HierarchyMetadata.FROM_ID),
            "child_score": Part(hits.scores[positions], None, HierarchyMetadata.CHILD_SCORE),
        }
        below = {name: part.take(positions) for name, part in hits.parts.items()}
        parts = carried(below, self._child.name, own)
        expanded = Hits(offsets, rows, scores, parts).at_least(context.min_score)
        return Ranking(expanded, documents, inner.report)

    def _inside(self, rows: NDArray[np.int64], documents: Documents) -> NDArray[np.bool_]:
        """Return which rows are not fenced out by their own source; the kernel sees to the index's."""
        inside = np.ones(len(rows), np.bool_)
        unknown = np.flatnonzero(rows >= self._index.store.rows)
        sources = own_sources(documents, rows[unknown])
        inside[unknown] = [source in self._allowed_sources for source in sources]
        return inside


def _shown_rows(
    rows: NDArray[np.int64], own_rows: NDArray[np.int64], matching: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Return the row that each hit is returned as.

    A child that brings documents of its own answered the filters with their metadata. Where the
    index's document of the same identity does not match, the child's is returned.
    """
    if matching is None:
        return rows
    known = np.flatnonzero(rows < len(matching))
    other = known[~matching[rows[known]]]
    shown = rows.copy()
    shown[other] = own_rows[other]
    return shown
