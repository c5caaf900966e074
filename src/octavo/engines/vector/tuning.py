"""Choose how widely a structure is searched, so that it finds what it was asked to find.

Every decision follows from recall and counted work on sample queries, never from a clock, so the
same vectors and queries give the same choice.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.engines.vector.approximate import ApproximateVectorIndex, Structure
from octavo.engines.vector.flat import FlatVectorIndex
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.neighbour_graph import NeighbourGraph
from octavo.engines.vector.sample import Sample, mean_recall, true_rows
from octavo.engines.vector.search_cost import SearchCost, lists_cost
from octavo.engines.vector.segments import VectorSegments
from octavo.engines.vector.width import SearchWidth
from octavo.parallel import ordered_map

RECALL_DEPTH = 10
"""Recall is the share of so many nearest rows that a search finds."""

_NOMINEES = (128, 256, 512, 1024)
_NOMINEE_COST = 250.0  # of scoring a nominee, in codes compared (measured)
_WIDENINGS = (1.0, 1.3, 1.7, 2.2, 3.0)
_HALVINGS = 5
_ROUNDS = 6
_TIMED = 64

# Measured: tuned to 0.95 on documents, other queries found 0.944 of a million rows, 0.937 of ten.
_DOCUMENT_MISSES = 2.0 / 3.0


@dataclass(frozen=True, slots=True)
class Tuned:
    """How widely to search, and what that found.

    Parameters
    ----------
    width
        The chosen width.
    recall
        The share of the ten nearest found for validation queries, which chose nothing: the mean of
        the kind of queries that it was lowest for.
    recalls
        The same for each kind of queries.
    queries
        The number of validation queries.
    single_seconds, batch_seconds
        Time a query, asked alone and in a batch, by one thread.
    compared
        Vectors compared a query.
    """

    width: SearchWidth
    recall: float
    recalls: dict[str, float]
    queries: int
    single_seconds: float
    batch_seconds: float
    compared: int


def tune(
    nominator: InvertedLists | NeighbourGraph,
    vectors: NDArray[np.float32],
    present: NDArray[np.bool_] | None,
    samples: Sequence[Sample],
    target: float,
    *,
    live: NDArray[np.bool_] | None = None,
    rival: SearchCost | None = None,
    threads: int = 1,
) -> Tuned | None:
    """Return the least width that reaches ``target``; ``None`` where it does not pay.

    Parameters
    ----------
    nominator
        The structure over one segment.
    vectors, present
        The segment's vectors, as for :class:`~octavo.engines.vector.flat.FlatVectorIndex`.
    samples
        Kinds of queries. The first half of each chooses, the second half validates; each kind must
        reach the target by itself.
    target
        Recall at 10, above 0 and below 1.
    live
        Which rows are not deleted; ``None`` where all are live. The width is chosen for all rows,
        since it is what a search without a selection takes, and validated on what users can find.
    rival
        What an exact search costs; inverted lists must cost less. ``None`` takes them at any cost.
    threads
        For the exact searches that say what is true, and for the trials.

    Notes
    -----
    The choice aims one standard error above the target. Should the validation queries still find
    less, the width grows until they do not. Documents that stand in for queries are easier to find
    than queries, since the structure was made of them: they may miss a third less than the target
    allows.
    """
    flat = FlatVectorIndex([vectors], [present])
    halves = [sample.halves() for sample in samples if len(sample) > 1]
    if not halves:
        return None
    selection = None if live is None else Selection.of(live)
    choosing = [_Trial.of(flat, first, None, threads) for first, _ in halves]
    validating = [_Trial.of(flat, second, selection, threads) for _, second in halves]
    if isinstance(nominator, InvertedLists):
        width = _list_width(nominator, flat, choosing, target, threads)
    else:
        width = _graph_width(nominator, choosing, target, threads)
    segments = VectorSegments([vectors], [present])
    for _ in range(_ROUNDS):
        if width is None or width.narrowest > nominator.largest_effort:
            return None
        index = ApproximateVectorIndex(
            segments.matrices, segments.present, [Structure(nominator, width)]
        )
        recalls = {trial.sample.name: trial.recall(index, threads) for trial in validating}
        if all(recalls[trial.sample.name] >= trial.aim(target) for trial in validating):
            found = _measured(index, width, recalls, validating)
            return found if _pays(found, vectors.shape[1], rival) else None
        width = _wider(width)
    return None


def _pays(found: Tuned, dimensions: int, rival: SearchCost | None) -> bool:
    if rival is None:
        return True
    return lists_cost(found.compared, found.width.nominees, dimensions).pays_beside(rival)


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Queries of one kind, and the rows that are truly nearest to each."""

    sample: Sample
    selection: Selection | None
    truth: NDArray[np.int64]

    @classmethod
    def of(
        cls, flat: FlatVectorIndex, sample: Sample, selection: Selection | None, threads: int
    ) -> "_Trial":
        truth = true_rows(flat, sample, RECALL_DEPTH, selection, threads=threads)
        return cls(sample, selection, truth)

    def aim(self, target: float) -> float:
        """Return the recall that these queries must reach, so that others reach the target."""
        return 1.0 - _DOCUMENT_MISSES * (1.0 - target) if self.sample.documents else target

    def recall(self, index: ApproximateVectorIndex, threads: int) -> float:
        """Return the recall of what a search of an index finds."""
        found = true_rows(index, self.sample, RECALL_DEPTH, self.selection, threads=threads)
        return float(mean_recall(found, self.truth).mean())


def _reached(recalls: NDArray[np.float64], target: float) -> bool:
    """Whether the mean is at least one standard error above the target, or perfect."""
    error = float(recalls.std()) / math.sqrt(len(recalls))
    mean = float(recalls.mean())
    return mean - error >= target or mean == 1.0


def _nominated(
    nominator: InvertedLists | NeighbourGraph,
    trial: _Trial,
    effort: int,
    nominees: int,
    threads: int,
) -> tuple[NDArray[np.int64], float]:
    """Return the nominees of each query, its own row left out, and the vectors compared a query."""
    blocks = trial.sample.blocks()
    found = list(
        ordered_map(
            lambda block: nominator.nominate(block.vectors, effort, nominees),
            blocks,
            threads=threads,
        )
    )
    rows = np.concatenate([each.rows for each in found])
    rows = np.where(rows == trial.sample.own_rows[:, np.newaxis], -1, rows)
    return rows, sum(each.compared for each in found) / max(1, len(rows))


def _list_width(
    lists: InvertedLists,
    flat: FlatVectorIndex,
    trials: Sequence[_Trial],
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
        found = [_nominated(lists, trial, effort, _NOMINEES[-1], threads) for trial in trials]
        compared = max(each for _, each in found)
        if best is not None and compared > best[0]:
            break
        for nominees in _NOMINEES:
            cost = compared + _NOMINEE_COST * nominees
            reached = all(
                _reached(mean_recall(rows[:, :nominees], trial.truth), trial.aim(target))
                for (rows, _), trial in zip(found, trials, strict=True)
            )
            if reached and (best is None or cost < best[0]):
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
        if _reached(within.sum(axis=1) / np.maximum(1, known.sum(axis=1)), target):
            return int(effort)
    return int(efforts.max(initial=1))


def _with_filters(
    lists: InvertedLists,
    flat: FlatVectorIndex,
    trials: Sequence[_Trial],
    width: SearchWidth,
    threads: int,
) -> SearchWidth:
    """Add the efforts that filters need.

    Where a filter admits one row in two to the j, the ten nearest admitted ones are about the ten
    times two to the j nearest of all: as many lists must be probed as hold the same share of those.
    """
    deepest = RECALL_DEPTH << _HALVINGS
    needed = np.full(_HALVINGS + 1, width.narrowest)
    for trial in trials:
        few = trial.sample.head(128)
        truth = true_rows(flat, few, deepest, threads=threads)
        efforts = lists.effort_to_reach(few.vectors, np.maximum(truth, 0))
        known = truth >= 0
        share = _share_within(efforts, known, RECALL_DEPTH, width.narrowest)
        for halvings in range(1, _HALVINGS + 1):
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


def _graph_width(
    graph: NeighbourGraph, trials: Sequence[_Trial], target: float, threads: int
) -> SearchWidth | None:
    """Choose the least breadth of the walk that reaches the target.

    It is as many nominees as lists have at least, since shorter results must begin longer ones
    (S12), and since a document that asks with its own vector is found more easily than a query
    that is in no graph: the walk passes its own row.
    """
    breadth = _NOMINEES[0]
    while True:
        found = [_nominated(graph, trial, breadth, breadth, threads) for trial in trials]
        if all(
            _reached(mean_recall(rows, trial.truth), trial.aim(target))
            for (rows, _), trial in zip(found, trials, strict=True)
        ):
            efforts = tuple(breadth << halvings for halvings in range(_HALVINGS + 1))
            return SearchWidth(efforts, breadth)
        if breadth > graph.largest_effort:
            return None
        breadth = math.ceil(breadth * 1.25)


def _wider(width: SearchWidth) -> SearchWidth:
    return SearchWidth(
        tuple(math.ceil(effort * 1.2) for effort in width.efforts), math.ceil(width.nominees * 1.2)
    )


def _measured(
    index: ApproximateVectorIndex,
    width: SearchWidth,
    recalls: dict[str, float],
    trials: Sequence[_Trial],
) -> Tuned:
    queries = np.concatenate([trial.sample.vectors for trial in trials])
    selection = trials[0].selection
    started = time.perf_counter()
    _, report = index.search(queries, RECALL_DEPTH, selection)
    batch = (time.perf_counter() - started) / len(queries)
    singles = []
    for start in range(0, len(queries), max(1, len(queries) // _TIMED)):
        started = time.perf_counter()
        index.search(queries[start : start + 1], RECALL_DEPTH, selection)
        singles.append(time.perf_counter() - started)
    return Tuned(
        width=width,
        recall=min(recalls.values()),
        recalls=recalls,
        queries=len(queries),
        single_seconds=float(np.median(singles)),
        batch_seconds=batch,
        compared=report.counters["vectors compared"] // len(queries),
    )
