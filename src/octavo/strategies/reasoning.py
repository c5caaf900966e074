"""Reasoning retrieval: a navigator descends from the roots of a hierarchy (S28)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part
from octavo.columns.ranking import rank_hits
from octavo.engines.report import SearchReport
from octavo.errors import checked_count, plain_text
from octavo.spi import HierarchyMetadata, NodeView, RAGContext, TreeNavigator
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.inner import checked_sources
from octavo.strategies.navigators import BoundNavigator, Choose, bind_navigator
from octavo.strategies.queries import ClockReadings, Queries


class StopReason(StrEnum):
    """Why a descent ended where it did."""

    ANSWERED = "answered"
    LEAF = "leaf"
    MAX_DEPTH = "max_depth"
    MAX_NODES_VISITED = "max_nodes_visited"
    NOT_OFFERED = "not_offered"


class ReasoningRAGStrategy(ColumnarStrategy):
    """Descend from each root to the node that a navigator takes for the answer.

    Parameters
    ----------
    index
        The hierarchy.
    navigator
        Chooses the branch, from titles and summaries and never from content. An object with
        ``supports`` and ``choose``, or a function ``(query, node, children, model)``. None is
        bundled; :class:`octavo.strategies.lexical_navigator.LexicalNavigator` needs no model.
    model
        The exact name of the model that the navigator asks.
    allowed_sources
        Sources that may be seen; none named means all. A node of another source is hidden from the
        navigator, with everything below it.
    max_nodes_visited
        How many nodes a retrieval opens, over all roots, at least 1.
    max_depth
        How deep below its root a descent goes, at least 0.

    Raises
    ------
    ConfigurationError
        The model is blank, or the navigator is none.
    ProviderUnavailableError
        The navigator does not serve the model.
    InvalidArgumentError
        A bound is out of range.

    Notes
    -----
    Roots are descended in the order of the index; each counts as visited. Every descent lands on
    one node, which scores 1.0, and part ``stop_reason`` says why it ended there: ``answered``
    (the navigator returned ``None``), ``leaf``, ``max_depth``, ``max_nodes_visited`` or
    ``not_offered`` (the navigator returned anything else than the id of a child it was offered).
    None of these is an error. Filters act on the nodes landed on. The navigator is called at most
    once a visited node, query by query.
    """

    name = "reasoning"
    DEFAULT_MAX_NODES_VISITED: Final = 15
    DEFAULT_MAX_DEPTH: Final = 6
    SELECTED_SCORE: Final = 1.0
    NODE_TITLE_METADATA: Final = HierarchyMetadata.NODE_TITLE
    NODE_SUMMARY_METADATA: Final = HierarchyMetadata.NODE_SUMMARY

    def __init__(  # noqa: PLR0917 - the reference's constructor
        self,
        index: HierarchyIndex,
        navigator: TreeNavigator | Choose,
        model: str,
        allowed_sources: Collection[str] = (),
        max_nodes_visited: int = DEFAULT_MAX_NODES_VISITED,
        max_depth: int = DEFAULT_MAX_DEPTH,
    ) -> None:
        self._index = index
        self._navigator = bind_navigator(navigator, model)
        self._allowed_sources = checked_sources(allowed_sources)
        self._allowed = index.store.fence(self._allowed_sources)
        self._model = model
        self._max_nodes_visited = checked_count("max_nodes_visited", max_nodes_visited)
        self._max_depth = checked_count("max_depth", max_depth, 0)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {
            **super().settings(clocks),
            "formula": "reasoning",
            "selected_score": self.SELECTED_SCORE,
            "model": self._model,
            "allowed_sources": sorted(self._allowed_sources),
            "max_nodes_visited": self._max_nodes_visited,
            "max_depth": self._max_depth,
        }

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Descend for each query in turn."""
        tree = _VisibleTree(self._index, self._allowed)
        bounds = _Bounds(self._max_nodes_visited, self._max_depth)
        descents = [_Descent(tree, self._navigator, bounds, query) for query in queries.texts]
        landed = [tuple(descent.land()) for descent in descents]
        counts = [len(nodes) for nodes in landed]
        rows = np.array([row for nodes in landed for row, _ in nodes], np.int64)
        reasons = np.array([reason.value for nodes in landed for _, reason in nodes], np.object_)
        hits = Hits(
            np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
            rows,
            np.full(len(rows), self.SELECTED_SCORE),
            {"stop_reason": Part(reasons, None, HierarchyMetadata.STOP_REASON)},
        )
        selection = self._index.store.select(context.metadata_filters)
        if selection.admitted is not None:
            hits = hits.keep(selection.admitted[rows])
        report = SearchReport()
        report.counters["nodes visited"] += sum(descent.visited for descent in descents)
        report.counters["calls of the navigator"] += sum(descent.calls for descent in descents)
        best = rank_hits(hits, context.max_results).at_least(context.min_score)
        return Ranking(best, self._index.store, report)


@dataclass(frozen=True, slots=True)
class _Bounds:
    max_nodes_visited: int
    max_depth: int


@dataclass(slots=True)
class _VisibleTree:
    """The nodes inside the fence; what a batch has looked at is read once."""

    index: HierarchyIndex
    allowed: NDArray[np.bool_] | None
    _children: dict[int, tuple[tuple[int, ...], tuple[NodeView, ...]]] = field(default_factory=dict)

    def roots(self) -> NDArray[np.int64]:
        return self._visible(self.index.roots)

    def view(self, row: int) -> NodeView:
        return self.index.views(np.array([row], np.int64))[0]

    def children(self, row: int) -> tuple[tuple[int, ...], tuple[NodeView, ...]]:
        """Return the rows and the views of the children that may be seen."""
        if row not in self._children:
            rows = self._visible(self.index.children(row))
            self._children[row] = (tuple(rows.tolist()), tuple(self.index.views(rows)))
        return self._children[row]

    def _visible(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return rows if self.allowed is None else rows[self.allowed[rows]]


@dataclass(slots=True)
class _Descent:
    """The descents of one query: from each root in turn, within common bounds."""

    tree: _VisibleTree
    navigator: BoundNavigator
    bounds: _Bounds
    query: str
    visited: int = 0
    calls: int = 0

    def land(self) -> Iterator[tuple[int, StopReason]]:
        """Yield for each root that can still be visited the node landed on, and why."""
        for root in self.tree.roots()[: self.bounds.max_nodes_visited].tolist():
            if self.visited == self.bounds.max_nodes_visited:
                return
            yield self._descend(root)

    def _descend(self, root: int) -> tuple[int, StopReason]:
        row, view, depth = root, self.tree.view(root), 0
        self.visited += 1
        while True:
            rows, children = self.tree.children(row)
            if not children:
                return row, StopReason.LEAF
            if depth == self.bounds.max_depth:
                return row, StopReason.MAX_DEPTH
            if self.visited == self.bounds.max_nodes_visited:
                return row, StopReason.MAX_NODES_VISITED
            self.calls += 1
            chosen = self.navigator.chosen(self.query, view, children)
            if chosen is None:
                return row, StopReason.ANSWERED
            place = _place(chosen, children)
            if place is None:
                return row, StopReason.NOT_OFFERED
            row, view, depth = rows[place], children[place], depth + 1
            self.visited += 1


def _place(chosen: object, children: tuple[NodeView, ...]) -> int | None:
    """Return the place of the child with the chosen id."""
    wanted = plain_text(chosen)
    if wanted is None:
        return None
    places = (place for place, child in enumerate(children) if plain_text(child.id) == wanted)
    return next(places, None)
