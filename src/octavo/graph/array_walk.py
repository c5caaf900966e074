"""A walk over a graph whose edges are arrays: all queries of a batch in one kernel."""

import threading
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.array_graph import GraphArrays
from octavo.graph.bounds import WalkBounds
from octavo.graph.path_edges import ArrayEdges
from octavo.graph.paths import Trace
from octavo.graph.walk_nodes import Home
from octavo.graph.walked import Walked, too_many_paths, walk_parts
from octavo.kernels.graph_traversal import TooManyPaths, Workspace, traverse

# Every walk leaves its workspace as it found it, so each thread has one for all graphs.
_OF_THREAD = threading.local()


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
        self._fence = graph.fence(allowed_sources)

    @property
    def home(self) -> Home | None:
        """Where nodes are the documents of a corpus, which; ``None`` for other nodes."""
        return self._graph.nodes.home

    @property
    def most(self) -> int:
        """The largest number of nodes that can be visited for a query."""
        return min(self._bounds.max_visited_nodes, self._graph.nodes.rows)

    def walk(
        self,
        texts: Sequence[str],
        seed_limit: int,
        wanted: int | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> Walked:
        """Return the visited nodes of each query.

        Parameters
        ----------
        texts
            The queries.
        seed_limit
            The largest number of seeds of a query.
        wanted
            How many nodes of each query are enough: others may be missing where their scores are
            lower than that of the last of these. ``None`` for all.
        vectors
            The queries' own vectors, where they have some.
        """
        seeds, report = self._graph.rank_seeds(texts, seed_limit, self._fence, vectors)
        workspace = _taken_workspace(self._graph.nodes.rows)
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
                allowed=self._fence.nodes,
                workspace=workspace,
                wanted=wanted,
            )
        except TooManyPaths as error:
            raise too_many_paths(self._where, error.query) from error
        _OF_THREAD.workspace = workspace
        own = SearchReport()
        own.plans["graph: arrays"] += len(texts)
        own.counters["nodes found"] += len(visits.nodes)
        parts = walk_parts(visits.hops.astype(np.int32), seeds.scores[visits.seeds])
        hits = Hits(visits.offsets, visits.nodes, visits.scores, parts)
        return Walked(hits, self._graph.nodes, report + own, seeds)

    def trace(
        self, text: str, seed_limit: int, vectors: NDArray[np.floating] | None = None
    ) -> Trace:
        """Walk for one query so that paths can be found."""
        walked = self.walk([text], seed_limit, vectors=vectors)
        edges = ArrayEdges(self._where, self._graph)
        return Trace(walked, edges, self._bounds.depth_decay)


def _taken_workspace(nodes: int) -> Workspace:
    """Take this thread's workspace away, so that an interrupted walk leaves none behind."""
    found: Workspace | None = getattr(_OF_THREAD, "workspace", None)
    _OF_THREAD.workspace = None
    return Workspace(nodes) if found is None or found.nodes < nodes else found
