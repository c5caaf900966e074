"""A walk over an application's graph store: it is asked node by node, and never trusted."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import numpy as np

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.errors import ExecutionError, OctavoError, told
from octavo.graph.best_first import Visit, best_first
from octavo.graph.bounds import WalkBounds
from octavo.graph.node_fault import node_fault
from octavo.graph.node_table import NodeTable
from octavo.graph.seeds import best_seeds, checked_seed_score
from octavo.graph.walked import Walked, too_many_paths, walk_parts
from octavo.kernels.graph_traversal import TooManyPaths
from octavo.spi import GraphNode, GraphStore

Answer = TypeVar("Answer")


class StoreWalk:
    """Walks for the queries of one batch; each node and its edges are asked for once.

    Parameters
    ----------
    name
        The provider's name, for messages.
    store
        The graph store.
    bounds
        Depth, decay, and number of nodes.
    allowed_sources
        The fence; empty allows every source.
    """

    def __init__(
        self, name: str, store: GraphStore, bounds: WalkBounds, allowed_sources: Collection[str]
    ) -> None:
        self._where = f"graph store {name!r}"
        self._store = store
        self._bounds = bounds
        self._allowed_sources = allowed_sources
        self._nodes: dict[str, GraphNode | None] = {}
        self._targets: dict[str, list[str]] = {}

    def walk(self, texts: Sequence[str], seed_limit: int, wanted: int | None = None) -> Walked:
        """Return the visited nodes of each query, be more wanted or fewer.

        Raises
        ------
        ExecutionError
            The store raised something that is no OctavoError, or answered with something else than
            the protocol says.
        """
        del wanted  # a store is asked best first as it is
        report = SearchReport()
        found = [self._visits(number, text, seed_limit) for number, text in enumerate(texts)]
        visits = [visit for visited in found for visit in visited]
        ids = {visit.node for visit in visits}
        table = NodeTable(node for id_, node in self._nodes.items() if node and id_ in ids)
        counts = [len(visited) for visited in found]
        report.plans["graph: store"] += len(texts)
        report.counters["nodes found"] += len(visits)
        report.counters["nodes asked for edges"] += len(self._targets)
        report.counters["edges to no node"] += sum(node is None for node in self._nodes.values())
        hits = Hits(
            np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
            table.rows_of([visit.node for visit in visits]),
            np.array([visit.score for visit in visits], np.float64),
            walk_parts(
                np.array([visit.hops for visit in visits], np.int32),
                np.array([visit.seed_score for visit in visits], np.float64),
            ),
        )
        return Walked(hits, table, report)

    def _visits(self, number: int, text: str, seed_limit: int) -> list[Visit]:
        seeds = best_seeds(
            lambda limit: self._seeds(text, limit),
            seed_limit,
            self._admits if self._allowed_sources else None,
        )
        try:
            return best_first(seeds, self._followed, self._admits, self._bounds)
        except TooManyPaths as error:
            raise too_many_paths(self._where, number) from error

    def _seeds(self, text: str, limit: int) -> list[tuple[str, float]]:
        pairs = self._asked(
            f"seeds({text!r})",
            lambda: [(node, score) for node, score in self._store.seeds(text, limit)],
        )
        seeds = []
        for node, score in pairs:
            self._check(node, f"seeds({text!r})")
            if self._nodes.get(node.id) is None:
                self._nodes[node.id] = node
            seeds.append((node.id, checked_seed_score(self._where, node.id, score)))
        return seeds

    def _followed(self, node_id: str) -> list[str]:
        if node_id not in self._targets:
            edges = self._asked(f"edges({node_id!r})", lambda: list(self._store.edges(node_id)))
            targets = self._asked(f"edges({node_id!r})", lambda: [edge.target for edge in edges])
            if not all(isinstance(target, str) for target in targets):
                raise ExecutionError(
                    f"{self._where}: edges({node_id!r}): expected targets that are strings"
                )
            self._targets[node_id] = targets
        return self._targets[node_id]

    def _admits(self, node_id: str) -> bool:
        if node_id not in self._nodes:
            self._nodes[node_id] = self._asked(
                f"node({node_id!r})", lambda: self._node_if_any(node_id)
            )
        node = self._nodes[node_id]
        return node is not None and (
            not self._allowed_sources or node.source in self._allowed_sources
        )

    def _node_if_any(self, node_id: str) -> GraphNode | None:
        """Return a node, or ``None`` for the target of an edge that leads nowhere."""
        try:
            node = self._store.node(node_id)
        except KeyError:
            return None
        self._check(node, f"node({node_id!r})")
        if node.id != node_id:
            raise ExecutionError(
                f"{self._where}: node({node_id!r}): expected that node, found {node.id!r}"
            )
        return node

    def _check(self, node: Any, call: str) -> None:  # noqa: ANN401 - whatever the store gave
        fault = self._asked(call, lambda: node_fault(node))
        if fault is not None:
            raise ExecutionError(f"{self._where}: {call}: {fault}")

    def _asked(self, what: str, call: Callable[[], Answer]) -> Answer:
        """Call the store; what it raises becomes an execution failure (S43)."""
        try:
            return call()
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"{self._where}: {what} raised {told(error)}") from error
