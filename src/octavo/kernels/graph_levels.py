"""Bounded graph traversal hop by hop, for seeds of at least zero (S24).

From such seeds no path is better for being longer, so one label a node and hop is enough: level
``h`` holds the nodes that some path of ``h`` edges reaches with a higher score than any shorter
one. A label that comes after ``max_nodes`` other nodes, by (score, hops, seed, node), can lead to
no node that is visited, and is not followed. The result is that of the heap in
:mod:`octavo.kernels.graph_traversal`, bit for bit, in a fraction of its time.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.selection import value_at

_FAR = 2**62

_INTEGERS = types.Array(types.int64, 1, "C")
_REALS = types.Array(types.float64, 1, "C")


@kernel(_INTEGERS(readonly(types.int64), types.int64))
def _longer(values: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return the values in an array that has room for more."""
    longer = np.empty(length, np.int64)
    longer[: values.shape[0]] = values
    return longer


@kernel(_REALS(readonly(types.float64), types.int64))
def _longer_reals(values: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Return the values in an array that has room for more."""
    longer = np.empty(length, np.float64)
    longer[: values.shape[0]] = values
    return longer


@kernel(
    types.Tuple(  # type: ignore[no-untyped-call]
        (_INTEGERS, _INTEGERS, _REALS, _INTEGERS, _INTEGERS)
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
    )
)
def walk_levels(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    allowed: NDArray[np.bool_],
    seed_offsets: NDArray[np.int64],
    seed_nodes: NDArray[np.int64],
    seed_scores: NDArray[np.float64],
    max_depth: int,
    decay: float,
    max_nodes: int,
    wanted: int,
    place: NDArray[np.int64],
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Walk for each query; each query's seeds come best first, none below zero.

    Returns offsets, nodes, scores, hops and seeds, in no promised order within a query: the nodes
    visited, of which only the ``wanted`` best by (score, node) need be there. ``place``
    holds a zero for each node and is left so; within a query it is 1 + the node's label.
    """
    number = offsets.shape[0] - 1
    queries = seed_offsets.shape[0] - 1
    fenced = allowed.shape[0] > 0
    # The labels: each node's best. At most `capacity`, as is every array beside them.
    capacity = 1024
    nodes = np.empty(capacity, np.int64)
    scores = np.empty(capacity, np.float64)
    hops = np.empty(capacity, np.int64)
    seeds = np.empty(capacity, np.int64)
    # The labels that came last, and what of them is followed; these stand while labels improve.
    arrived = np.empty(capacity, np.int64)
    from_node = np.empty(capacity, np.int64)
    from_score = np.empty(capacity, np.float64)
    from_seed = np.empty(capacity, np.int64)
    ties = np.empty(capacity, np.int64)
    out = 0
    out_offsets = np.zeros(queries + 1, np.int64)
    out_nodes = np.empty(capacity, np.int64)
    out_scores = np.empty(capacity, np.float64)
    out_hops = np.empty(capacity, np.int64)
    out_seeds = np.empty(capacity, np.int64)

    for query in range(queries):
        first = seed_offsets[query]
        width = seed_offsets[query + 1] - first
        found = 0
        arriving = 0
        depth = 0
        for seed in range(width):
            if found == capacity:
                capacity *= 2
                nodes = _longer(nodes, capacity)
                scores = _longer_reals(scores, capacity)
                hops = _longer(hops, capacity)
                seeds = _longer(seeds, capacity)
                arrived = _longer(arrived, capacity)
            nodes[found] = seed_nodes[first + seed]
            scores[found] = seed_scores[first + seed]
            hops[found] = 0
            seeds[found] = seed
            arrived[found] = found
            found += 1
            place[seed_nodes[first + seed]] = found
        arriving = found

        # A label is among the best `max_nodes` where its score is above `least`, or equal to it and
        # its tie at most `most`; what leads to less than `floor` leads to none wanted. All only get
        # stricter: they are found anew when enough has changed, else many small levels would take
        # quadratic time.
        least = 0.0
        most = _FAR
        floor = 0.0
        changed = 0
        while True:
            ended = depth == max_depth or arriving == 0
            changed += arriving
            due = ended or changed * 16 >= found
            if due and found > max_nodes:
                least = value_at(scores[:found].copy(), found - max_nodes)
                above = 0
                tied = 0
                if ties.shape[0] < found:
                    ties = np.empty(capacity, np.int64)
                for label in range(found):
                    if scores[label] > least:
                        above += 1
                    elif scores[label] == least:
                        ties[tied] = (hops[label] * width + seeds[label]) * number + nodes[label]
                        tied += 1
                last = max_nodes - above - 1
                most = int(value_at(ties[:tied].copy(), last))
            if ended:
                break

            if due:
                changed = 0
                floor = least
                if wanted < max_nodes and found > wanted:
                    floor = max(least, value_at(scores[:found].copy(), found - wanted))
            if from_node.shape[0] < capacity:
                from_node = np.empty(capacity, np.int64)
                from_score = np.empty(capacity, np.float64)
                from_seed = np.empty(capacity, np.int64)
            following = 0
            for position in range(arriving):
                label = arrived[position]
                if scores[label] < floor:
                    continue
                tie = (hops[label] * width + seeds[label]) * number + nodes[label]
                if scores[label] == least and tie > most:
                    continue
                from_node[following] = nodes[label]
                from_score[following] = scores[label] * decay + 0.0  # never minus zero
                from_seed[following] = seeds[label]
                following += 1

            depth += 1
            arriving = 0
            for position in range(following):
                score = from_score[position]
                seed = from_seed[position]
                if score < floor:
                    continue
                if position > 0 and (
                    (seed != from_seed[position - 1] and arriving >= max_nodes)
                    or (score != from_score[position - 1] and arriving >= wanted)
                ):
                    break  # seeds follow one another: all that arrived comes before what is left
                node = from_node[position]
                room = min(number, found + offsets[node + 1] - offsets[node])
                if room > capacity:  # here, since arrays that change in the loop make it slow
                    capacity = max(room, 2 * capacity)
                    nodes = _longer(nodes, capacity)
                    scores = _longer_reals(scores, capacity)
                    hops = _longer(hops, capacity)
                    seeds = _longer(seeds, capacity)
                    arrived = _longer(arrived, capacity)
                for edge in range(offsets[node], offsets[node + 1]):
                    target = int(np.int64(targets[edge]))
                    if not 0 <= target < number:  # a damaged file may say anything
                        continue
                    if fenced and not allowed[target]:
                        continue
                    label = place[target] - 1
                    if label < 0:
                        label = found
                        found += 1
                        place[target] = found
                        nodes[label] = target
                        arrived[arriving] = label
                        arriving += 1
                    elif hops[label] == depth:
                        if seed >= seeds[label]:  # at equal hops, a better seed is never worse
                            continue
                    elif score > scores[label]:
                        arrived[arriving] = label
                        arriving += 1
                    else:
                        continue
                    scores[label] = score
                    hops[label] = depth
                    seeds[label] = seed

        for label in range(found):
            place[nodes[label]] = 0
        if out + found > out_nodes.shape[0]:
            longer = 2 * (out + found)
            out_nodes = _longer(out_nodes, longer)
            out_scores = _longer_reals(out_scores, longer)
            out_hops = _longer(out_hops, longer)
            out_seeds = _longer(out_seeds, longer)
        for label in range(found):
            if scores[label] < least:
                continue
            tie = (hops[label] * width + seeds[label]) * number + nodes[label]
            if scores[label] == least and tie > most:
                continue
            out_nodes[out] = nodes[label]
            out_scores[out] = scores[label]
            out_hops[out] = hops[label]
            out_seeds[out] = first + seeds[label]
            out += 1
        out_offsets[query + 1] = out
    return (
        out_offsets,
        out_nodes[:out].copy(),
        out_scores[:out].copy(),
        out_hops[:out].copy(),
        out_seeds[:out].copy(),
    )
