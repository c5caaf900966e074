"""What a graph store must keep, as checks that a test class inherits (S24)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise

from octavo.spi import BatchEdges, BatchNodes, BatchSeeds, GraphEdge, GraphNode, GraphStore
from octavo.testing.strategy_hooks import is_nan
from octavo.testing.violation import refuse, require

_SEVERAL = 50
_NO_NODE = "octavo.testing: no such node"


class GraphStoreContract:
    """Inherit it in a test class, and say which store and which queries."""

    def store(self) -> GraphStore:
        """Return the store under test; its graph does not change."""
        raise NotImplementedError("store(): return the store under test")

    def queries(self) -> Sequence[str]:
        """Return queries; at least one has two seeds, one of which has an edge."""
        raise NotImplementedError("queries(): return queries that have seeds")

    @cached_property
    def subject(self) -> GraphStore:
        """The store, made once for each check."""
        return self.store()

    def reached(self) -> dict[str, GraphNode]:
        """Return some nodes by id: the seeds of all queries, and what edges lead to.

        An edge may lead to no node: a walk does not follow it.
        """
        known = {node.id: node for query in self.queries() for node, _ in self._seeds(query)}
        waiting = list(known)
        while waiting and len(known) < _SEVERAL:
            for edge in self._edges(waiting.pop(0)):
                if edge.target in known:
                    continue
                try:
                    known[edge.target] = self.subject.node(edge.target)
                except KeyError:
                    continue
                waiting.append(edge.target)
        return known

    def test_it_is_a_graph_store(self) -> None:  # S24
        """The three methods exist."""
        require(
            isinstance(self.subject, GraphStore),
            "S24",
            f"expected `seeds`, `edges` and `node`, found {type(self.subject).__name__}",
        )

    def test_the_queries_have_seeds(self) -> None:
        """The checks have something to look at."""
        best = max((self._seeds(query) for query in self.queries()), key=len)
        require(len(best) >= 2, "contract", f"queries(): expected two seeds, found {len(best)}")
        edges = [edge for node, _ in best for edge in self._edges(node.id)]
        require(edges, "contract", "queries(): expected a seed with an edge, found none")

    def test_seeds_are_nodes_with_scores(self) -> None:  # S24
        """Each seed is a pair of a node and a number, each node once."""
        for query in self.queries():
            seeds = self._seeds(query)
            for node, score in seeds:
                require(not is_nan(score), "S24", f"{query!r}: the score of {node.id!r} is NaN")
            ids = [node.id for node, _ in seeds]
            require(len(ids) == len(set(ids)), "S24", f"{query!r}: a seed comes twice in {ids}")

    def test_seeds_come_best_first(self) -> None:  # S24
        """A later seed never has the higher score."""
        for query in self.queries():
            for (_, better), (_, worse) in pairwise(self._seeds(query)):
                require(not better < worse, "S24", f"{query!r}: {worse} comes after {better}")

    def test_fewer_seeds_are_the_first_of_more(self) -> None:  # S24
        """The limit is kept and cuts only."""
        for query in self.queries():
            whole = self._seeds(query)
            for limit in range(1, len(whole) + 2):
                require(
                    self._seeds(query, limit) == whole[:limit],
                    "S24",
                    f"{query!r}: {limit} seeds are not the first of {len(whole)}",
                )

    def test_any_text_is_a_legal_query(self) -> None:  # S24
        """Blank and hostile texts have seeds or none."""
        for query in ("", " \t", 'quote " and (', "\U0001f98a", "\ud800"):
            self._seeds(query)

    def test_a_node_is_found_by_its_id(self) -> None:  # S24
        """Seeds and targets are the nodes that their ids stand for."""
        for identifier, node in self.reached().items():
            require(isinstance(node, GraphNode), "S24", f"node({identifier!r}): found {node!r}")
            require(node.id == identifier, "S24", f"node({identifier!r}) has the id {node.id!r}")
            require(
                self.subject.node(identifier) == node, "S24", f"node({identifier!r}) is another"
            )

    def test_edges_leave_their_node(self) -> None:  # S24
        """Each edge starts at the node asked for."""
        for identifier in self.reached():
            for edge in self._edges(identifier):
                require(
                    edge.source == identifier,
                    "S24",
                    f"edges({identifier!r}) gave one that leaves {edge.source!r}",
                )

    def test_an_unknown_node_is_a_key_error(self) -> None:  # S24
        """There is no such node, and the store says so."""
        try:
            self.subject.node(_NO_NODE)
        except KeyError:
            return
        refuse("S24", "an unknown id: expected KeyError")

    def test_the_same_call_gives_the_same_answer(self) -> None:  # S6 S24
        """Seeds and edges have one order, in every thread."""
        queries = list(self.queries())
        expected = [self._seeds(query) for query in queries]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(self._seeds, queries * 4))
        require(answers == expected * 4, "S6", "seeds differ between calls")
        for identifier in self.reached():
            edges = self._edges(identifier)
            require(
                self._edges(identifier) == edges,
                "S6",
                f"edges({identifier!r}) differ between calls",
            )

    def test_seeds_of_many_queries_are_those_of_each(self) -> None:  # S24
        """``seeds_batch``, where there is one, agrees with ``seeds``, in the order of the queries."""
        store = self.subject
        if not isinstance(store, BatchSeeds):
            return
        queries = [*self.queries(), "", "\ud800", *self.queries()]
        for limit in (1, _SEVERAL):
            expected = [self._seeds(query, limit) for query in queries]
            answers = [list(seeds) for seeds in store.seeds_batch(queries, limit)]
            require(
                answers == expected, "S24", f"seeds_batch({queries}, {limit}) differs from seeds"
            )
        require(
            not list(store.seeds_batch([], 1)), "S24", "seeds_batch of no queries: expected none"
        )

    def test_edges_of_many_nodes_are_those_of_each(self) -> None:  # S24
        """``edges_batch``, where there is one, agrees with ``edges``, in the order of the nodes."""
        store = self.subject
        if not isinstance(store, BatchEdges):
            return
        ids = [*self.reached(), *self.reached()]
        expected = [self._edges(identifier) for identifier in ids]
        answers = [list(edges) for edges in store.edges_batch([_NO_NODE, *ids])]
        require(answers[1:] == expected, "S24", f"edges_batch({ids}) differs from edges")
        require(answers[0] == [], "S24", "edges_batch: an unknown node: expected no edges")
        require(not list(store.edges_batch([])), "S24", "edges_batch of no nodes: expected none")

    def test_many_nodes_are_found_by_their_ids(self) -> None:  # S24
        """``nodes_batch``, where there is one, agrees with ``node``; unknown nodes are ``None``."""
        store = self.subject
        if not isinstance(store, BatchNodes):
            return
        reached = self.reached()
        ids = [*reached, _NO_NODE, *reached]
        expected = [reached.get(identifier) for identifier in ids]
        require(
            list(store.nodes_batch(ids)) == expected, "S24", f"nodes_batch({ids}) differs from node"
        )
        require(not list(store.nodes_batch([])), "S24", "nodes_batch of no ids: expected none")

    def _seeds(self, query: str, limit: int = _SEVERAL) -> list[tuple[GraphNode, float]]:
        seeds = self.subject.seeds(query, limit)
        for seed in _listed(seeds, f"seeds({query!r}, {limit})"):
            require(
                isinstance(seed, tuple) and len(seed) == 2 and isinstance(seed[0], GraphNode),
                "S24",
                f"seeds({query!r}, {limit}): expected pairs of GraphNode and score, found {seed!r}",
            )
        return list(seeds)

    def _edges(self, identifier: str) -> list[GraphEdge]:
        edges = self.subject.edges(identifier)
        for edge in _listed(edges, f"edges({identifier!r})"):
            require(
                isinstance(edge, GraphEdge),
                "S24",
                f"edges({identifier!r}): expected GraphEdge, found {edge!r}",
            )
        return list(edges)


def _listed(answer: object, call: str) -> list[object]:
    """Return what a call answered, if it can be gone through."""
    if not isinstance(answer, Sequence):
        refuse("S24", f"{call}: expected a sequence, found {answer!r}")
    return list(answer)
