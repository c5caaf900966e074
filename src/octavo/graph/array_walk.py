"""A walk over a graph whose edges are arrays: all queries of a batch in one kernel."""

import threading
from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.bounds import WalkBounds
from octavo.graph.node_table import NodeTable
from octavo.graph.path_edges import ArrayEdges
from octavo.graph.paths import Trace
from octavo.graph.walked import Walked, too_many_paths, walk_parts
from octavo.kernels.graph_traversal import TooManyPaths, Workspace, traverse


@runtime_checkable
class GraphArrays(Protocol):
    """A graph store that also offers itself as arrays; it never changes."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the edges of each row begin and end in ``targets``; shape ``(rows + 1,)``."""
        ...

    @property
    def targets(self) -> NDArray[np.int64]:
        """The row to which each edge leads."""
        ...

    @property
    def nodes(self) -> NodeTable:
        """The nodes by row."""
        ...

    def rank_seeds(
        self, texts: Sequence[str], limit: int, allowed: NDArray[np.bool_] | None
    ) -> tuple[Hits, SearchReport]:
        """Return the ``limit`` best distinct allowed nodes of each query, with finite scores."""
        ...


class ArrayWalk:
    """Walks over one graph; safe to share between threads.

    Parameters
    ----------
    name
        The provider's name, for messages.
    graph
        The graph.
    bounds
        Depth, decay, and number of nodes.
    allowed_sources
        The fence; empty allows every source.
    """

    def __init__(
        self, name: str, graph: GraphArrays, bounds: WalkBounds, allowed_sources: Collection[str]
    ) -> None:
        self._where = f"graph store {name!r}"
        self._graph = graph
        self._bounds = bounds
        self._allowed = graph.nodes.fence(allowed_sources)
        self._threads = threading.local()

    def walk(self, texts: Sequence[str], seed_limit: int, wanted: int | None = None) -> Walked:
        """Return the visited nodes of each query.

        Parameters
        ----------
        texts
            The queries.
        seed_limit
            The largest number of seeds of a query.
        wanted
            How many nodes of each query, best by (score, row), are enough; ``None`` for all.
        """
        workspace = self._taken_workspace()
        seeds, report = self._graph.rank_seeds(texts, seed_limit, self._allowed)
        try:
            visits = traverse(
                self._graph.offsets,
                self._graph.targets,
                seeds.offsets,
                seeds.rows,
                seeds.scores,
                max_depth=self._bounds.max_depth,
                decay=self._bounds.depth_decay,
                max_nodes=self._bounds.max_visited_nodes,
                allowed=self._allowed,
                workspace=workspace,
                wanted=wanted,
            )
        except TooManyPaths as error:
            raise too_many_paths(self._where, error.query) from error
        self._threads.workspace = workspace
        own = SearchReport()
        own.plans["graph: arrays"] += len(texts)
        own.counters["nodes found"] += len(visits.nodes)
        parts = walk_parts(visits.hops.astype(np.int32), seeds.scores[visits.seeds])
        hits = Hits(visits.offsets, visits.nodes, visits.scores, parts)
        return Walked(hits, self._graph.nodes, report + own, seeds)

    def trace(self, text: str, seed_limit: int) -> Trace:
        """Walk for one query so that paths can be found."""
        edges = ArrayEdges(self._where, self._graph)
        return Trace(self.walk([text], seed_limit), edges, self._bounds.depth_decay)

    def _taken_workspace(self) -> Workspace:
        """Take this thread's workspace away, so that an interrupted walk leaves none behind."""
        found: Workspace | None = getattr(self._threads, "workspace", None)
        self._threads.workspace = None
        return found or Workspace(self._graph.nodes.rows)
