"""How many inverted lists to probe, and how many nominees to score, for a recall."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.engines.vector.flat import FlatVectorIndex
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.sample import mean_recall, true_rows
from octavo.engines.vector.trial import RECALL_DEPTH, Trial, nominated, reached
from octavo.engines.vector.width import HALVINGS, NOMINEES, SearchWidth

_NOMINEE_COST = 250.0  # of scoring a nominee, in codes compared (measured)
_WIDENINGS = (1.0, 1.3, 1.7, 2.2, 3.0)


def list_width(
    lists: InvertedLists,
    flat: FlatVectorIndex,
    trials: Sequence[Trial],
    target: float,
    threads: int,
) -> SearchWidth | None:
    """Choose the cheapest pair of lists to probe and nominees to score."""
    reach = [
        lists.effort_to_reach(trial.sample.vectors, np.maximum(trial.truth, 0)) for trial in trials
    ]
    start = max(
        _least_effort(efforts, trial.truth >= 0, trial.aim(target))
        for efforts, trial in zip(reach, trials, strict=True)
    )
    best: tuple[float, SearchWidth] | None = None
    for widening in _WIDENINGS:
        effort = min(math.ceil(start * widening), lists.largest_effort)
        if best is not None and effort <= best[1].narrowest:
            break
        found = [nominated(lists, trial, effort, NOMINEES[-1], threads) for trial in trials]
        compared = max(each for _, each in found)
        if best is not None and compared > best[0]:
            break
        for nominees in NOMINEES:
            cost = compared + _NOMINEE_COST * nominees
            enough = all(
                reached(mean_recall(rows[:, :nominees], trial.truth), trial.aim(target))
                for (rows, _), trial in zip(found, trials, strict=True)
            )
            if enough and (best is None or cost < best[0]):
                best = cost, SearchWidth((effort,), nominees)
        if effort == lists.largest_effort:
            break
    if best is None:
        return None
    return _with_filters(lists, flat, trials, best[1], threads)


def _least_effort(efforts: NDArray[np.int64], known: NDArray[np.bool_], target: float) -> int:
    """Return the least effort at which the lists probed hold enough of the true rows."""
    for effort in np.unique(efforts[known]).tolist():
        within = (efforts <= effort) & known
        if reached(within.sum(axis=1) / np.maximum(1, known.sum(axis=1)), target):
            return int(effort)
    return int(efforts.max(initial=1))


def _with_filters(
    lists: InvertedLists,
    flat: FlatVectorIndex,
    trials: Sequence[Trial],
    width: SearchWidth,
    threads: int,
) -> SearchWidth:
    """Add the efforts that filters need.

    Where a filter admits one row in two to the j, the ten nearest admitted ones are about the ten
    times two to the j nearest of all: as many lists must be probed as hold the same share of those.
    """
    deepest = RECALL_DEPTH << HALVINGS
    needed = np.full(HALVINGS + 1, width.narrowest)
    for trial in trials:
        few = trial.sample.head(128)
        truth = true_rows(flat, few, deepest, threads=threads)
        efforts = lists.effort_to_reach(few.vectors, np.maximum(truth, 0))
        known = truth >= 0
        share = _share_within(efforts, known, RECALL_DEPTH, width.narrowest)
        for halvings in range(1, HALVINGS + 1):
            depth = RECALL_DEPTH << halvings
            reach = np.sort(efforts[:, :depth][known[:, :depth]])
            if len(reach):
                place = min(len(reach) - 1, math.ceil(share * len(reach)))
                needed[halvings] = max(needed[halvings], reach[place])
    growing = np.maximum.accumulate(needed)
    return SearchWidth(tuple(growing.tolist()), width.nominees)


def _share_within(
    efforts: NDArray[np.int64], known: NDArray[np.bool_], depth: int, effort: int
) -> float:
    inside = (efforts[:, :depth] <= effort) & known[:, :depth]
    return float(inside.sum() / max(1, known[:, :depth].sum()))
