"""A graph in memory: nodes by row, edges in compressed sparse rows."""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    OctavoError,
    plain_text,
    shown,
    told,
)
from octavo.graph.array_graph import ArrayGraph
from octavo.graph.fence import Fence
from octavo.graph.node_fault import node_fault
from octavo.graph.node_keywords import NodeKeywords
from octavo.graph.node_table import NodeTable
from octavo.graph.seeds import best_seeds, checked_seed_score
from octavo.spi import GraphEdge, GraphNode

Given = TypeVar("Given")
SeedFunction = Callable[[str, int], Sequence[tuple[str, float]]]


class CsrGraph(ArrayGraph):
    """A graph store over nodes and edges that are all there; it never changes.

    Parameters
    ----------
    nodes
        Nodes with distinct ids.
    edges
        Directed edges. Parallel edges and self-loops are legal and change no score. An edge from or
        to an unknown node is kept out of walks and counted in :attr:`dangling_edges`.
    seeds
        Names the ids of nodes for a query, each with a score, best first, at most as many as its
        second argument says. ``None``: BM25 over the nodes' ids and contents.

    Raises
    ------
    InvalidArgumentError
        A node's id repeats, or something is no node or no edge, or has a field of another type.

    Examples
    --------
    >>> from octavo.spi import GraphEdge, GraphNode
    >>> graph = CsrGraph(
    ...     [GraphNode("auth", "Auth service", "wiki"), GraphNode("db", "User table", "wiki")],
    ...     [GraphEdge("auth", "reads", "db")],
    ... )
    >>> [node.id for node, _ in graph.seeds("auth service", 5)]
    ['auth']
    >>> [edge.target for edge in graph.edges("auth")]
    ['db']
    """

    def __init__(
        self,
        nodes: Iterable[GraphNode],
        edges: Iterable[GraphEdge],
        seeds: SeedFunction | None = None,
    ) -> None:
        if seeds is not None and not callable(seeds):
            raise ConfigurationError(
                f"seeds: expected a function of a query and a limit, found {type(seeds).__name__}"
            )
        nodes = _checked("node", nodes, node_fault)
        edges = _checked("edge", edges, _edge_fault)
        self._nodes = NodeTable(nodes)
        self._seeds = seeds
        self._opening = threading.Lock()
        self._edges: dict[str, list[GraphEdge]] = {}
        for edge in edges:
            self._edges.setdefault(edge.source, []).append(edge)
        rows = self._nodes.rows
        sources = self._nodes.rows_of([edge.source for edge in edges])
        targets = self._nodes.rows_of([edge.target for edge in edges])
        known = (sources >= 0) & (targets >= 0)
        sources, targets = sources[known], targets[known]
        self._dangling = len(edges) - len(sources)
        self._targets = targets[np.argsort(sources, kind="stable")].astype(np.int32)
        self._offsets = np.zeros(rows + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=rows), out=self._offsets[1:])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the edges of each row begin and end in :attr:`targets`."""
        return self._offsets

    @property
    def targets(self) -> NDArray[np.int32]:
        """The row to which each edge leads."""
        return self._targets

    @property
    def nodes(self) -> NodeTable:
        """The nodes by row, in the order of their ids."""
        return self._nodes

    @property
    def dangling_edges(self) -> int:
        """The number of edges from or to a node that is not there."""
        return self._dangling

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node, in the order in which they were given."""
        return tuple(self._edges.get(node_id, ()))

    def rank_seeds(
        self,
        texts: Sequence[str],
        limit: int,
        fence: Fence | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> tuple[Hits, SearchReport]:
        """Return the best seeds of many queries as rows; their vectors count for nothing."""
        del vectors
        allowed = None if fence is None else fence.nodes
        if self._nodes.rows == 0:
            return Hits.empty(len(texts)), SearchReport()
        if self._seeds is None:
            with self._opening:
                keywords = self._keywords
            return keywords.rank(texts, limit, allowed)
        admits = None if allowed is None else lambda row: bool(allowed[row])
        found = [
            best_seeds(lambda asked, text=text: self._named(text, asked), limit, admits)  # type: ignore[misc]
            for text in texts
        ]
        counts = [len(best) for best in found]
        hits = Hits(
            np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
            np.array([row for best in found for row, _ in best], np.int64),
            np.array([score for best in found for _, score in best], np.float64),
        )
        return hits, SearchReport()

    @cached_property
    def _keywords(self) -> NodeKeywords:
        return NodeKeywords(self._nodes)

    def _named(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Ask the application's function, and find the rows of what it names."""
        try:
            pairs = [(node_id, score) for node_id, score in self._seeds(text, limit)]  # type: ignore[misc]
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"seeds: raised {told(error)}") from error
        seeds = []
        for node_id, score in pairs:
            name = plain_text(node_id)
            row = -1 if name is None else self._nodes.row_of(name)
            if name is None or row < 0:
                raise ExecutionError(f"seeds: expected ids of nodes, found {shown(node_id)}")
            seeds.append((row, checked_seed_score("seeds", name, score)))
        return seeds


def _checked(
    what: str, given: Iterable[Given], fault_of: Callable[[object], str | None]
) -> tuple[Given, ...]:
    if not isinstance(given, Iterable):
        raise InvalidArgumentError(
            f"{what}s: expected a sequence of {what}s, found {type(given).__name__}"
        )
    found = tuple(given)
    for position, each in enumerate(found):
        fault = fault_of(each)
        if fault is not None:
            raise InvalidArgumentError(f"{what} {position}: {fault}")
    return found


def _edge_fault(edge: object) -> str | None:
    if not isinstance(edge, GraphEdge):
        return f"expected a GraphEdge, found {type(edge).__name__}"
    for field, node_id in (("source", edge.source), ("target", edge.target)):
        if not isinstance(node_id, str):
            return f"{field}: expected a string, found {shown(node_id)}"
    return None
