"""How broadly a graph of neighbours is walked for a recall."""

import math
from collections.abc import Sequence

from octavo.engines.vector.neighbour_graph import NeighbourGraph
from octavo.engines.vector.sample import mean_recall
from octavo.engines.vector.trial import Trial, nominated, reached
from octavo.engines.vector.width import HALVINGS, NOMINEES, SearchWidth


def graph_width(
    graph: NeighbourGraph, trials: Sequence[Trial], target: float, threads: int
) -> SearchWidth | None:
    """Choose the least breadth of the walk that reaches the target.

    It is as many nominees as lists have at least, since shorter results must begin longer ones
    (S12), and since a document that asks with its own vector is found more easily than a query
    that is in no graph: the walk passes its own row.
    """
    breadth = NOMINEES[0]
    while True:
        found = [nominated(graph, trial, breadth, breadth, threads) for trial in trials]
        if all(
            reached(mean_recall(rows, trial.truth), trial.aim(target))
            for (rows, _), trial in zip(found, trials, strict=True)
        ):
            efforts = tuple(breadth << halvings for halvings in range(HALVINGS + 1))
            return SearchWidth(efforts, breadth)
        if breadth > graph.largest_effort:
            return None
        breadth = math.ceil(breadth * 1.25)
