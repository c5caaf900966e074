"""Measuring a run, query by query: the one place that hands rankings to ir-measures."""

from collections.abc import Sequence

import numpy as np
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
    order of the run becomes scores that fall by one from rank to rank.

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
        A metric has no value for some query.
    ExecutionError
        An evaluator failed.
    """
    places = {name: place for place, name in enumerate(strings(run.query_ids))}
    columns = {metric.measure: row for row, metric in enumerate(metrics)}
    values = np.zeros((len(metrics), len(qrels)))
    names = strings(qrels.query_ids)
    for start in range(0, len(names), CHUNK_QUERIES):
        chunk = range(start, min(start + CHUNK_QUERIES, len(names)))
        present = {names[at]: (at, places[names[at]]) for at in chunk if names[at] in places}
        _measure_chunk(run, qrels, present, columns, values)
    if not np.isfinite(values).all():
        metric, query = np.argwhere(~np.isfinite(values))[0]
        raise InvalidArgumentError(
            f"metric {metrics[metric].name}: expected a number for every query, found "
            f"{values[metric, query]} for query {names[query]!r}"
        )
    return values


def _measure_chunk(
    run: Run,
    qrels: Qrels,
    present: dict[str, tuple[int, int]],
    columns: dict[object, int],
    values: NDArray[np.float64],
) -> None:
    if not present:
        return
    judged: dict[str, dict[str, int]] = {}
    found: dict[str, dict[str, float]] = {}
    for name, (at, place) in present.items():
        first, last = qrels.offsets[at], qrels.offsets[at + 1]
        ids = strings(qrels.ids.slice(first, last - first))
        judged[name] = dict(zip(ids, qrels.grades[first:last].tolist(), strict=True))
        if max(judged[name].values()) < 0:
            # trec_eval's code writes beyond its memory where no grade is at least 0. A judgement of
            # what no run holds, as ids are never empty, leaves every value as it is.
            judged[name][""] = 0
        first, last = run.offsets[place], run.offsets[place + 1]
        ids = strings(run.ids.slice(first, last - first))
        found[name] = dict(zip(ids, range(last - first, 0, -1), strict=True))
    try:
        evaluator = require_ir_measures().evaluator(list(columns), judged)
        for each in evaluator.iter_calc(found):
            values[columns[each.measure], present[each.query_id][0]] = each.value
    except Exception as error:  # some measures divide by what may be zero
        names = ", ".join(str(each) for each in columns)
        raise ExecutionError(f"measuring {names} failed with {told(error)}") from error
