"""``octavo bench``: run the benchmark suite, compare runs, draw them."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from octavo.cli.output import say, show, show_table
from octavo.cli.output_files import check_output_files

if TYPE_CHECKING:
    from octavo.benchmark.report import Report
    from octavo.benchmark.scale import Suite

FAILED = 1


def bench(
    *,
    suite: Annotated[
        str, typer.Option(metavar="quick|full", help="About 2 minutes, or under 10, on 2 cores.")
    ] = "quick",
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other libraries too, those installed.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Measures by name, such as 'engine.*'; repeat."),
    ] = None,
    documents: Annotated[
        int | None, typer.Option(min=1_000, metavar="N", help="Documents to generate.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of generated documents.")] = 0,
    corpus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Real documents instead, a parquet file.")
    ] = None,
    text: Annotated[str, typer.Option(metavar="COL", help="Its text column.")] = "text",
    long: Annotated[bool, typer.Option("--long", help="Growth to ten million documents.")] = False,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the report.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write tables and plots as one page.")
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIRECTORY", help="Write the plots as SVG and PNG.")
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="OLD.json", help="Fail where a ratio is worse than in that report."),
    ] = None,
    saved: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="Show saved reports, run nothing; repeat."),
    ] = None,
    write_docs: Annotated[
        Path | None,
        typer.Option(metavar="DIRECTORY", help="Write benchmarks.md and its images there."),
    ] = None,
) -> None:
    """Measure octavo beside its baselines; wrong results and regressions exit with 1."""
    from octavo.benchmark.report import read_report, write_report  # noqa: PLC0415

    old = None if compare is None else read_report(compare)
    _check_together(saved, suite, corpus, documents, long=long, peers=peers, only=only)
    inputs = (corpus, *(saved or ()))
    _check_outputs(json, html, plots, write_docs, inputs=inputs, ran=not saved)
    if saved:
        reports = [read_report(path) for path in saved]
    else:
        from octavo.benchmark.run import BenchRequest, run_bench  # noqa: PLC0415

        request = BenchRequest(
            suite=_suite(suite),
            documents=documents,
            seed=seed,
            corpus=corpus,
            text=text,
            peers=peers,
            long=long,
            only=tuple(only or ()),
            command=_command(sys.argv[1:]),
        )
        reports = [run_bench(request, say)]
    _show(reports)
    if json is not None:
        write_report(reports[-1], json)
    _draw(reports, html, plots, write_docs)
    failed = [result for report in reports for result in report.errors]
    for result in failed:
        say(f"octavo: {result.name}: {result.error}")
    regressed = old is not None and _compare(old, reports[-1])
    if failed or regressed:
        raise SystemExit(FAILED)


def _check_together(
    saved: list[Path] | None,
    suite: str,
    corpus: Path | None,
    documents: int | None,
    *,
    long: bool,
    peers: bool,
    only: list[str] | None,
) -> None:
    """Refuse options that would do nothing."""
    _suite(suite)
    if saved and (corpus or documents or long or peers or only):
        raise typer.BadParameter(
            "--from runs nothing: it takes no --corpus, --documents, --long, --peers or --only"
        )
    if corpus and (documents or long):
        raise typer.BadParameter("--corpus takes all its documents: no --documents, no --long")


def _check_outputs(
    json: Path | None,
    html: Path | None,
    plots: Path | None,
    docs: Path | None,
    *,
    inputs: Iterable[Path | None],
    ran: bool,
) -> None:
    """Refuse, before minutes of work, what could not be written after them.

    Raises
    ------
    ConfigurationError
        Plots of a run are asked for, and matplotlib is not installed.
    typer.BadParameter
        A file is an input, or both outputs.
    OSError
        The directory of a file is missing, or a directory cannot be made.
    """
    directories = [path for path in (plots, docs) if path is not None]
    if ran and directories:
        from octavo.reporting.plot import require_matplotlib  # noqa: PLC0415

        require_matplotlib()
    for path in directories:
        path.mkdir(parents=True, exist_ok=True)
    check_output_files({"--json": json, "--html": html}, inputs)


def _suite(name: str) -> "Suite":
    from octavo.benchmark.scale import Suite  # noqa: PLC0415

    try:
        return Suite(name)
    except ValueError:
        raise typer.BadParameter(f"--suite: expected quick or full, found {name!r}") from None


def _command(words: Iterable[str]) -> str:
    """Return what was typed; of files only their names, for a report may be published.

    Examples
    --------
    >>> _command(["bench", "--corpus", "/data/a.parquet", "--json=/tmp/b.json"])
    'octavo bench --corpus a.parquet --json=b.json'
    """
    return " ".join(["octavo", *(re.sub(r"(^|=)/.*/", r"\1", word) for word in words)])


def _show(reports: "list[Report]") -> None:
    from octavo.benchmark.tables import (  # noqa: PLC0415
        pareto_table,
        peer_table,
        result_tables,
        target_table,
    )

    for report in reports:
        show(f"{report.collection}; {report.environment}; {report.seconds:,.0f} s")
        for table in result_tables(report):
            show_table(table)
        if report.pareto:
            show_table(pareto_table(report))
        if report.peers:
            show_table(peer_table(report))
    show_table(target_table(reports))


def _draw(
    reports: "list[Report]", html: Path | None, plots: Path | None, docs: Path | None
) -> None:
    if html is not None:
        from octavo.benchmark.html_page import write_html  # noqa: PLC0415

        write_html(reports, html)
    if plots is not None:
        from octavo.benchmark.plots import plots as drawn  # noqa: PLC0415
        from octavo.storage.format.output_file import write_output_file  # noqa: PLC0415

        plots.mkdir(parents=True, exist_ok=True)
        for plot in drawn(reports[-1]):
            for ending in (".svg", ".png"):
                write_output_file(plots / f"{plot.name}{ending}", plot.file_content(ending))
    if docs is not None:
        from octavo.benchmark.page import write_docs  # noqa: PLC0415

        write_docs(reports, docs)


def _compare(old: "Report", new: "Report") -> bool:
    """Show what changed; return whether anything regressed."""
    from octavo.benchmark.compare import compare  # noqa: PLC0415
    from octavo.benchmark.tables import change_table  # noqa: PLC0415

    changes = compare(old, new)
    if not changes:
        say("octavo: nothing to compare: the reports share no measure on the same documents")
        return True
    show_table(change_table(changes))
    regressions = [change for change in changes if change.regressed]
    for change in regressions:
        say(
            f"octavo: regression: {change.name}: {change.figure} {change.old:.4g} -> "
            f"{change.new:.4g}, allowed {change.allowed:.4g}"
        )
    return bool(regressions)
