"""A walk over an application's graph store: it is asked little, and never trusted."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.report import SearchReport
from octavo.graph.best_first import Visit, best_first
from octavo.graph.bounds import MOST, WalkBounds
from octavo.graph.node_table import NodeTable
from octavo.graph.path_edges import AnsweredEdges
from octavo.graph.paths import Trace
from octavo.graph.seeds import best_seeds
from octavo.graph.store_answers import Seeds, StoreAnswers
from octavo.graph.walked import Walked, too_many_paths, walk_parts
from octavo.kernels.graph_traversal import TooManyPaths
from octavo.spi import CancellationToken, GraphStore

# A level takes two rounds, one for nodes and one for their edges. A walk is begun anew in each
# round, so that a very deep one had better ask as it goes.
_MOST_ROUNDS = 64


class _Found(NamedTuple):
    visits: list[Visit]
    seeds: Seeds


class StoreWalk:
    """Walks for the queries of one batch; each node and its edges are asked for once.

    A store with batch forms is asked in rounds: every query walks over what is known and notes
    where it lacks an answer, then all is asked at once, until nothing is lacking. The last round
    is the walk itself, so the result is that of a walk which asks node by node.

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
        self._answers = StoreAnswers(self._where, store)
        self._bounds = bounds
        self._allowed_sources = allowed_sources

    home: Final = None
    """An application's nodes are its own."""

    def heed(self, cancellation: CancellationToken | None) -> None:
        """Look at a token before each question to the store; ``None`` looks at none."""
        self._answers.cancellation = cancellation

    def walk(
        self,
        texts: Sequence[str],
        seed_limit: int,
        wanted: int | None = None,
        vectors: NDArray[np.floating] | None = None,
    ) -> Walked:
        """Return the visited nodes of each query, be more wanted or fewer, with vectors or without.

        Raises
        ------
        ExecutionError
            The store raised something that is no OctavoError, or answered with something else than
            the protocol says.
        CancelledError
            The token was cancelled.
        """
        del wanted, vectors  # a store is asked best first as it is, and for texts
        report = SearchReport()
        answers = self._answers
        found = self._found(texts, seed_limit)
        visits = [visit for each in found for visit in each.visits]
        ids = {visit.node for visit in visits}
        table = NodeTable(node for id_, node in answers.nodes.items() if node and id_ in ids)
        counts = [len(each.visits) for each in found]
        report.plans["graph: store"] += len(texts)
        report.counters["nodes found"] += len(visits)
        report.counters["nodes asked for edges"] += len(answers.targets)
        report.counters["edges to no node"] += sum(node is None for node in answers.nodes.values())
        report.counters["batch calls of the store"] += answers.batches
        hits = Hits(
            np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
            table.rows_of([visit.node for visit in visits]),
            np.array([visit.score for visit in visits], np.float64),
            walk_parts(
                np.array([visit.hops for visit in visits], np.int32),
                np.array([visit.seed_score for visit in visits], np.float64),
            ),
        )
        return Walked(hits, table, report, _started(found, table))

    def trace(
        self, text: str, seed_limit: int, vectors: NDArray[np.floating] | None = None
    ) -> Trace:
        """Walk for one query so that paths can be found."""
        del vectors  # a store of the application's asks for texts
        relations: dict[str, dict[str, Any]] = {}
        self._answers.relations = relations
        walked = self.walk([text], seed_limit)
        edges = AnsweredEdges(self._where, walked.nodes, relations)
        return Trace(walked, edges, self._bounds.depth_decay)

    def _found(self, texts: Sequence[str], seed_limit: int) -> list[_Found]:
        """Return what each query's walk found, in as many rounds as it takes."""
        found = [_Found([], []) for _ in texts]
        waiting = list(range(len(texts)))
        ahead = self._bounds
        for round_ in range(_MOST_ROUNDS + 1):
            self._answers.noting = round_ < _MOST_ROUNDS
            lacking = []
            for number in waiting:
                visited = self._visits(number, texts[number], seed_limit, ahead)
                if visited is None:
                    lacking.append(number)
                else:
                    found[number] = visited
            waiting = lacking
            if not waiting:
                break
            asked = self._answers.ask()
            if sum(map(self._admits, asked)) * 2 < len(asked):
                # Most were none, or fenced out: look further next time, to end soon.
                most = min(2 * ahead.max_visited_nodes, MOST)
                ahead = replace(ahead, max_visited_nodes=most)
        return found

    def _visits(self, number: int, text: str, seed_limit: int, ahead: WalkBounds) -> _Found | None:
        """Return what a query's walk found, ``None`` where answers are lacking."""
        answers = self._answers
        answers.incomplete = False
        seeds = best_seeds(
            lambda limit: answers.seeds(text, limit),
            seed_limit,
            self._admits if self._allowed_sources else None,
        )
        if answers.incomplete:
            return None
        try:
            visits = best_first(seeds, self._followed, self._admits, self._bounds)
            if answers.incomplete and ahead != self._bounds:
                best_first(seeds, self._followed, self._admits, ahead)
        except TooManyPaths as error:
            # There may be fewer once it is known which nodes there are.
            if not answers.incomplete:
                raise too_many_paths(self._where, number) from error
        return None if answers.incomplete else _Found(visits, seeds)

    def _followed(self, node_id: str) -> list[str]:
        """Return to where edges lead; of a node that may not be there none are asked for."""
        known = node_id in self._answers.nodes
        return self._answers.followed(node_id) if known else []

    def _admits(self, node_id: str) -> bool:
        if not self._answers.knows(node_id):
            return True  # perhaps
        node = self._answers.nodes[node_id]
        return node is not None and (
            not self._allowed_sources or node.source in self._allowed_sources
        )


def _started(found: Sequence[_Found], table: NodeTable) -> Hits:
    """Return the seeds of each query as rows."""
    seeds = [seed for each in found for seed in each.seeds]
    return Hits(
        np.cumsum([0, *(len(each.seeds) for each in found)], dtype=np.int64),
        table.rows_of([node for node, _ in seeds]),
        np.array([score for _, score in seeds], np.float64),
    )
