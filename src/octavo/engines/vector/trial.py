"""Sample queries beside their true nearest rows: what a structure finds of them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.engines.vector.approximate import ApproximateVectorIndex
from octavo.engines.vector.flat import FlatVectorIndex
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.neighbour_graph import NeighbourGraph
from octavo.engines.vector.sample import Sample, mean_recall, true_rows
from octavo.parallel import ordered_map

RECALL_DEPTH = 10
"""Recall is the share of so many nearest rows that a search finds."""

# Measured: tuned to 0.95 on documents, other queries found 0.944 of a million rows, 0.937 of ten.
_DOCUMENT_MISSES = 2.0 / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Queries of one kind, and the rows that are truly nearest to each.

    Parameters
    ----------
    sample
        The queries.
    selection
        What is searched; ``None`` for all rows.
    truth
        Shape ``(queries, RECALL_DEPTH)``, int64; -1 where there are fewer.
    """

    sample: Sample
    selection: Selection | None
    truth: NDArray[np.int64]

    @classmethod
    def of(
        cls, flat: FlatVectorIndex, sample: Sample, selection: Selection | None, threads: int
    ) -> "Trial":
        """Find the true rows of a sample by an exact search, among those of a selection."""
        truth = true_rows(flat, sample, RECALL_DEPTH, selection, threads=threads)
        return cls(sample, selection, truth)

    def aim(self, target: float) -> float:
        """Return the recall that these queries must reach, so that others reach the target."""
        return 1.0 - _DOCUMENT_MISSES * (1.0 - target) if self.sample.documents else target

    def recall(self, index: ApproximateVectorIndex, threads: int) -> float:
        """Return the recall of what a search of an index finds."""
        found = true_rows(index, self.sample, RECALL_DEPTH, self.selection, threads=threads)
        return float(mean_recall(found, self.truth).mean())


def reached(recalls: NDArray[np.float64], target: float) -> bool:
    """Whether the mean is at least one standard error above the target, or perfect."""
    error = float(recalls.std()) / math.sqrt(len(recalls))
    mean = float(recalls.mean())
    return mean - error >= target or mean == 1.0


def nominated(
    nominator: InvertedLists | NeighbourGraph,
    trial: Trial,
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
