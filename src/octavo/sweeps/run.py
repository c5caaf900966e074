"""A sweep: the measure of a strategy at every point of a grid, and what the best is worth."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.batch.query_model import check_query_model
from octavo.columns.sources import resolve_inputs
from octavo.corpus.searchable import SearchableCorpus
from octavo.errors import InvalidArgumentError, shown
from octavo.evaluation import read_qrels, read_queries
from octavo.parallel import checked_threads, ordered_map
from octavo.spi import RAGContext
from octavo.strategies.queries import Queries
from octavo.sweeps.bench import SweepBench, deepest_point
from octavo.sweeps.grid import grid_points
from octavo.sweeps.held_out import HeldOut, best_point, cross_validated, folds_of, standard_error
from octavo.sweeps.judgements import JudgedRows, Judgements
from octavo.sweeps.metric import parse_metric

ProgressListener = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Some settings and what they are worth.

    Parameters
    ----------
    options
        The options that were swept over.
    value
        The mean of the measure over the queries.
    """

    options: Mapping[str, Any]
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What a sweep found.

    Parameters
    ----------
    strategy, metric
        What was measured, and by what.
    query_ids
        The judged queries.
    points
        All points, in the order of the grid.
    values
        float64, shape ``(points, queries)``.
    baseline
        float64, one a query: the strategy with its own defaults in place of what was swept over.
    held_out
        The cross-validated estimate: what settings chosen on some queries are worth on others.
    """

    strategy: str
    metric: str
    query_ids: tuple[str, ...]
    points: tuple[SweepPoint, ...]
    values: NDArray[np.float64]
    baseline: NDArray[np.float64]
    held_out: HeldOut

    @property
    def best(self) -> SweepPoint:
        """The point with the largest mean, the first of equals: chosen on all queries."""
        return self.points[best_point(self.values)]

    @property
    def default(self) -> float:
        """The mean of the baseline."""
        return float(self.baseline.mean())

    @property
    def gain(self) -> float:
        """How much better settings chosen on other queries are than the defaults, on average."""
        return float((self.held_out.values - self.baseline).mean())

    @property
    def gain_error(self) -> float:
        """The standard error of :attr:`gain`, over queries."""
        return standard_error(self.held_out.values - self.baseline)

    def table(self) -> pa.Table:
        """Return one row a point: its options (objects as text), then the measure."""
        columns: dict[str, list[Any]] = {
            name: [_plain(point.options[name]) for point in self.points]
            for name in self.points[0].options
        }
        for name, values in columns.items():
            if len({type(value) for value in values}) > 1:
                columns[name] = [str(value) for value in values]
        return pa.table({**columns, self.metric: [point.value for point in self.points]})


def sweep(
    corpus: SearchableCorpus,
    queries: Any,  # noqa: ANN401 - a path or a table
    qrels: Any,  # noqa: ANN401
    *,
    over: Mapping[str, Iterable[Any]],
    strategy: str | None = None,
    metric: str = "nDCG@10",
    max_results: int | None = None,
    min_score: float = 0.0,
    filters: Mapping[str, str] | None = None,
    folds: int = 5,
    threads: int | None = None,
    progress: ProgressListener | None = None,
    **options: Any,  # noqa: ANN401 - the strategy's
) -> Sweep:
    """Measure a strategy at every combination of some options, searching once.

    Parameters
    ----------
    corpus
        What is searched: a :class:`octavo.Corpus`, or one in shards.
    queries
        What :func:`octavo.evaluation.read_queries` reads, or the table that it gives: columns
        ``id``, ``text`` and perhaps ``vector``.
    qrels
        What :func:`octavo.evaluation.read_qrels` reads, or what it gives. Queries that nobody
        judged are left out.
    over
        The values of each option: ``{"rrf_k": [10, 60], "candidate_depth": [50, 100]}``. Options of
        the strategy inside have names such as ``child.rrf_k``.
    strategy
        A name; by default that of the corpus.
    metric
        ``nDCG``, ``AP``, ``RR`` or ``R``, with a cutoff such as ``nDCG@10`` or without, ``P@5``,
        ``Success@1``; defined as trec_eval does.
    max_results
        Results of each query; by default the cutoff of the measure, 100 where it has none.
    min_score, filters, **options
        As in :meth:`octavo.Corpus.search`; a child is given by its name.
    folds
        Of the cross-validation, at least 2.
    threads
        By default one for each processor.
    progress
        Called with the number of points done and of all.

    Returns
    -------
    Sweep
        Each point is what :meth:`octavo.Corpus.search_batch` with these options finds, bit for bit.

    Raises
    ------
    InvalidArgumentError
        An option, value, measure or number of folds does not fit, an option is both swept over and
        fixed, or no query is judged.

    Notes
    -----
    The engines rank once, at the greatest depth, and an expander is asked once; fusion, decay and
    expansion run for each point, in the kernels that a search uses. With approximate vector search
    a depth is searched for itself, since its results are no prefix of deeper ones.

    The best of many points flatters itself: it was chosen on the queries that it is measured on.
    ``held_out`` is the honest figure: queries are dealt into folds by a digest of their ids, and each
    fold is measured at the point that is best on the others.
    """
    measure = parse_metric(metric)
    points = _points(over, options)
    judgements: Judgements = qrels if hasattr(qrels, "grades") else read_qrels(qrels)
    table = _table_of(queries)
    vector = "vector" if "vector" in table.column_names else None
    check_query_model(resolve_inputs(table, "queries"), vector, corpus)
    ids, block = _judged_queries(table, judgements)
    dealt = folds_of(ids, folds)
    workers = checked_threads(threads)
    context = RAGContext(
        measure.depth if max_results is None else max_results, min_score, filters or {}
    )
    name = strategy or corpus.default_strategy
    bench = SweepBench(corpus, name, block, context, options)
    for point in points:  # before any is ranked
        bench.strategy(point)
    starts = np.cumsum([0, *(len(each) for each in bench.blocks)]).tolist()
    judged = [
        JudgedRows(bench.snapshot, ids[start : start + len(each)], judgements)
        for start, each in zip(starts, bench.blocks, strict=False)
    ]

    def measured(point: Mapping[str, Any]) -> NDArray[np.float64]:
        rankings = bench.rankings(point)
        return np.concatenate(
            [
                measure.values(each.judged(found))
                for each, found in zip(judged, rankings, strict=True)
            ]
        )

    bench.search(deepest_point(points), workers)
    values = np.empty((len(points), len(ids)))
    for place, found in enumerate(ordered_map(measured, points, threads=workers)):
        values[place] = found
        if progress is not None:
            progress(place + 1, len(points))
    return Sweep(
        strategy=bench.strategy(points[0]).name,
        metric=str(measure),
        query_ids=tuple(ids),
        points=tuple(
            SweepPoint(point, float(of_point.mean()))
            for point, of_point in zip(points, values, strict=True)
        ),
        values=values,
        baseline=measured({}),
        held_out=cross_validated(values, dealt),
    )


def check_points(
    corpus: SearchableCorpus,
    strategy: str,
    over: Mapping[str, Iterable[Any]],
    options: Mapping[str, Any],
) -> None:
    """Refuse, before queries are read, what :func:`sweep` would refuse of its options.

    Raises
    ------
    InvalidArgumentError
        An option or value does not fit, or an option is both swept over and fixed.
    """
    points = _points(over, options)
    bench = SweepBench(corpus, strategy, Queries(()), RAGContext(), options)
    for point in points:
        bench.strategy(point)


def _points(over: Mapping[str, Iterable[Any]], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    points = grid_points(over)
    for name in over:
        if name in options:
            raise InvalidArgumentError(
                f"over: {name}: expected an option that is swept over or one that stays, found both "
                f"(it stays {shown(options[name])})"
            )
    return points


def _table_of(queries: Any) -> pa.Table:  # noqa: ANN401 - a path or a table
    names = queries.column_names if isinstance(queries, pa.Table) else ()
    if {"id", "text"} <= set(names):
        vector = "vector" if "vector" in names else None
        return read_queries(queries, text="text", id="id", vector=vector)
    return read_queries(queries)


def _judged_queries(queries: pa.Table, qrels: Judgements) -> tuple[list[str], Queries]:
    """Return the ids and the queries that somebody judged."""
    known = set(qrels.query_ids.to_pylist())
    ids = [str(query) for query in queries["id"].to_pylist()]
    kept = [place for place, query in enumerate(ids) if query in known]
    if not kept:
        raise InvalidArgumentError(
            f"queries: expected some that are judged, found none among {len(ids)}"
        )
    vectors = None
    if "vector" in queries.column_names:
        vectors = np.array(queries["vector"].to_pylist())[kept]
    texts = [str(text) for text in queries["text"].to_pylist()]
    return [ids[place] for place in kept], Queries.of([texts[place] for place in kept], vectors)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={number:g}" for name, number in value.items())
    return value if isinstance(value, bool | int | float | str) else str(value)
