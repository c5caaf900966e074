"""``octavo eval``: how well an index's strategies answer judged queries."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli.compared_strategy import ComparedStrategy, parsed_strategy
from octavo.cli.evaluation_options import Evaluation, EvaluationRequest, with_evaluation_options
from octavo.cli.options import (
    Filters,
    IndexPath,
    MinScore,
    QueryId,
    QueryVector,
    Threads,
    parsed_filters,
    warn_of_unknown_keys,
)
from octavo.cli.output import say
from octavo.cli.progress import progress
from octavo.cli.query_function import QueryEmbedding, query_function
from octavo.cli.strategy_options import with_strategy_options
from octavo.cli.values import wrong_use

if TYPE_CHECKING:
    from octavo.batch import BatchProgress
    from octavo.corpus.searchable import SearchableCorpus
    from octavo.evaluation import Metric, StrategyRun


@with_strategy_options
@with_evaluation_options
def evaluate(
    index: IndexPath,
    queries: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES", help="TREC topics, BEIR's queries.jsonl or folder, TSV, parquet, ..."
        ),
    ],
    qrels: Annotated[
        Path,
        typer.Argument(
            metavar="QRELS", help="TREC qrels, BEIR's qrels/*.tsv or folder, parquet, ..."
        ),
    ],
    *,
    request: EvaluationRequest,
    strategy: Annotated[
        list[ComparedStrategy] | None,
        typer.Option(
            metavar="[LABEL =] NAME [OPTION]...",
            parser=parsed_strategy,
            help="Repeat to compare, with options of each, as 'deep = hybrid --candidate-depth "
            "500'. Unset: keyword, and vector and hybrid where queries can be embedded or bring "
            "vectors.",
        ),
    ] = None,
    max_results: Annotated[
        int, typer.Option("-k", min=1, metavar="N", help="Results a query.")
    ] = 100,
    min_score: MinScore = 0.0,
    filters: Filters = None,
    options: Mapping[str, Any],
    query_text: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of the texts, or part of a topic (title, desc)."),
    ] = None,
    query_id: QueryId = None,
    query_vector: QueryVector = None,
    embedding: QueryEmbedding = None,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="DIRECTORY", help="Keep each strategy's results there, LABEL.trec."),
    ] = None,
    threads: Threads = None,
) -> None:
    """Measure strategies with judged queries; exit with 1 where they fall below a limit."""
    admitted = parsed_filters(filters)
    from octavo.evaluation import (  # noqa: PLC0415
        PageSources,
        read_qrels,
        read_queries,
        retrieve_runs,
        write_run,
    )
    from octavo.evaluation.comparing import checked_baseline  # noqa: PLC0415
    from octavo.evaluation.queries import judged_queries  # noqa: PLC0415
    from octavo.evaluation.retrieval import kept_results  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415

    evaluation = Evaluation(request, (queries, qrels))
    corpus = open_index(index, embedding=query_function(index, embedding))
    warn_of_unknown_keys(admitted, corpus)
    chosen = _strategies(corpus, strategy, options, query_vectors=query_vector is not None)
    with wrong_use():
        checked_baseline([each.name for each in chosen], request.baseline)
    judgements = read_qrels(qrels, split=request.split)
    asked = read_queries(queries, text=query_text, id=query_id, vector=query_vector)
    judged = judged_queries(asked, judgements)
    if len(judged) < len(asked):
        say(f"queries without judgements, left out: {len(asked) - len(judged):,}")
    _warn_of_depth(evaluation.metrics, max_results)
    if runs is not None:
        runs.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        kept = Path(scratch)
        with progress() as update:

            def listen(name: str, event: "BatchProgress") -> None:
                update(name, event.queries, event.total)

            found = retrieve_runs(
                corpus,
                judged,
                chosen,
                max_results=max_results,
                min_score=min_score,
                filters=admitted,
                threads=threads,
                listener=listen,
                keep=kept,
            )
        results = {run.name: kept_results(kept, at) for at, run in enumerate(found)}
        try:
            evaluation.finish(found, judgements, PageSources(results, judged, corpus))
        finally:  # whatever fell; and an id that TREC cannot hold must not cost the figures
            if runs is not None:
                for run in found:
                    write_run(run, runs / f"{run.name}.trec")


def _strategies(
    corpus: "SearchableCorpus",
    given: Sequence[ComparedStrategy] | None,
    options: Mapping[str, Any],
    *,
    query_vectors: bool,
) -> "list[StrategyRun]":
    """Return what to ask: each strategy with its own options, and those of all that it has.

    Raises
    ------
    typer.BadParameter
        None of the strategies has an option of all, one lacks an option of its own, or two are
        called alike.
    """
    from octavo.corpus.options import has_option  # noqa: PLC0415
    from octavo.evaluation import StrategyRun, applicable_strategies  # noqa: PLC0415
    from octavo.evaluation.retrieval import check_runs  # noqa: PLC0415

    if given is None:
        names = applicable_strategies(corpus, query_vectors=query_vectors)
        say(f"Strategies: {', '.join(names)}")
        if corpus.dimensions is not None and len(names) == 1:
            say(
                "vector and hybrid need vectors of the queries: --query-vector COLUMN or "
                "--embedding MODEL"
            )
        given = [ComparedStrategy(name) for name in names]
    for option in options:
        if not any(has_option(each.strategy, option) for each in given):
            names = tuple(dict.fromkeys(each.strategy for each in given))
            raise typer.BadParameter(
                f"strategy {', '.join(names)}: expected options that one of them has, found {option}"
            )
    runs = []
    for each in given:
        shared = {name: value for name, value in options.items() if has_option(each.strategy, name)}
        runs.append(StrategyRun(each.strategy, {**shared, **each.options}, each.label))
    with wrong_use():
        check_runs(corpus, runs)
    return runs


def _warn_of_depth(metrics: "Sequence[Metric]", depth: int) -> None:
    for metric in metrics:
        if metric.cutoff is not None and metric.cutoff > depth:
            say(f"{metric} looks at {metric.cutoff:,} results, but only {depth:,} are asked (-k)")
