"""Measuring one run, or several beside each other."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.sources import Input
from octavo.errors import InvalidArgumentError
from octavo.evaluation.intervals import bootstrap_intervals
from octavo.evaluation.measuring import measure
from octavo.evaluation.metrics import DEFAULT_METRICS, Metric, parse_metrics
from octavo.evaluation.qrels import Qrels, read_qrels
from octavo.evaluation.report import Comparison, Estimate, EvaluationReport, SystemResult
from octavo.evaluation.run import Run, read_run
from octavo.evaluation.significance import holm, paired_p_values


def evaluate(
    run: Run | Input,
    qrels: Qrels | Input,
    metrics: Iterable[str | Metric] = DEFAULT_METRICS,
) -> EvaluationReport:
    """Measure a run.

    Means are over all judged queries: one without a result counts as zero (trec_eval's ``-c``).
    Queries that nobody judged are left out. Both are counted in the report.

    Parameters
    ----------
    run
        From :func:`~octavo.evaluation.read_run`, or what that reads.
    qrels
        From :func:`~octavo.evaluation.read_qrels`, or what that reads.
    metrics
        Names as ir-measures has them.

    Raises
    ------
    InvalidArgumentError
        A metric is unknown, or no query of the run is judged.

    Examples
    --------
    >>> import pyarrow as pa
    >>> qrels = pa.table({"query_id": ["q"], "doc_id": ["a"], "grade": [1]})
    >>> run = pa.table({"query_id": ["q", "q"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    >>> report = evaluate(run, qrels, ["RR", "P@1"])
    >>> [estimate.mean for estimate in report.systems[0].means]
    [0.5, 0.0]
    """
    return compare_runs([run], qrels, metrics)


def compare_runs(
    runs: Sequence[Run | Input],
    qrels: Qrels | Input,
    metrics: Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    baseline: str | None = None,
) -> EvaluationReport:
    """Measure runs and test whether they differ from a baseline.

    Differences are tested query by query with the paired randomisation test, and the p values of
    the whole report are corrected by Holm's method.

    Parameters
    ----------
    runs
        At least one, with distinct names; files are called by theirs, without the ending.
    qrels, metrics
        As for :func:`evaluate`.
    baseline
        Name of the run that the others are compared with; unset, the first.

    Raises
    ------
    InvalidArgumentError
        There is no run, names repeat, the baseline is none of them, a metric is unknown, or no
        query of a run is judged.
    """
    read = [run if isinstance(run, Run) else read_run(run) for run in runs]
    judged = qrels if isinstance(qrels, Qrels) else read_qrels(qrels)
    names = _checked_names(read)
    against = checked_baseline(names, baseline)
    chosen = parse_metrics(metrics)
    systems = tuple(_measured(run, judged, chosen) for run in read)
    return EvaluationReport(
        metrics=tuple(metric.name for metric in chosen),
        systems=systems,
        comparisons=_comparisons(systems, names.index(against), chosen),
        baseline=against,
        qrels=judged,
    )


def checked_baseline(names: Sequence[str], baseline: str | None) -> str:
    """Return the name of the baseline; unset, the first.

    Raises
    ------
    InvalidArgumentError
        It is none of the names.
    """
    if baseline is not None and baseline not in names:
        raise InvalidArgumentError(
            f"baseline: expected one of {', '.join(names)}, found {baseline!r}"
        )
    return names[0] if baseline is None else baseline


def _checked_names(runs: Sequence[Run]) -> list[str]:
    names = [run.name for run in runs]
    if not names:
        raise InvalidArgumentError("runs: expected at least one, found none")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InvalidArgumentError(f"runs: expected distinct names, found {repeated[0]!r} again")
    return names


def _measured(run: Run, qrels: Qrels, metrics: Sequence[Metric]) -> SystemResult:
    judged = set(qrels.query_ids.to_pylist())
    found = set(run.query_ids.to_pylist())
    if found and not found & judged:
        raise InvalidArgumentError(
            f"run {run.name!r}: expected queries of {qrels.origin}, found none: it has "
            f"{_example(run)}, the judgements {qrels.query_ids[0].as_py()!r}"
        )
    values = measure(run, qrels, metrics)
    return SystemResult(
        name=run.name,
        run=run,
        values=values,
        means=_estimates(values),
        missing=len(judged - found),
        unjudged=len(found - judged),
    )


def _comparisons(
    systems: Sequence[SystemResult], baseline: int, metrics: Sequence[Metric]
) -> tuple[Comparison, ...]:
    others = [system for place, system in enumerate(systems) if place != baseline]
    if not others:
        return ()
    differences = np.concatenate([each.values - systems[baseline].values for each in others])
    p_values = paired_p_values(differences)
    pairs = [(system, metric) for system in others for metric in metrics]
    return tuple(
        Comparison(
            system=system.name,
            baseline=systems[baseline].name,
            metric=metric.name,
            difference=difference,
            better=int(np.count_nonzero(row > 0)),
            worse=int(np.count_nonzero(row < 0)),
            p=float(p),
            p_corrected=float(corrected),
        )
        for (system, metric), difference, row, p, corrected in zip(
            pairs, _estimates(differences), differences, p_values, holm(p_values), strict=True
        )
    )


def _estimates(values: NDArray[np.float64]) -> tuple[Estimate, ...]:
    bounds = bootstrap_intervals(values)
    return tuple(
        Estimate(float(mean), float(low), float(high))
        for mean, (low, high) in zip(values.mean(axis=1), bounds, strict=True)
    )


def _example(run: Run) -> str:
    return repr(run.query_ids[0].as_py())
