"""Bounded best-first traversal over any graph that can be asked for a node's neighbours (S24).

The same walk as :mod:`octavo.kernels.graph_traversal`, for stores that have no arrays: node by
node, so that a store is never asked for the edges of more than ``max_visited_nodes`` nodes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from octavo.graph.bounds import WalkBounds
from octavo.kernels.graph_traversal import MOST_PATHS, TooManyPaths


class Visit(NamedTuple):
    """One visited node and the best path to it."""

    node: str
    score: float
    hops: int
    seed_score: float


class _Label(NamedTuple):
    score: float
    hops: int
    seed: int
    node: str
    parent: "_Label | None"


def best_first(
    seeds: Sequence[tuple[str, float]],
    targets: Callable[[str], Iterable[str]],
    admits: Callable[[str], bool],
    bounds: WalkBounds,
    most_paths: int = MOST_PATHS,
) -> list[Visit]:
    """Visit the best nodes that one query's seeds reach.

    Parameters
    ----------
    seeds
        Distinct admissible nodes with finite scores, best first.
    targets
        The nodes to which a node's edges lead; asked only of visited nodes, perhaps repeatedly.
    admits
        Whether a node exists and may be visited; asked only of nodes whose turn has come.
    bounds
        Depth, decay, and number of nodes.

    Returns
    -------
    list of Visit
        By score descending, then node ascending.

    Raises
    ------
    TooManyPaths
        Seeds below zero start more than ``most_paths`` paths.
    """
    return _Walk(seeds, targets, admits, bounds, most_paths).run()


class _Walk:
    def __init__(
        self,
        seeds: Sequence[tuple[str, float]],
        targets: Callable[[str], Iterable[str]],
        admits: Callable[[str], bool],
        bounds: WalkBounds,
        most_paths: int,
    ) -> None:
        self._targets = targets
        self._admits = admits
        self._bounds = bounds
        self._paths_left = most_paths
        self._seeds = seeds
        # The serial number settles what is left of equality before labels would be compared.
        self._heap: list[tuple[float, int, int, str, int, _Label]] = []
        self._serial = 0
        self._visits: dict[str, Visit] = {}
        self._reach: dict[str, int] = {}  # 1 + how many hops the furthest-reaching label may go
        self._ending: dict[str, float] = {}  # best score from below zero at the full depth

    def run(self) -> list[Visit]:
        for seed, (node, score) in enumerate(self._seeds):
            self._queue(_Label(score, 0, seed, node, None))
        below_zero = any(score < 0.0 for _, score in self._seeds)
        while self._heap:
            *_, label = heappop(self._heap)
            if label.node not in self._visits:
                if len(self._visits) == self._bounds.max_visited_nodes:
                    if not below_zero:
                        break
                    continue
                if not self._admits(label.node):
                    continue
            self._visit(label)
            if label.hops < self._bounds.max_depth:
                self._expand(label)
        return sorted(self._visits.values(), key=lambda visit: (-visit.score, visit.node))

    def _queue(self, label: _Label) -> None:
        heappush(self._heap, (-label.score, *label[1:4], self._serial, label))
        self._serial += 1

    def _visit(self, label: _Label) -> None:
        visited = self._visits.get(label.node)
        if visited is None or (-label.score, label.hops) < (-visited.score, visited.hops):
            seed_score = self._seeds[label.seed][1]
            self._visits[label.node] = Visit(label.node, label.score, label.hops, seed_score)

    def _expand(self, label: _Label) -> None:
        one_by_one = self._bounds.depth_decay < 1.0 and self._seeds[label.seed][1] < 0.0
        if not one_by_one:
            reach = self._bounds.max_depth - label.hops + 1
            self._reach[label.node] = max(reach, self._reach.get(label.node, 0))
        worth = self._ends_better if one_by_one else self._reaches_further
        score = label.score * self._bounds.depth_decay + 0.0  # never minus zero
        for target in self._targets(label.node):
            if worth(target, score, label):
                self._queue(_Label(score, label.hops + 1, label.seed, target, label))
        if self._paths_left < 0:
            raise TooManyPaths(0)

    def _reaches_further(self, target: str, score: float, label: _Label) -> bool:
        """Whether no label of at least this score has come to ``target`` in as few hops."""
        del score  # labels come best first
        reach = self._bounds.max_depth - label.hops
        if reach <= self._reach.get(target, 0):
            return False
        self._reach[target] = reach
        return True

    def _ends_better(self, target: str, score: float, label: _Label) -> bool:
        """Whether the path is new to ``target`` and, at the full depth, the best to end there."""
        if _on_path(target, label):
            return False
        if label.hops + 1 == self._bounds.max_depth:
            if score <= self._ending.get(target, -math.inf):
                return False
            self._ending[target] = score
        self._paths_left -= 1
        return True


def _on_path(node: str, label: _Label) -> bool:
    step: _Label | None = label
    while step is not None and step.node != node:
        step = step.parent
    return step is not None
