"""Which queries show best how systems differ."""

import numpy as np
from numpy.typing import NDArray

from octavo.evaluation.report import EvaluationReport


def by_disagreement(report: EvaluationReport) -> NDArray[np.int64]:
    """Return the numbers of the judged queries, those first on which the systems differ most.

    What counts is the distance between the best and the worst system by the first metric; where it
    is equal, by the next; where all are, the worst query first, then the order of the judgements.
    With one system this is: the worst queries first.
    """
    values = np.stack([system.values for system in report.systems])
    spread = values.max(axis=0) - values.min(axis=0)
    best = values[:, 0].max(axis=0)
    return np.lexsort((best, *(-np.round(row, 9) for row in spread[::-1])))
