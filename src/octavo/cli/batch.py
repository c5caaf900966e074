"""``octavo batch``: a file of queries to a file of results."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli import values
from octavo.cli.cluster_options import Engine, EngineName, RayAddress, Workers, cluster
from octavo.cli.options import (
    Filters,
    IndexPath,
    MaxResults,
    MinScore,
    QueryId,
    QueryText,
    QueryVector,
    Strategy,
    parsed_filters,
    warn_of_unknown_keys,
)
from octavo.cli.output import counts, facts, say
from octavo.cli.progress import progress
from octavo.cli.query_function import QueryEmbedding, query_function
from octavo.cli.strategy_options import with_strategy_options
from octavo.cli.values import checked, wrong_use

if TYPE_CHECKING:
    from octavo.batch import BatchProgress, BatchSummary
    from octavo.batch.engine import BatchEngine
    from octavo.cluster import RaySession


@with_strategy_options
def batch(
    index: IndexPath,
    queries: Annotated[
        str, typer.Argument(metavar="QUERIES", help="File, directory, glob or URI of queries.")
    ],
    *,
    out: Annotated[str, typer.Option(metavar="RESULTS", help="File to write, or its URI.")],
    strategy: Strategy = None,
    max_results: MaxResults = 10,
    min_score: MinScore = 0.0,
    filters: Filters = None,
    options: Mapping[str, Any],
    query_text: QueryText = None,
    query_id: QueryId = None,
    query_vector: QueryVector = None,
    embedding: QueryEmbedding = None,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option(
            metavar="NAME",
            callback=checked(values.result_format),
            help="parquet, jsonl or trec; unset, what the ending of --out tells.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Unset: one for each processor.")
    ] = None,
    engine: EngineName = Engine.LOCAL,
    workers: Workers = None,
    ray_address: RayAddress = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a job that was stopped.")
    ] = False,
) -> None:
    """Answer every query of a file and write the hits to another."""
    admitted = parsed_filters(filters)
    if engine is Engine.RAY and threads is not None:
        raise typer.BadParameter("--threads: expected --workers with --engine ray")
    from octavo.batch import BatchJob, run_batch  # noqa: PLC0415
    from octavo.batch.remote_job import local_output  # noqa: PLC0415
    from octavo.batch.result_format import format_of  # noqa: PLC0415
    from octavo.batch.work_directory import can_resume  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415

    with wrong_use():
        format_of(local_output(out), format)
    corpus = open_index(index, embedding=query_function(index, embedding))
    warn_of_unknown_keys(admitted, corpus)
    with wrong_use():
        corpus.strategy(strategy, **options)
    job = BatchJob(
        index=corpus,
        queries=queries,
        out=out,
        strategy=strategy,
        max_results=max_results,
        min_score=min_score,
        filters=admitted,
        options=options,
        query_text=query_text,
        query_id=query_id,
        query_vector=query_vector,
        format=format,
        threads=threads,
        resume=resume,
    )
    if not resume and can_resume(local_output(out)):
        say("A stopped job left finished parts; they are thrown away (--resume would keep them).")
    begun = False
    try:
        with cluster(engine, workers, ray_address) as session, progress() as update:

            def listen(event: "BatchProgress") -> None:
                nonlocal begun
                if not begun:
                    say(f"Strategy {event.strategy}; {event.columns}")
                    begun = True
                update("queries", event.queries, event.total)

            summary = run_batch(job, listen, engine=_engine(session, workers))
    except BaseException:
        if begun and can_resume(local_output(out)):
            say("What was finished is kept beside the output; --resume goes on from there.")
        raise
    for line in _report(summary):
        say(line)


def _engine(session: "RaySession | None", workers: int | None) -> "BatchEngine | None":
    if session is None:
        return None
    from octavo.cluster import RayEngine  # noqa: PLC0415

    return RayEngine(session, workers)


def _report(summary: "BatchSummary") -> list[str]:
    report: list[tuple[str, object]] = [
        ("results", f"{summary.out} ({summary.format})"),
        ("queries", f"{summary.queries:,}"),
        ("hits", f"{summary.hits:,}"),
        ("time", f"{summary.seconds:.1f} s ({summary.rate:,.0f} queries/s)"),
        *(("plan", f"{plan}: {count:,}") for plan, count in summary.report.plans.items()),
        ("work", counts(summary.report.counters)),
    ]
    if summary.resumed:
        report.insert(2, ("resumed", f"{summary.resumed:,} were done before"))
    return facts(report)
