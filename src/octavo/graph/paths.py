"""The paths by which a walk's nodes got their scores, found after the walk (S24).

A walk keeps no paths: it need not know them to rank. But it tells of each node the seed's score and
the hops of the best path, and such a path can be found again among the nodes that were visited.
From a seed of at least zero it is a shortest one; from a seed below zero, which a decay raises, it
is one of exactly so many hops that passes no node twice.

Of several such paths it is the one from the first seed, then the one whose first, second, ... node
has the smallest row (in a store without rows, the smallest id).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from octavo.columns.stored_document import StoredDocument
from octavo.errors import ExecutionError
from octavo.graph.graph_path import GraphPath
from octavo.graph.path_edges import PathEdges
from octavo.graph.walked import Walked

_NAME_CHARACTERS = 60


class Goal(NamedTuple):
    """A visited node, and the hit that it is, or for which it stands."""

    node: str
    document: str


class Trace:
    """One query's walk, in which paths can be found.

    Parameters
    ----------
    walked
        The walk of one query, with all that it visited.
    edges
        The edges over which it went.
    decay
        What each hop multiplied a score by.
    """

    def __init__(self, walked: Walked, edges: PathEdges, decay: float) -> None:
        self.walked = walked
        self._edges = edges
        self._decay = decay
        hits = walked.hits
        # A place is a node's position among the visited, by row.
        order = np.argsort(hits.rows)
        self._visited = hits.rows[order]
        self._is_visited = np.zeros(walked.nodes.rows, np.bool_)
        self._is_visited[self._visited] = True
        self._hops = hits.parts["hops"].values[order].tolist()
        self._seed_scores = hits.parts["seed_score"].values[order].tolist()
        self._following: dict[int, list[int]] = {}

    def paths(self, goals: Sequence[Goal]) -> list[GraphPath | None]:
        """Return the path to each goal, ``None`` for a node that was not visited.

        Raises
        ------
        ExecutionError
            The store gave an edge whose relation is no string, or contradicts its own walk.
        """
        ends = [self._place(self.walked.nodes.row_of(goal.node)) for goal in goals]
        found = self._found({end for end in ends if end >= 0})
        hops = sorted({hop for path in found.values() for hop in pairwise(path)})
        rows = [(int(self._visited[start]), int(self._visited[end])) for start, end in hops]
        relations = dict(zip(hops, self._edges.relations(rows) if rows else (), strict=True))
        places = sorted({place for path in found.values() for place in path})
        table, on_paths = self.walked.nodes, self._visited[places]
        ids = dict(zip(places, table.node_ids(on_paths), strict=True))
        names = dict(zip(places, map(_name, table.documents(on_paths)), strict=True))

        def path_of(goal: Goal, end: int) -> GraphPath:
            path = found[end]
            return GraphPath(
                nodes=tuple(ids[place] for place in path),
                names=tuple(names[place] or ids[place] for place in path),
                relations=tuple(relations[hop] for hop in pairwise(path)),
                seed_score=self._seed_scores[end],
                decay=self._decay,
                document=goal.document,
            )

        return [
            None if end < 0 else path_of(goal, end) for goal, end in zip(goals, ends, strict=True)
        ]

    def _found(self, ends: set[int]) -> dict[int, list[int]]:
        """Return the places on the path to each place."""
        found: dict[int, list[int]] = {}
        by_seed: dict[float, set[int]] = {}
        for end in ends:
            by_seed.setdefault(self._seed_scores[end], set()).add(end)
        for score, reached in by_seed.items():
            seeds = self._seeds(score)
            if score < 0.0 and self._decay < 1.0:
                for end in reached:
                    found[end] = self._path_of_hops(seeds, end, self._hops[end])
            else:
                found.update(self._shortest_paths(seeds, reached))
        if not all(found.values()):
            raise ExecutionError("a graph changed while paths in it were looked for")
        return found

    def _seeds(self, score: float) -> list[int]:
        """Return the places of the visited seeds of this score, in the walk's order."""
        seeds = self.walked.seeds
        return [
            place
            for place in map(self._place, seeds.rows[seeds.scores == score].tolist())
            if place >= 0
        ]

    def _place(self, row: int) -> int:
        """Return a row's place, -1 where it was not visited."""
        known = row >= 0 and bool(self._is_visited[row])
        return int(np.searchsorted(self._visited, row)) if known else -1

    def _shortest_paths(self, seeds: list[int], ends: set[int]) -> dict[int, list[int]]:
        """Return a shortest path from any of the seeds to each end."""
        before: dict[int, int | None] = dict.fromkeys(seeds)
        level = seeds
        while level and not ends <= before.keys():
            following = []
            for place in level:
                for target in self._targets(place):
                    if target not in before:
                        before[target] = place
                        following.append(target)
            level = following
        paths = {}
        for end in ends:
            path: list[int] = []
            step = end if end in before else None
            while step is not None:
                path.append(step)
                step = before[step]
            paths[end] = path[::-1]
        return paths

    def _path_of_hops(self, seeds: list[int], end: int, hops: int) -> list[int]:
        """Return a path of exactly so many hops that passes no place twice.

        Looked for in depth, but only where as many hops as are left could lead to the end. The walk
        followed all such paths itself.
        """
        leading = self._leading(end, hops)
        for seed in seeds:
            if seed not in leading[hops]:
                continue
            path, branches = [seed], [iter(self._targets(seed))]
            while path and len(path) <= hops:
                step = _next(branches[-1], path, leading[hops - len(path)])
                if step is None:
                    path.pop()
                    branches.pop()
                else:
                    path.append(step)
                    branches.append(iter(self._targets(step)))
            if path:
                return path
        return []

    def _leading(self, end: int, hops: int) -> list[set[int]]:
        """Return from where 0, 1, ... up to ``hops`` hops lead to ``end``, nodes met twice or not."""
        leading = [{end}]
        for _ in range(hops):
            before = (self._before.get(step, ()) for step in leading[-1])
            leading.append({place for places in before for place in places})
        return leading

    @cached_property
    def _before(self) -> dict[int, list[int]]:
        """From which visited places edges lead to each."""
        before: dict[int, list[int]] = {}
        for place in range(len(self._visited)):
            for target in self._targets(place):
                before.setdefault(target, []).append(place)
        return before

    def _targets(self, place: int) -> list[int]:
        """Return the visited places to which edges lead, ascending."""
        known = self._following.get(place)
        if known is None:
            targets = self._edges.targets(int(self._visited[place]))
            places = np.searchsorted(self._visited, targets[self._is_visited[targets]])
            known = self._following[place] = np.unique(places).tolist()
        return known


def _next(branch: Iterator[int], path: list[int], leading: set[int]) -> int | None:
    return next((step for step in branch if step in leading and step not in path), None)


def _name(document: StoredDocument) -> str:
    """Return a title or name, else how the content begins; empty text where there is neither."""
    named = document.title or document.metadata.get("name")
    text = " ".join((named or document.content.strip().partition("\n")[0]).split())
    return text if len(text) <= _NAME_CHARACTERS else f"{text[: _NAME_CHARACTERS - 1].rstrip()}…"
