"""The regression gate: limits that a system must reach, and an older run that it must not fall below."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from octavo.errors import InvalidArgumentError, real_number, shown
from octavo.evaluation.measuring import measure
from octavo.evaluation.metrics import parse_metric, parse_metrics
from octavo.evaluation.report import EvaluationReport
from octavo.evaluation.run import Run

_ROUNDING: Final = 1e-9
"""How far a mean may be below its limit without being below it."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A mean that is below what it must be.

    Parameters
    ----------
    system, metric
        What fell.
    found
        The mean.
    least
        What it must be at least.
    why
        Where that comes from.
    """

    system: str
    metric: str
    found: float
    least: float
    why: str

    def __str__(self) -> str:
        return (
            f"{self.system}: {self.metric} is {self.found:.4f}, below {self.least:.4f} ({self.why})"
        )


@dataclass(frozen=True, slots=True)
class OldRun:
    """An earlier run, measured with the judgements of a report.

    Parameters
    ----------
    run
        The earlier results.
    tolerance
        By how much a mean may be lower.
    """

    run: Run
    tolerance: float = 0.0

    def falls(self, report: EvaluationReport) -> tuple[list[Fall], int]:
        """Return what fell, and how many queries were compared.

        Means are compared over the judged queries that the earlier run has results for: it may have
        been asked fewer, and what it was not asked says nothing. A query of those for which the new
        system found nothing counts as zero.

        Raises
        ------
        InvalidArgumentError
            The tolerance is no number of at least 0, or the runs share no judged query.
        """
        tolerance = real_number(self.tolerance)
        if tolerance is None or not 0 <= tolerance < np.inf:
            raise InvalidArgumentError(
                f"tolerance: expected a number of at least 0, found {shown(self.tolerance)}"
            )
        known = set(self.run.query_ids.to_pylist())
        common = np.array([name in known for name in report.query_ids], np.bool_)
        if not common.any():
            raise InvalidArgumentError(
                f"run {self.run.name!r}: expected results for judged queries, found none"
            )
        before = measure(self.run, report.qrels, parse_metrics(report.metrics))
        old = before[:, common].mean(axis=1)
        falls = []
        for system in report.systems:
            new = system.values[:, common].mean(axis=1)
            for metric, was, now in zip(report.metrics, old, new, strict=True):
                if now < was - tolerance - _ROUNDING:
                    why = f"{was:.4f} in {self.run.name}, tolerance {tolerance:g}"
                    falls.append(Fall(system.name, metric, float(now), float(was - tolerance), why))
        return falls, int(common.sum())


def falls_below(report: EvaluationReport, limits: Mapping[str, float]) -> list[Fall]:
    """Return the means that are below a limit, of every system.

    Parameters
    ----------
    report
        What was measured, each limited metric among it.
    limits
        The least mean by canonical name of the metric, from :func:`parse_limits`.
    """
    return [
        Fall(system.name, metric, estimate.mean, limits[metric], "the limit")
        for system in report.systems
        for metric, estimate in zip(report.metrics, system.means, strict=True)
        if metric in limits and estimate.mean < limits[metric] - _ROUNDING
    ]


def parse_limits(limits: Iterable[str]) -> dict[str, float]:
    """Read ``METRIC=LEAST`` texts.

    Raises
    ------
    InvalidArgumentError
        One is no such text, or a metric comes twice.

    Examples
    --------
    >>> parse_limits(["nDCG@10=0.34", "AP(rel=2)@100=0.2"])
    {'nDCG@10': 0.34, 'AP(rel=2)@100': 0.2}
    """
    parsed: dict[str, float] = {}
    for limit in limits:
        name, _, number = limit.rpartition("=")
        try:
            least = float(number)
        except ValueError:
            least = np.nan
        if not name or not np.isfinite(least):
            raise InvalidArgumentError(
                f"fail-below: expected METRIC=NUMBER such as nDCG@10=0.34, found {limit!r}"
            )
        metric = parse_metric(name).name
        if metric in parsed:
            raise InvalidArgumentError(f"fail-below: expected {metric} once, found it again")
        parsed[metric] = least
    return parsed
