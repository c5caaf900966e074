"""What a graph store answers: each question asked once, each answer checked, many in one call."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from octavo.errors import ExecutionError, OctavoError, told
from octavo.graph.node_fault import node_fault
from octavo.graph.path_edges import first_relations
from octavo.graph.seeds import checked_seed_score
from octavo.spi import (
    BatchEdges,
    BatchNodes,
    BatchSeeds,
    CancellationToken,
    GraphNode,
    GraphStore,
)

Answer = TypeVar("Answer")
Seeds = list[tuple[str, float]]


class StoreAnswers:
    """The answers of a store that is never trusted.

    A store with batch forms is not asked at once: the question is noted, and answered by
    :meth:`ask` together with all others.

    Parameters
    ----------
    where
        The store, for messages.
    store
        The graph store.

    Attributes
    ----------
    noting
        Whether questions are noted where the store has a batch form; else each is asked at once.
    incomplete
        Whether a question was noted since this was last set to ``False``.
    nodes
        The nodes asked for, ``None`` where there is none.
    targets
        To where edges lead, by the nodes asked for edges.
    relations
        The relation of the first edge to each target, by the nodes asked for edges; kept only where
        it is no longer ``None``.
    batches
        How many calls of batch forms were made.
    cancellation
        What may stop the asking.
    """

    def __init__(self, where: str, store: GraphStore) -> None:
        self._where = where
        self._store = store
        self._batch_seeds = store if isinstance(store, BatchSeeds) else None
        self._batch_edges = store if isinstance(store, BatchEdges) else None
        self._batch_nodes = store if isinstance(store, BatchNodes) else None
        self._seeds: dict[tuple[int, str], Seeds] = {}
        self._noted_seeds: dict[int, dict[str, None]] = {}
        self._noted_nodes: dict[str, None] = {}
        self._noted_edges: dict[str, None] = {}
        self.noting = True
        self.incomplete = False
        self.nodes: dict[str, GraphNode | None] = {}
        self.targets: dict[str, list[str]] = {}
        self.relations: dict[str, dict[str, Any]] | None = None
        self.batches = 0
        self.cancellation: CancellationToken | None = None

    def seeds(self, text: str, limit: int) -> Seeds:
        """Return ids and scores of a query's seeds; none where the question was noted."""
        known = self._seeds.get((limit, text))
        if known is not None:
            return known
        if self.noting and self._batch_seeds is not None:
            self._note(self._noted_seeds.setdefault(limit, {}), text)
            return []
        call = f"seeds({text!r})"
        return self._read_seeds(call, self._asked(call, lambda: self._store.seeds(text, limit)))

    def knows(self, node_id: str) -> bool:
        """Return whether a node's answer is in :attr:`nodes` now; else the question was noted."""
        if node_id in self.nodes:
            return True
        if self.noting and self._batch_nodes is not None:
            self._note(self._noted_nodes, node_id)
            return False
        call = f"node({node_id!r})"
        node = self._asked(call, lambda: self._node_if_any(node_id))
        self.nodes[node_id] = self._read_node(call, node_id, node)
        return True

    def followed(self, node_id: str) -> list[str]:
        """Return to where a node's edges lead; nowhere where the question was noted."""
        if node_id not in self.targets:
            if self.noting and self._batch_edges is not None:
                self._note(self._noted_edges, node_id)
                return []
            call = f"edges({node_id!r})"
            edges = self._asked(call, lambda: self._store.edges(node_id))
            self.targets[node_id] = self._read_targets(call, node_id, edges)
        return self.targets[node_id]

    def ask(self) -> list[str]:
        """Ask all that was noted; return which nodes were.

        Raises
        ------
        ExecutionError
            The store raised something that is no OctavoError, or answered with something else than
            the protocol says.
        """
        seeds, self._noted_seeds = self._noted_seeds, {}
        for limit, texts in seeds.items():
            self._ask_seeds(list(texts), limit)
        nodes, self._noted_nodes = list(self._noted_nodes), {}
        if nodes and self._batch_nodes is not None:
            call, batch = f"nodes_batch of {len(nodes)} ids", self._batch_nodes
            found = self._many(call, nodes, lambda: batch.nodes_batch(nodes))
            for node_id, node in zip(nodes, found, strict=True):
                self.nodes[node_id] = self._read_node(call, node_id, node)
        edges, self._noted_edges = list(self._noted_edges), {}
        if edges and self._batch_edges is not None:
            call, following = f"edges_batch of {len(edges)} ids", self._batch_edges
            found = self._many(call, edges, lambda: following.edges_batch(edges))
            for node_id, leaving in zip(edges, found, strict=True):
                self.targets[node_id] = self._read_targets(call, node_id, leaving)
        return nodes

    def _ask_seeds(self, texts: list[str], limit: int) -> None:
        batch = self._batch_seeds
        if batch is not None:
            call = f"seeds_batch of {len(texts)} queries"
            found = self._many(call, texts, lambda: batch.seeds_batch(texts, limit))
            for text, pairs in zip(texts, found, strict=True):
                self._seeds[limit, text] = self._read_seeds(call, pairs)

    def _note(self, noted: dict[str, None], question: str) -> None:
        noted[question] = None
        self.incomplete = True

    def _many(self, call: str, asked: list[str], ask: Callable[[], Sequence[Any]]) -> list[Any]:
        self.batches += 1
        answers = self._asked(call, lambda: list(ask()))
        if len(answers) != len(asked):
            raise ExecutionError(
                f"{self._where}: {call}: expected as many answers, found {len(answers)}"
            )
        return answers

    def _read_seeds(self, call: str, answer: Any) -> Seeds:  # noqa: ANN401 - whatever came
        seeds = []
        pairs = self._asked(call, lambda: [(node, score) for node, score in answer])
        for node, score in pairs:
            self._check(node, call)
            if self.nodes.get(node.id) is None:
                self.nodes[node.id] = node
            seeds.append((node.id, checked_seed_score(self._where, node.id, score)))
        return seeds

    def _read_targets(self, call: str, node_id: str, answer: Any) -> list[str]:  # noqa: ANN401
        edges = self._asked(call, lambda: list(answer))
        targets = self._asked(call, lambda: [edge.target for edge in edges])
        if not all(isinstance(target, str) for target in targets):
            raise ExecutionError(f"{self._where}: {call}: expected targets that are strings")
        if self.relations is not None:
            self.relations[node_id] = self._asked(call, lambda: first_relations(edges))
        return targets

    def _read_node(self, call: str, node_id: str, node: Any) -> GraphNode | None:  # noqa: ANN401
        if node is None:
            return None
        self._check(node, call)
        if node.id != node_id:
            raise ExecutionError(
                f"{self._where}: {call}: expected the node {node_id!r}, found {node.id!r}"
            )
        return node  # type: ignore[no-any-return]

    def _node_if_any(self, node_id: str) -> GraphNode | None:
        """Return a node, or ``None`` for the target of an edge that leads nowhere."""
        try:
            node = self._store.node(node_id)
        except KeyError:
            return None
        if node is None:
            raise ExecutionError(
                f"{self._where}: node({node_id!r}): expected a GraphNode or a KeyError, found None"
            )
        return node

    def _check(self, node: Any, call: str) -> None:  # noqa: ANN401 - whatever the store gave
        fault = self._asked(call, lambda: node_fault(node))
        if fault is not None:
            raise ExecutionError(f"{self._where}: {call}: {fault}")

    def _asked(self, what: str, call: Callable[[], Answer]) -> Answer:
        """Call the store; what it raises becomes an execution failure (S43)."""
        if self.cancellation is not None:
            self.cancellation.raise_if_cancelled()
        try:
            return call()
        except OctavoError:  # all of them: it may come from the scope's documents, or its check
            raise
        except Exception as error:
            raise ExecutionError(f"{self._where}: {what} raised {told(error)}") from error
