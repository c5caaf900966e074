"""A report as tables of text."""

from collections.abc import Iterator
from typing import Final

from octavo.evaluation.report import Comparison, Estimate, EvaluationReport
from octavo.reporting.table import Table

PLAIN_COLUMNS: Final = (
    *("system", "metric", "mean", "low", "high"),
    *("difference", "difference_low", "difference_high", "better", "worse", "p", "p_corrected"),
)


def means_table(report: EvaluationReport) -> Table:
    """Return a row a system: each mean with its interval and how it differs from the baseline."""
    rows = []
    for system in report.systems:
        cells = [system.name]
        for metric, estimate in zip(report.metrics, system.means, strict=True):
            found = report.comparison(system.name, metric)
            cells.append(_mean(estimate) + ("" if found is None else f"\n{_difference(found)}"))
        rows.append(tuple(cells))
    return Table("", ("system", *report.metrics), tuple(rows), report.metrics)


def plain_rows(report: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """Yield a row for each system and metric with the columns of :data:`PLAIN_COLUMNS`.

    The baseline's differences are empty.
    """
    for system in report.systems:
        for metric, estimate in zip(report.metrics, system.means, strict=True):
            found = report.comparison(system.name, metric)
            mean = (estimate.mean, estimate.low, estimate.high)
            yield (system.name, metric, *(f"{each:.4f}" for each in mean), *_plain(found))


def notes(report: EvaluationReport) -> Iterator[str]:
    """Yield, line by line, what to know of the figures."""
    yield f"judged queries: {len(report.qrels):,}"
    if report.qrels.without_relevant:
        yield f"of them without a relevant document, counted as zero: {report.qrels.without_relevant:,}"
    for system in report.systems:
        if system.missing:
            yield f"{system.name}: judged queries without results, counted as zero: {system.missing:,}"
        if system.unjudged:
            yield f"{system.name}: queries without judgements, left out: {system.unjudged:,}"
    yield "[low, high]: 95 % confidence interval, bootstrap over queries"
    if report.comparisons:
        yield (
            f"differences to {report.baseline}: paired randomisation test, p corrected by Holm's "
            f"method over the {len(report.comparisons)} comparisons; * p < 0.05"
        )


def p_text(p: float) -> str:
    """Return a p value for people.

    Examples
    --------
    >>> p_text(0.03456), p_text(0.00002), p_text(1.0)
    ('0.035', '< 0.001', '1')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}".rstrip("0").rstrip(".")


def _mean(estimate: Estimate) -> str:
    return f"{estimate.mean:.4f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _difference(found: Comparison) -> str:
    p = p_text(found.p_corrected)
    equals = "" if p.startswith("<") else "= "
    mark = " *" if found.significant else ""
    return f"{found.difference.mean:+.4f} p {equals}{p}{mark}"


def _plain(found: Comparison | None) -> tuple[str, ...]:
    if found is None:
        return ("",) * 7
    difference = (found.difference.mean, found.difference.low, found.difference.high)
    return (
        *(f"{each:+.4f}" for each in difference),
        str(found.better),
        str(found.worse),
        f"{found.p:.5f}",
        f"{found.p_corrected:.5f}",
    )
