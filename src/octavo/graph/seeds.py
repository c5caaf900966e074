"""Where a walk starts: the best admissible nodes that a store names for a query."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from octavo.errors import ExecutionError, real_number, shown

Node = TypeVar("Node", str, int)
Seeds = Sequence[tuple[Node, float]]


def best_seeds(
    ask: Callable[[int], Seeds[Node]], limit: int, admits: Callable[[Node], bool] | None = None
) -> list[tuple[Node, float]]:
    """Return at most ``limit`` distinct admissible seeds, by (score descending, node ascending).

    Parameters
    ----------
    ask
        Gives the best seeds, at most as many as asked for.
    limit
        The number of seeds wanted, at least 1.
    admits
        Whether the fence admits a node; ``None`` admits all. Where the fence keeps too few, twice
        as many are asked for until the store has no more, so that nodes of other sources never
        crowd out the allowed ones.
    """
    asked, known = limit, -1
    while True:
        found = ask(asked)
        distinct: dict[Node, float] = {}
        for node, score in found:
            distinct[node] = max(score, distinct.get(node, score))
        ordered = sorted(distinct.items(), key=lambda seed: (-seed[1], seed[0]))
        if admits is None:
            return ordered[:limit]
        best = [seed for seed in ordered if admits(seed[0])][:limit]
        if len(best) == limit or len(found) < asked or len(distinct) <= known:
            return best
        asked, known = 2 * asked, len(distinct)


def checked_seed_score(where: str, node: str, value: object) -> float:
    """Return a seed's score as a float.

    Raises
    ------
    ExecutionError
        It is no finite number.
    """
    score = real_number(value)
    if score is not None and math.isfinite(score):
        return score + 0.0  # never minus zero
    raise ExecutionError(
        f"{where}: node {node!r}: expected a finite seed score, found {shown(value)}"
    )
