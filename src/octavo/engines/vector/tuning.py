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
from octavo.engines.vector.graph_width import graph_width
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.list_width import list_width
from octavo.engines.vector.neighbour_graph import NeighbourGraph
from octavo.engines.vector.sample import Sample
from octavo.engines.vector.search_cost import SearchCost, lists_cost
from octavo.engines.vector.segments import VectorSegments
from octavo.engines.vector.trial import RECALL_DEPTH, Trial
from octavo.engines.vector.width import SearchWidth

_ROUNDS = 6
_TIMED = 64


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
    choosing = [Trial.of(flat, first, None, threads) for first, _ in halves]
    validating = [Trial.of(flat, second, selection, threads) for _, second in halves]
    if isinstance(nominator, InvertedLists):
        width = list_width(nominator, flat, choosing, target, threads)
    else:
        width = graph_width(nominator, choosing, target, threads)
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


def _wider(width: SearchWidth) -> SearchWidth:
    return SearchWidth(
        tuple(math.ceil(effort * 1.2) for effort in width.efforts), math.ceil(width.nominees * 1.2)
    )


def _measured(
    index: ApproximateVectorIndex,
    width: SearchWidth,
    recalls: dict[str, float],
    trials: Sequence[Trial],
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
