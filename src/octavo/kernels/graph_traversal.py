"""Bounded best-first traversal of a graph in CSR form, for a batch of queries (S24).

``score(node) = max over all paths within the depth bound of seed_score * decay^hops``. Labels
leave a heap best first: by score, then fewer hops, then better seed, then node. The first label of
a node visits it; one with fewer hops expands it again, because it reaches further.

A decay raises a score below zero. From such a seed the longest path is the best, and no label makes
another superfluous: these paths are followed one by one, none through a node twice.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.graph_levels import walk_levels

MOST_PATHS = 2**22
"""Paths from seeds below zero that are followed for one query: there can be exponentially many."""

_INTEGERS = types.Array(types.int64, 1, "C")
_REALS = types.Array(types.float64, 1, "C")


class Visits(NamedTuple):
    """The visited nodes of each query: query ``i`` owns ``offsets[i]`` to ``offsets[i + 1]``."""

    offsets: NDArray[np.int64]
    nodes: NDArray[np.int64]
    scores: NDArray[np.float64]
    hops: NDArray[np.int64]
    seeds: NDArray[np.int64]
    """Position of the seed at which the best path starts."""


@kernel(
    types.Tuple(  # type: ignore[no-untyped-call]
        (types.int64, _INTEGERS, _INTEGERS, _REALS, _INTEGERS, _INTEGERS)
    )(
        readonly(types.int64),
        readonly(types.int32),
        readonly(types.boolean),
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.float64),
        types.int64,
        types.float64,
        types.int64,
        types.int64,
        writable(types.int64),
        writable(types.int64),
        writable(types.int64),
    )
)
def _walk(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    allowed: NDArray[np.bool_],
    seed_offsets: NDArray[np.int64],
    seed_nodes: NDArray[np.int64],
    seed_scores: NDArray[np.float64],
    max_depth: int,
    decay: float,
    max_nodes: int,
    most_paths: int,
    place: NDArray[np.int64],
    reach: NDArray[np.int64],
    ending: NDArray[np.int64],
) -> tuple[
    int,
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Walk for each query; the first value returned is one with too many paths, or -1.

    Three workspaces hold a zero for each node and are left so. ``place``: 1 + where the node stands
    among the visited. ``reach``: 1 + how many hops its furthest-reaching label may still go.
    ``ending``: 1 + the best label that reaches it from below zero at the full depth.
    """
    number = offsets.shape[0] - 1
    queries = seed_offsets.shape[0] - 1
    fenced = allowed.shape[0] > 0
    failed = -1
    # One element, to tell the compiler the types.
    heap = [(0.0, 0, 0)]
    label_node, label_score, label_parent, label_seed = [0], [0.0], [0], [0]
    nodes, scores, hops_of, seeds = [0], [0.0], [0], [0]
    nodes.clear()
    scores.clear()
    hops_of.clear()
    seeds.clear()
    starts = np.zeros(queries + 1, np.int64)

    for query in range(queries):
        heap.clear()
        label_node.clear()
        label_score.clear()
        label_parent.clear()
        label_seed.clear()
        below_zero = False
        first = seed_offsets[query]
        width = seed_offsets[query + 1] - first
        for seed in range(seed_offsets[query], seed_offsets[query + 1]):
            tie = (seed - first) * number + seed_nodes[seed]
            heappush(heap, (-seed_scores[seed], tie, len(label_node)))
            label_node.append(seed_nodes[seed])
            label_score.append(seed_scores[seed])
            label_parent.append(-1)
            label_seed.append(seed)
            below_zero = below_zero or seed_scores[seed] < 0.0

        paths = 0
        while len(heap) > 0:
            _, tie, label = heappop(heap)
            hops = tie // (number * width)
            node = label_node[label]
            score = label_score[label]
            seed = label_seed[label]
            if place[node] == 0:
                if len(nodes) - starts[query] == max_nodes:
                    if not below_zero:
                        break
                    continue
                nodes.append(node)
                scores.append(score)
                hops_of.append(hops)
                seeds.append(seed)
                place[node] = len(nodes)
            else:
                visit = place[node] - 1
                if score > scores[visit] or (score == scores[visit] and hops < hops_of[visit]):
                    scores[visit] = score
                    hops_of[visit] = hops
                    seeds[visit] = seed

            remaining = max_depth - hops
            if remaining == 0:
                continue
            one_by_one = decay < 1.0 and seed_scores[seed] < 0.0
            if not one_by_one:
                reach[node] = max(reach[node], remaining + 1)
            reached = score * decay + 0.0  # never minus zero
            for edge in range(offsets[node], offsets[node + 1]):
                target = int(np.int64(targets[edge]))
                if not 0 <= target < number:  # a damaged file may say anything
                    continue
                if fenced and not allowed[target]:
                    continue
                if one_by_one:
                    ancestor = label
                    while ancestor >= 0 and label_node[ancestor] != target:
                        ancestor = label_parent[ancestor]
                    if ancestor >= 0:
                        continue
                    if remaining == 1:
                        if ending[target] > 0 and reached <= label_score[ending[target] - 1]:
                            continue
                        ending[target] = len(label_node) + 1
                    paths += 1
                else:
                    if remaining <= reach[target]:
                        continue
                    reach[target] = remaining
                tie = ((hops + 1) * width + seed - first) * number + target
                heappush(heap, (-reached, tie, len(label_node)))
                label_node.append(target)
                label_score.append(reached)
                label_parent.append(label)
                label_seed.append(seed)
            if paths > most_paths:
                failed = query
                break

        starts[query + 1] = len(nodes)
        for node in label_node:
            place[node] = 0
            reach[node] = 0
            ending[node] = 0
        if failed >= 0:
            break
    return (
        failed,
        starts,
        np.array(nodes, dtype=np.int64),
        np.array(scores, dtype=np.float64),
        np.array(hops_of, dtype=np.int64),
        np.array(seeds, dtype=np.int64),
    )


class Workspace:
    """Memory that walks use one after another, so that each touches little of it.

    Parameters
    ----------
    nodes
        The number of nodes of the largest graph that it serves.
    """

    __slots__ = ("state",)

    def __init__(self, nodes: int) -> None:
        self.state = np.zeros((3, nodes), np.int64)

    @property
    def nodes(self) -> int:
        """The number of nodes that it has room for."""
        return self.state.shape[1]


class TooManyPaths(Exception):
    """A query's seeds below zero start more than :data:`MOST_PATHS` paths."""

    def __init__(self, query: int) -> None:
        super().__init__(query)
        self.query = query


def traverse(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    seed_offsets: NDArray[np.int64],
    seed_nodes: NDArray[np.int64],
    seed_scores: NDArray[np.float64],
    *,
    max_depth: int,
    decay: float,
    max_nodes: int,
    allowed: NDArray[np.bool_] | None = None,
    workspace: Workspace | None = None,
    wanted: int | None = None,
    most_paths: int = MOST_PATHS,
) -> Visits:
    """Visit the best ``max_nodes`` nodes that each query's seeds reach.

    Parameters
    ----------
    offsets, targets
        int64 and int32: the edges that leave node ``n`` lead to
        ``targets[offsets[n]:offsets[n + 1]]``. A target that is no node is passed over.
    seed_offsets, seed_nodes, seed_scores
        The seeds of query ``i`` lie from ``seed_offsets[i]`` to ``seed_offsets[i + 1]``, best first:
        distinct allowed nodes with finite scores.
    max_depth
        The largest number of edges of a path, at least 0.
    decay
        What a score is multiplied by at each hop, 0 to 1.
    max_nodes
        The largest number of nodes visited for a query, seeds included, at least 1.
    allowed
        Which nodes may be visited; ``None`` for all.
    workspace
        Kept by the caller, for one thread at a time; ``None`` makes one, which takes as long as
        writing 24 bytes a node.
    wanted
        The number of visited nodes of each query that the caller needs, at least 1: nodes with a
        lower score than the last of these may be missing. ``None`` gives all.
    most_paths
        Where exactness below zero ends.

    Returns
    -------
    Visits
        In no promised order within a query.

    Raises
    ------
    TooManyPaths
        Seeds below zero start more than ``most_paths`` paths; never raised for other seeds.

    Notes
    -----
    Seeds of at least zero take O(max_depth * E log E) for the E edges that leave visited nodes.

    Examples
    --------
    >>> visits = traverse(
    ...     np.array([0, 2, 3, 3]),
    ...     np.array([1, 2, 2], np.int32),
    ...     np.array([0, 1]),
    ...     np.array([0]),
    ...     np.array([1.0]),
    ...     max_depth=2,
    ...     decay=0.5,
    ...     max_nodes=10,
    ... )
    >>> visits.nodes.tolist(), visits.scores.tolist(), visits.hops.tolist()
    ([0, 1, 2], [1.0, 0.5, 0.5], [0, 1, 1])
    """
    everything = np.zeros(0, np.bool_) if allowed is None else allowed
    nodes = len(offsets) - 1
    state = [kind[:nodes] for kind in (workspace or Workspace(nodes)).state]
    graph = (offsets, targets, everything, seed_offsets, seed_nodes, seed_scores)
    bounds = (min(max_depth, nodes), decay, max_nodes)
    if not bool((seed_scores < 0.0).any()):
        needed = max_nodes if wanted is None else min(wanted, max_nodes)
        return Visits(*walk_levels(*graph, *bounds, needed, state[0]))
    failed, starts, visited, scores, hops, seeds = _walk(*graph, *bounds, most_paths, *state)
    if failed >= 0:
        raise TooManyPaths(failed)
    return Visits(starts, visited, scores, hops, seeds)
