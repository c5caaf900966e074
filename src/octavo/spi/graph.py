"""What a graph is to octavo: nodes, directed edges, and a store that finds both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node: an entity, a page, a function.

    Parameters
    ----------
    id
        Unique in its store.
    content
        The text returned where the node itself is a result.
    source
        Where the node came from; the source fence looks at it.
    metadata
        Strings by name; filters look at them.
    documents
        Ids of the documents linked to the node; a node without any yields itself (S24).
    """

    id: str
    content: str
    source: str
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A directed, named edge; the weight does not change scores (S24)."""

    source: str
    relation: str
    target: str
    weight: float = 1.0


@runtime_checkable
class GraphStore(Protocol):
    """Finds the nodes that a query speaks of, and follows edges from a node.

    A store for which each call is a journey may also have batch forms of the three methods, all or
    some: :class:`BatchSeeds`, :class:`BatchEdges` and :class:`BatchNodes`. A walk then asks once a
    level, not once a node; what it finds is the same.
    """

    def seeds(self, query: str, limit: int) -> Sequence[tuple[GraphNode, float]]:
        """Return at most ``limit`` nodes for a query, each with a score, best first."""
        ...

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node."""
        ...

    def node(self, node_id: str) -> GraphNode:
        """Return a node by its id.

        Raises
        ------
        KeyError
            There is no such node.
        """
        ...


@runtime_checkable
class BatchSeeds(Protocol):
    """A graph store that finds the seeds of many queries in one call."""

    def seeds_batch(
        self, queries: Sequence[str], limit: int
    ) -> Sequence[Sequence[tuple[GraphNode, float]]]:
        """Return for each query, in order, what ``seeds(query, limit)`` returns."""
        ...


@runtime_checkable
class BatchEdges(Protocol):
    """A graph store that follows the edges of many nodes in one call."""

    def edges_batch(self, node_ids: Sequence[str]) -> Sequence[Sequence[GraphEdge]]:
        """Return for each node, in order, what ``edges(node_id)`` returns.

        An unknown node has no edges.
        """
        ...


@runtime_checkable
class BatchNodes(Protocol):
    """A graph store that looks up many nodes in one call."""

    def nodes_batch(self, node_ids: Sequence[str]) -> Sequence[GraphNode | None]:
        """Return for each id, in order, what ``node(node_id)`` returns.

        An unknown id is ``None``, no error, so that it does not spoil the others.
        """
        ...
