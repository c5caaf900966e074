"""Measuring a run, query by query: the one place that hands rankings to ir-measures."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import ExecutionError, InvalidArgumentError, told
from octavo.evaluation.groups import strings
from octavo.evaluation.metrics import Metric, require_ir_measures
from octavo.evaluation.qrels import Qrels
from octavo.evaluation.run import Run

CHUNK_QUERIES = 512
"""Queries handed over at once: their dictionaries are all that leaves Arrow's columns."""


def measure(run: Run, qrels: Qrels, metrics: Sequence[Metric]) -> NDArray[np.float64]:
    """Return what each metric gives for each judged query.

    Every evaluator behind ir-measures breaks ties in a way of its own. They are given no ties: the
    order of the run becomes scores that fall by one from rank to rank. And each reads ids in a way
    of its own (gdeval takes numbers only, and no blanks). They are given numbers.

    Parameters
    ----------
    run
        Whose order counts; queries that nobody judged are left out.
    qrels
        The judged queries; one that the run lacks counts as zero.
    metrics
        What to measure.

    Returns
    -------
    NDArray[np.float64]
        Shape ``(metrics, judged queries)``, the queries in the order of the judgements.

    Raises
    ------
    InvalidArgumentError
        A metric's evaluator does not take a grade, or a metric has no value for some query.
    ExecutionError
        An evaluator failed.
    """
    _check_grades(qrels, metrics)
    places = {name: place for place, name in enumerate(strings(run.query_ids))}
    columns = {metric.measure: row for row, metric in enumerate(metrics)}
    values = np.zeros((len(metrics), len(qrels)))
    names = strings(qrels.query_ids)
    for start in range(0, len(names), CHUNK_QUERIES):
        chunk = range(start, min(start + CHUNK_QUERIES, len(names)))
        present = {at: places[names[at]] for at in chunk if names[at] in places}
        _measure_chunk(run, qrels, present, columns, values)
    if not np.isfinite(values).all():
        metric, query = np.argwhere(~np.isfinite(values))[0]
        raise InvalidArgumentError(
            f"metric {metrics[metric].name}: expected a number for every query, found "
            f"{values[metric, query]} for query {names[query]!r}"
        )
    return values


def _check_grades(qrels: Qrels, metrics: Sequence[Metric]) -> None:
    for metric in metrics:
        too_large = np.flatnonzero(qrels.grades > metric.largest_grade)
        if len(too_large):
            at = int(too_large[0])
            query = int(np.searchsorted(qrels.offsets, at, side="right")) - 1
            raise InvalidArgumentError(
                f"metric {metric.name}: expected grades of at most {metric.largest_grade:,}, found "
                f"{qrels.grades[at]:,} for document {qrels.ids[at].as_py()!r} of query "
                f"{qrels.query_ids[query].as_py()!r}"
            )


def _measure_chunk(
    run: Run,
    qrels: Qrels,
    present: dict[int, int],
    columns: dict[object, int],
    values: NDArray[np.float64],
) -> None:
    if not present:
        return
    judged: dict[str, dict[str, int]] = {}
    found: dict[str, dict[str, int]] = {}
    for at, place in present.items():
        numbers: dict[str, str] = {}
        first, last = qrels.offsets[at], qrels.offsets[at + 1]
        ids = _numbered(qrels.ids.slice(first, last - first), numbers)
        grades = judged[str(at)] = dict(zip(ids, qrels.grades[first:last].tolist(), strict=True))
        first, last = run.offsets[place], run.offsets[place + 1]
        ids = _numbered(run.ids.slice(first, last - first), numbers)
        found[str(at)] = dict(zip(ids, range(last - first, 0, -1), strict=True))
        if max(grades.values()) < 0:
            # trec_eval's code writes beyond its memory where no grade is at least 0. A judgement of
            # what no run holds leaves every value as it is.
            grades[str(len(numbers))] = 0
    try:
        evaluator = require_ir_measures().evaluator(list(columns), judged)
        for each in evaluator.iter_calc(found):
            values[columns[each.measure], int(each.query_id)] = each.value
    except Exception as error:  # some measures divide by what may be zero
        names = ", ".join(str(each) for each in columns)
        raise ExecutionError(f"measuring {names} failed with {told(error)}") from error


def _numbered(ids: pa.LargeStringArray, numbers: dict[str, str]) -> list[str]:
    """Return a number for each id as text, those that ``numbers`` has or the next."""
    return [numbers.setdefault(each, str(len(numbers))) for each in strings(ids)]
