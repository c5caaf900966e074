"""``octavo batch``: a file of queries to a file of results."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli.options import (
    Filters,
    IndexPath,
    MaxResults,
    MinScore,
    Strategy,
    parsed_filters,
    warn_of_unknown_keys,
)
from octavo.cli.output import counts, facts, say
from octavo.cli.progress import progress
from octavo.cli.strategy_options import with_strategy_options

if TYPE_CHECKING:
    from octavo.batch import BatchProgress, BatchSummary
    from octavo.batch.engine import BatchEngine


class Engine(StrEnum):
    """Where a job runs."""

    LOCAL = "local"
    RAY = "ray"


@with_strategy_options
def batch(
    index: IndexPath,
    queries: Annotated[
        str, typer.Argument(metavar="QUERIES", help="File, directory or glob of queries.")
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="RESULTS", help="File to write.")],
    strategy: Strategy = None,
    max_results: MaxResults = 10,
    min_score: MinScore = 0.0,
    filters: Filters = None,
    options: Mapping[str, Any],
    query_text: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the queries' texts.")
    ] = None,
    query_id: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the queries' ids.")
    ] = None,
    query_vector: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of vectors to use in place of the texts'."),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option(
            metavar="NAME", help="parquet, jsonl or trec; unset, what the ending of --out tells."
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Unset: one for each processor.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="Threads of this process, or workers of a Ray cluster.")
    ] = Engine.LOCAL,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="With --engine ray. Unset: one for each processor there."
        ),
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="With --engine ray: auto, or HOST:PORT of a cluster. Unset: what RAY_ADDRESS "
            "says, else this machine.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a job that was stopped.")
    ] = False,
) -> None:
    """Answer every query of a file and write the hits to another."""
    admitted = parsed_filters(filters)
    if engine is Engine.LOCAL and (workers is not None or ray_address is not None):
        raise typer.BadParameter("--workers, --ray-address: expected --engine ray beside them")
    if engine is Engine.RAY and threads is not None:
        raise typer.BadParameter("--threads: expected --workers with --engine ray")
    from octavo.batch import BatchJob, run_batch  # noqa: PLC0415
    from octavo.batch.work_directory import can_resume  # noqa: PLC0415
    from octavo.corpus.corpus import Corpus  # noqa: PLC0415

    corpus = Corpus.open(index)
    warn_of_unknown_keys(admitted, corpus)
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
    if not resume and can_resume(out):
        say("A stopped job left finished parts; they are thrown away (--resume would keep them).")
    begun = False
    try:
        with _engine(engine, workers, ray_address) as chosen, progress() as update:

            def listen(event: "BatchProgress") -> None:
                nonlocal begun
                if not begun:
                    say(f"Strategy {event.strategy}; {event.columns}")
                    begun = True
                update("queries", event.queries, event.total)

            summary = run_batch(job, listen, engine=chosen)
    except BaseException:
        if begun and can_resume(out):
            say("What was finished is kept beside the output; --resume goes on from there.")
        raise
    for line in _report(summary):
        say(line)


@contextmanager
def _engine(
    engine: Engine, workers: int | None, ray_address: str | None
) -> "Iterator[BatchEngine | None]":
    """Connect to a cluster for the time of a job, if it is to run there."""
    if engine is Engine.LOCAL:
        yield None
        return
    from octavo.cluster import RayEngine, ray_session  # noqa: PLC0415

    with ray_session(ray_address, processors=workers) as session:
        yield RayEngine(session, workers)


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
