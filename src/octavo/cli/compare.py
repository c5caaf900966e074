"""``octavo compare``: runs of any systems, measured with the same judgements."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.evaluation_options import Evaluation, EvaluationRequest, with_evaluation_options
from octavo.cli.values import wrong_use
from octavo.visible import printable

if TYPE_CHECKING:
    from octavo.evaluation import PageSources, Run


@with_evaluation_options
def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="TREC runs, results of octavo batch, other parquet, JSON lines."
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
    index: Annotated[
        Path | None,
        typer.Option(metavar="INDEX", help="Where --html takes the documents' texts from."),
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(metavar="QUERIES", help="Where --html takes the queries' texts from."),
    ] = None,
) -> None:
    """Measure runs with judged queries; exit with 1 where they fall below a limit."""
    from octavo.evaluation import read_qrels  # noqa: PLC0415
    from octavo.evaluation.comparing import checked_baseline  # noqa: PLC0415

    for option, given in (("--index", index), ("--queries", queries)):
        if given is not None and request.html is None:
            raise typer.BadParameter(f"{option}: expected --html beside it, found none")
    evaluation = Evaluation(request, (*runs, qrels, queries))
    judgements = read_qrels(qrels, split=request.split)
    found = _read(runs)
    with wrong_use():
        checked_baseline([run.name for run in found], request.baseline)
    results = {run.name: path for run, path in zip(found, runs, strict=True)}
    sources = None if request.html is None else _sources(results, queries, index)
    evaluation.finish(found, judgements, sources)


def _sources(results: dict[str, Path], queries: Path | None, index: Path | None) -> "PageSources":
    from octavo.evaluation import PageSources, read_queries  # noqa: PLC0415
    from octavo.shards import open_index  # noqa: PLC0415

    return PageSources(
        results,
        None if queries is None else read_queries(queries),
        None if index is None else open_index(index),
    )


def _read(paths: Sequence[Path]) -> "list[Run]":
    """Read runs; files of one name are called by their paths, all as a terminal may show them."""
    from octavo.evaluation import read_run  # noqa: PLC0415

    found = [read_run(path) for path in paths]
    names = Counter(run.name for run in found)
    return [
        run.named(printable(run.name if names[run.name] == 1 else str(path)))
        for run, path in zip(found, paths, strict=True)
    ]
