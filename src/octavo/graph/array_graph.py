"""What all graph stores over arrays have in common: nodes and seeds by row."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.fence import Fence
from octavo.graph.walk_nodes import WalkNodes
from octavo.spi import GraphEdge, GraphNode


@runtime_checkable
class GraphArrays(Protocol):
    """A graph store that also offers itself as arrays; it never changes."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the edges of each row begin and end in ``targets``; shape ``(rows + 1,)``."""
        ...

    @property
    def targets(self) -> NDArray[np.int32]:
        """The row to which each edge leads."""
        ...

    @property
    def nodes(self) -> WalkNodes:
        """The nodes by row."""
        ...

    def fence(self, allowed_sources: Collection[str]) -> Fence:
        """Return which nodes a walk may visit; empty allows every source."""
        ...

    def rank_seeds(
        self,
        texts: Sequence[str],
        limit: int,
        fence: Fence | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the ``limit`` best distinct allowed nodes of each query, with finite scores."""
        ...


class ArrayGraph(ABC):
    """A graph store whose nodes and seeds are rows; a subclass says which, and has the edges."""

    @property
    @abstractmethod
    def nodes(self) -> WalkNodes:
        """The nodes by row."""

    @abstractmethod
    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node."""

    @abstractmethod
    def rank_seeds(
        self,
        texts: Sequence[str],
        limit: int,
        fence: Fence | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the best seeds of many queries as rows.

        Parameters
        ----------
        texts
            The queries.
        limit
            The largest number of seeds of a query, at least 1.
        fence
            Which nodes may be seeds; ``None`` for all.
        vectors
            Float array of shape ``(queries, dimensions)`` that stands in for embedding the texts,
            where seeds are found by vectors.
        """

    def fence(self, allowed_sources: Collection[str]) -> Fence:
        """Return which nodes a walk may visit; empty allows every source."""
        return Fence(self.nodes.fence(allowed_sources))

    def node(self, node_id: str) -> GraphNode:
        """Return a node by its id.

        Raises
        ------
        KeyError
            There is no such node.
        """
        row = self.nodes.row_of(node_id)
        if row < 0:
            raise KeyError(node_id)
        return self.nodes.node(row)

    def seeds(self, query: str, limit: int) -> Sequence[tuple[GraphNode, float]]:
        """Return at most ``limit`` nodes for a query, each with a score, best first."""
        return self.seeds_batch([query], limit)[0]

    def seeds_batch(
        self, queries: Sequence[str], limit: int
    ) -> Sequence[Sequence[tuple[GraphNode, float]]]:
        """Return for each query, in order, what ``seeds(query, limit)`` returns."""
        hits, _ = self.rank_seeds(queries, limit)
        seeds = list(zip(self.nodes.nodes(hits.rows), hits.scores.tolist(), strict=True))
        bounds = hits.offsets.tolist()
        return [seeds[start:stop] for start, stop in pairwise(bounds)]
