"""Writing a graph into Neo4j, and folded names into one that is there (S84)."""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from octavo.columns.encodable import encodable
from octavo.errors import ExecutionError, InvalidArgumentError, checked_count, real_number, shown
from octavo.graph.identity import identity_key
from octavo.graph.neo4j.node import properties_of
from octavo.graph.neo4j.store import Neo4jGraphStore
from octavo.graph.node_fault import node_fault
from octavo.graph.walk_nodes import WalkNodes
from octavo.spi import GraphEdge, GraphNode

Row = dict[str, Any]

_ROWS = 5_000  # of a transaction
_TIMEOUT = 120.0  # seconds for one
# Edges of a node with more are looked for at their other ends: some servers go through all of them.
_MANY = 256


class ListedGraph(Protocol):
    """A graph that can list its nodes, such as :class:`~octavo.graph.csr_graph.CsrGraph`."""

    @property
    def nodes(self) -> WalkNodes:
        """The nodes by row."""
        ...

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node."""
        ...


class Written(NamedTuple):
    """What an import wrote, or found there already."""

    nodes: int
    edges: int
    dangling_edges: int
    """Edges to no node, which a database cannot have."""


def import_graph(
    store: Neo4jGraphStore,
    graph: ListedGraph,
    *,
    batch_size: int = _ROWS,
    timeout: float = _TIMEOUT,
) -> Written:
    """Write a graph's nodes and edges; doing so again changes nothing.

    A node that is there is updated, and keeps properties that the graph does not have. An edge is
    known by its ends, its relation and its place among its parallels. Nothing is removed. A
    constraint on ids and an index of folded names are made where they are missing.

    Parameters
    ----------
    store
        Where to; its schema says how.
    graph
        What.
    batch_size
        How many nodes or edges are one transaction, at least 1. An import that is cut short has
        written whole batches, and can be repeated.
    timeout
        Seconds for one transaction.

    Raises
    ------
    InvalidArgumentError
        A text is no Unicode, the graph cannot list its nodes, the batch size is below 1, or the
        timeout is no number of seconds above 0.
    RetrievalError
        As reading a store does.
    """
    batch = _Batches.of(store, batch_size, timeout)
    if not hasattr(getattr(graph, "nodes", None), "node_ids"):
        raise InvalidArgumentError(
            f"graph: expected a graph that lists its nodes, found {type(graph).__name__}"
        )
    batch.make(store.statements.constraints)
    table, statements, edges = graph.nodes, store.statements, _Edges(graph)
    nodes = (_node_row(table.node(row), store) for row in _rows(table))
    written = batch.write(statements.write_nodes, nodes, "writing nodes")
    few, many = edges.of(range(_MANY + 1)), edges.of(range(_MANY + 1, sys.maxsize))
    return Written(
        written,
        batch.write(statements.write_edges, few, "writing edges")
        + batch.write(statements.write_edges_of_many, many, "writing edges"),
        edges.dangling,
    )


def fold_names(
    store: Neo4jGraphStore, *, batch_size: int = _ROWS, timeout: float = _TIMEOUT
) -> int:
    """Write the folded name of each node of a graph that is there; return how many there are.

    Seeds are then found by them where there is no full-text index. To be repeated when names have
    changed. The name is the property ``schema.name``, else the id.

    Parameters
    ----------
    store
        The graph.
    batch_size, timeout
        As in :func:`import_graph`; errors too.
    """
    batch = _Batches.of(store, batch_size, timeout)
    batch.make(store.statements.constraints[1:])
    after, total = "", 0
    while True:
        parameters = {"after": after, "limit": batch.size}
        found = store.connection.read(store.statements.names, parameters, "reading names")
        rows = [{"id": node_id, "key": identity_key(str(name))} for node_id, name in found]
        total += batch.write(store.statements.write_keys, rows, "writing folded names")
        if len(found) < batch.size:
            return total
        after = found[-1][0]


class _Edges:
    """The edges of a graph as rows; counts those that lead to no node."""

    def __init__(self, graph: ListedGraph) -> None:
        self._graph = graph
        self.dangling = 0

    def of(self, degrees: range) -> Iterator[Row]:
        """Yield the edges of nodes from which so many leave."""
        table = self._graph.nodes
        for row in _rows(table):
            leaving = self._graph.edges(table.node(row).id)
            if len(leaving) not in degrees:
                continue
            parallels: Counter[tuple[str, str]] = Counter()
            for edge in leaving:
                if table.row_of(edge.target) < 0:
                    self.dangling += 1
                    continue
                parallels[edge.relation, edge.target] += 1
                yield _edge_row(edge, parallels[edge.relation, edge.target])


class _Batches(NamedTuple):
    store: Neo4jGraphStore
    size: int
    timeout: float

    @staticmethod
    def of(store: Neo4jGraphStore, size: int, timeout: float) -> "_Batches":
        """Check what a caller gave."""
        if not isinstance(store, Neo4jGraphStore):
            raise InvalidArgumentError(
                f"store: expected a Neo4jGraphStore, found {type(store).__name__}"
            )
        seconds = real_number(timeout)
        if seconds is None or not 0.0 < seconds < math.inf:
            raise InvalidArgumentError(f"timeout: expected seconds above 0, found {shown(timeout)}")
        return _Batches(store, checked_count("batch_size", size), seconds)

    def make(self, statements: Iterable[str]) -> None:
        """Make indexes and constraints; one that is there in another form is left as it is."""
        for statement in statements:
            try:
                self.store.connection.write(statement, {}, "making an index", self.timeout)
            except ExecutionError as error:
                if "AlreadyExists" not in str(getattr(error.__cause__, "code", "")):
                    raise

    def write(self, statement: str, rows: Iterable[Row], what: str) -> int:
        """Write rows in transactions of a bounded size; return how many."""
        rest, count = iter(rows), 0
        while batch := list(islice(rest, self.size)):
            self.store.connection.write(statement, {"rows": batch}, what, self.timeout)
            count += len(batch)
        return count


def _rows(nodes: WalkNodes) -> Iterable[int]:
    """Return the rows that have a node; not every one of a corpus's graph does."""
    present = nodes.fence(())
    return range(nodes.rows) if present is None else np.flatnonzero(present).tolist()


def _node_row(node: GraphNode, store: Neo4jGraphStore) -> Row:
    fault = node_fault(node)
    if fault is not None:
        raise InvalidArgumentError(f"node {shown(node)}: {fault}")
    texts = [node.content, node.source, *node.metadata, *node.metadata.values(), *node.documents]
    if not all(map(encodable, texts)):
        raise InvalidArgumentError(
            f"node {node.id!r}: expected Unicode text, found a lone surrogate"
        )
    return {"id": node.id, "properties": properties_of(node, store.schema)}


def _edge_row(edge: GraphEdge, number: int) -> Row:
    weight = real_number(edge.weight)
    if weight is None or not isinstance(edge.relation, str) or not encodable(edge.relation):
        raise InvalidArgumentError(
            f"edge {shown(edge)}: expected a relation of Unicode text and a number as weight"
        )
    return {
        "source": edge.source,
        "target": edge.target,
        "relation": edge.relation,
        "number": number,
        "weight": weight,
    }
