"""What ``octavo eval`` and ``octavo compare`` have in common: their options and their output."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from octavo.cli import values
from octavo.cli.output import say, show, show_json, show_table
from octavo.cli.output_files import check_output_files
from octavo.cli.spelled_out import spelled_out
from octavo.cli.values import checked, wrong_use

if TYPE_CHECKING:
    from octavo.evaluation import EvaluationReport, PageSources, Qrels, Run

FAILED = 1

EVALUATION_OPTIONS: dict[str, Any] = {
    "metric": Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Such as nDCG@10, AP, R@100, P@5, RR; repeat. Unset: nDCG@10, AP and R@100.",
        ),
    ],
    "baseline": Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What the others are compared with; unset, the first."),
    ],
    "split": Annotated[
        str | None,
        typer.Option(metavar="NAME", help="File of a BEIR folder's qrels; unset, test."),
    ],
    "per_query": Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the values of each query, .parquet or .csv."),
    ],
    "plot": Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw bars with intervals, .svg or .png.")
    ],
    "html": Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write one page with plots, tables and hits by query."),
    ],
    "html_queries": Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Queries shown there hit by hit, the most different; unset, 50.",
        ),
    ],
    "fail_below": Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=X", help="Exit with 1 if a mean is below X; repeat."),
    ],
    "against": Annotated[
        Path | None,
        typer.Option(metavar="OLD_RUN", help="Exit with 1 if a mean is below that of this run."),
    ],
    "tolerance": Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="X",
            callback=checked(values.finite),
            help="By how much a mean may be below; unset, 0.",
        ),
    ],
    "as_json": Annotated[bool, typer.Option("--json", help="Print JSON.")],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """The options that both commands have, as given."""

    metric: list[str] | None
    baseline: str | None
    split: str | None
    per_query: Path | None
    plot: Path | None
    html: Path | None
    html_queries: int | None
    fail_below: list[str] | None
    against: Path | None
    tolerance: float | None
    as_json: bool


def with_evaluation_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with its parameter ``request`` spelled out as single options."""
    return spelled_out(
        command,
        "request",
        EVALUATION_OPTIONS,
        lambda given: EvaluationRequest(**given),
        {"as_json": False},
    )


class Evaluation:
    """The part of both commands around the runs: checks before, results after.

    Everything that can be wrong with the options is said before anything is searched. ``inputs`` are
    files that the command reads.
    """

    def __init__(self, request: EvaluationRequest, inputs: Iterable[Path | None]) -> None:
        from octavo.evaluation import DEFAULT_METRICS, parse_metrics, read_run  # noqa: PLC0415
        from octavo.evaluation.gate import OldRun, parse_limits  # noqa: PLC0415
        from octavo.evaluation.output import checked_per_query_file  # noqa: PLC0415

        self._request = request
        with wrong_use():
            self._limits = parse_limits(request.fail_below or ())
            self.metrics = parse_metrics([*(request.metric or DEFAULT_METRICS), *self._limits])
            if request.per_query is not None:
                checked_per_query_file(request.per_query)
        if request.tolerance is not None and request.against is None:
            raise typer.BadParameter("--tolerance: expected --against beside it, found none")
        if request.html_queries is not None and request.html is None:
            raise typer.BadParameter("--html-queries: expected --html beside it, found none")
        if request.plot is not None:
            _check_plot(request.plot)
        check_output_files(
            {"--per-query": request.per_query, "--plot": request.plot, "--html": request.html},
            (*inputs, request.against),
        )
        self._old = (
            OldRun(read_run(request.against), request.tolerance or 0.0)
            if request.against is not None
            else None
        )

    def finish(
        self, runs: "Sequence[Run]", qrels: "Qrels", sources: "PageSources | None" = None
    ) -> None:
        """Measure, show, write, and exit with 1 where a limit is not reached.

        ``sources`` are the texts and parts that a page shows.
        """
        from octavo.evaluation import compare_runs, falls_below  # noqa: PLC0415
        from octavo.evaluation.output import write_per_query  # noqa: PLC0415
        from octavo.evaluation.plot import means_plot  # noqa: PLC0415
        from octavo.storage.format.output_file import write_output_file  # noqa: PLC0415

        request = self._request
        report = compare_runs(runs, qrels, self.metrics, baseline=request.baseline)
        _show(report, as_json=request.as_json)
        if request.per_query is not None:
            write_per_query(report, request.per_query)
        if request.plot is not None:
            write_output_file(request.plot, means_plot(report).file_content(request.plot.suffix))
        if request.html is not None:
            _write_page(report, request.html, sources, request.html_queries)
        falls = falls_below(report, self._limits)
        if self._old is not None:
            fallen, compared = self._old.falls(report)
            falls += fallen
            say(
                f"compared with {self._old.run.name} over the judged queries that it has results "
                f"for: {compared:,} of {len(qrels):,}"
            )
        for fall in falls:
            say(f"octavo: {fall}")
        if falls:
            raise SystemExit(FAILED)


def _write_page(
    report: "EvaluationReport", file: Path, sources: "PageSources | None", queries: int | None
) -> None:
    from octavo.evaluation.page import DEFAULT_QUERIES, write_page  # noqa: PLC0415

    write_page(report, file, sources, queries=DEFAULT_QUERIES if queries is None else queries)


def _check_plot(file: Path) -> None:
    from octavo.reporting.plot import require_matplotlib  # noqa: PLC0415

    if file.suffix.lower() not in {".svg", ".png"}:
        raise typer.BadParameter(f"--plot: expected a .svg or .png file, found {file}")
    require_matplotlib()


def _show(report: "EvaluationReport", *, as_json: bool) -> None:
    from octavo.evaluation.output import as_json as plain_values  # noqa: PLC0415
    from octavo.evaluation.tables import (  # noqa: PLC0415
        PLAIN_COLUMNS,
        means_table,
        notes,
        plain_rows,
    )

    if as_json:
        show_json(plain_values(report))
    elif sys.stdout.isatty():
        show_table(means_table(report))
    else:
        for row in (PLAIN_COLUMNS, *plain_rows(report)):
            show("\t".join(row))
    for line in notes(report):
        say(line)
