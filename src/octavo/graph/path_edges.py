"""The edges on which paths are looked for: those of arrays, or those that a store answered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from octavo.errors import ExecutionError, plain_text

if TYPE_CHECKING:
    from octavo.graph.array_graph import GraphArrays
    from octavo.graph.walk_nodes import WalkNodes
    from octavo.spi import GraphStore

Node = TypeVar("Node", str, int)
Hop = tuple[int, int]
"""Two rows, the second reached from the first."""


class PathEdges(Protocol):
    """Edges between rows of a node table."""

    def targets(self, row: int) -> NDArray[np.integer]:
        """Return to where the edges of a node lead, in order."""
        ...

    def relations(self, hops: Sequence[Hop]) -> list[str]:
        """Return the relation of the first edge of each hop."""
        ...


@runtime_checkable
class NumberedRelations(Protocol):
    """Graph arrays that know the relation of an edge by its place in ``targets``.

    Without it, all edges of each node on a path are looked at.
    """

    def relations_of(self, edges: NDArray[np.int64]) -> list[str]:
        """Return the relations of edges."""
        ...


class ArrayEdges:
    """The edges of a graph in arrays.

    Parameters
    ----------
    where
        The store, for messages.
    graph
        The graph.
    """

    def __init__(self, where: str, graph: "GraphArrays") -> None:
        self._where = where
        self._graph = graph

    def targets(self, row: int) -> NDArray[np.integer]:
        """Return to where the edges of a node lead."""
        return self._graph.targets[self._graph.offsets[row] : self._graph.offsets[row + 1]]

    def relations(self, hops: Sequence[Hop]) -> list[str]:
        """Return the relation of the first edge of each hop."""
        graph = self._graph
        if isinstance(graph, NumberedRelations):
            first = {row: self._first_edges(row, ends) for row, ends in _by_start(hops).items()}
            edges = [first[row][target] for row, target in hops]
            return graph.relations_of(np.array(edges, np.int64))
        store = cast("GraphStore", graph)
        ids = [graph.nodes.node_ids(np.array(hop, np.int64)) for hop in hops]
        named = {
            node: first_relations(store.edges(node), set(ends))
            for node, ends in _by_start(ids).items()
        }
        return [_text(self._where, named[node][target]) for node, target in ids]

    def _first_edges(self, row: int, ends: list[int]) -> dict[int, int]:
        """Return the first edge of a node to each of some others."""
        targets = self.targets(row)
        places = np.flatnonzero(np.isin(targets, ends))
        found, first = np.unique(targets[places], return_index=True)
        edges = int(self._graph.offsets[row]) + places[first]
        return dict(zip(found.tolist(), edges.tolist(), strict=True))


class AnsweredEdges:
    """The edges that a store answered during a walk.

    Parameters
    ----------
    where
        The store, for messages.
    nodes
        The visited nodes.
    relations
        The first relation to each target, by the nodes asked for edges.
    """

    def __init__(
        self, where: str, nodes: "WalkNodes", relations: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._where = where
        self._nodes = nodes
        self._relations = relations

    def targets(self, row: int) -> NDArray[np.integer]:
        """Return to which visited nodes the edges of a node lead."""
        targets = self._relations.get(self._nodes.node(row).id, ())
        rows = np.array([self._nodes.row_of(target) for target in targets], np.int64)
        return rows[rows >= 0]

    def relations(self, hops: Sequence[Hop]) -> list[str]:
        """Return the relation of the first edge of each hop."""
        ids = [self._nodes.node_ids(np.array(hop, np.int64)) for hop in hops]
        return [_text(self._where, self._relations[node][target]) for node, target in ids]


def _by_start(hops: Iterable[Sequence[Node]]) -> dict[Node, list[Node]]:
    """Return to where hops lead, by where they start."""
    ends: dict[Node, list[Node]] = {}
    for start, end in hops:
        ends.setdefault(start, []).append(end)
    return ends


def first_relations(edges: Iterable[Any], wanted: set[str] | None = None) -> dict[str, Any]:
    """Return the relation of the first edge to each target, or to each wanted one."""
    found: dict[str, Any] = {}
    for edge in edges:
        target = edge.target
        if target not in found and (wanted is None or target in wanted):
            found[target] = edge.relation
    return found


def _text(where: str, relation: object) -> str:
    text = plain_text(relation)
    if text is None:
        raise ExecutionError(
            f"{where}: expected an edge whose relation is a string, found {type(relation).__name__}"
        )
    return text
