"""What an evaluation found, apart from how it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.evaluation.groups import strings
from octavo.evaluation.qrels import Qrels
from octavo.evaluation.run import Run

SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class SystemResult:
    """How one system did.

    Parameters
    ----------
    name
        Of its run.
    run
        What it found.
    values
        float64 of shape ``(metrics, queries)``.
    means
        One estimate a metric.
    missing
        How many judged queries the run has no result for; they count as zero.
    unjudged
        How many queries of the run nobody judged; they are left out.
    """

    name: str
    run: Run
    values: NDArray[np.float64]
    means: tuple[Estimate, ...]
    missing: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a system differs from the baseline by one metric.

    Parameters
    ----------
    system, baseline
        Names.
    metric
        Name of the metric.
    difference
        The system's mean less the baseline's.
    better, worse
        Queries on which the system is better, and worse.
    p
        Of the paired randomisation test, two-sided.
    p_corrected
        The same by Holm's method, over all comparisons of the report.
    """

    system: str
    baseline: str
    metric: str
    difference: Estimate
    better: int
    worse: int
    p: float
    p_corrected: float

    @property
    def significant(self) -> bool:
        """Whether the corrected p value is below 0.05."""
        return self.p_corrected < SIGNIFICANT


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationReport:
    """Systems measured with the same judgements.

    Parameters
    ----------
    metrics
        Names, in the order asked for.
    systems
        In the order given.
    comparisons
        Every other system with the baseline, metric by metric within a system; none without a
        second system.
    baseline
        Name of the system that others are compared with.
    qrels
        The judgements; values of queries are in their order.
    """

    metrics: tuple[str, ...]
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    baseline: str
    qrels: Qrels

    @property
    def query_ids(self) -> list[str]:
        """The judged queries."""
        return strings(self.qrels.query_ids)

    def system(self, name: str) -> SystemResult:
        """Return a system by name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise InvalidArgumentError(
            f"system: expected one of {_names(self.systems)}, found {name!r}"
        )

    def comparison(self, system: str, metric: str) -> Comparison | None:
        """Return how a system differs from the baseline; ``None`` for the baseline itself."""
        for found in self.comparisons:
            if (found.system, found.metric) == (system, metric):
                return found
        return None

    def per_query(self) -> pa.Table:
        """Return a row for each system and query: ``system``, ``query_id``, a column a metric."""
        names = [system.name for system in self.systems]
        values = np.concatenate([system.values for system in self.systems], axis=1)
        return pa.table(
            {
                "system": pa.array(np.repeat(names, len(self.qrels)).tolist(), pa.string()),
                "query_id": pa.array(self.query_ids * len(names), pa.string()),
                **dict(zip(self.metrics, values, strict=True)),
            }
        )


def _names(systems: Sequence[SystemResult]) -> str:
    return ", ".join(system.name for system in systems)
