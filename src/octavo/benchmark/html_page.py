"""Reports of the suite as one HTML page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from octavo.benchmark.figures import amount
from octavo.benchmark.page import heading
from octavo.benchmark.plots import growth_series
from octavo.benchmark.report import ParetoPoint, Report
from octavo.benchmark.tables import all_tables, target_table
from octavo.reporting.html.element import Element, element
from octavo.reporting.html.line_plot import Scale, Series, line_plot
from octavo.reporting.html.page import page, section
from octavo.reporting.html.table import plain_table
from octavo.storage.format.output_file import write_output_file

_LATENCY = Scale("a query, one by one", logarithmic=True, written=lambda value: amount(value, "s"))


def write_html(reports: Sequence[Report], path: Path) -> None:
    """Write reports and plots as one HTML file, whole or not at all; it loads nothing when read.

    Parameters
    ----------
    reports
        At least one.
    path
        The file to make or replace.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    write_output_file(path, page_text(reports).encode())


def page_text(reports: Sequence[Report]) -> str:
    """Return the page as text; the same for the same reports."""
    lead = element(
        "p",
        "Medians of rounds in which octavo and its baselines took turns. The ratio, octavo over "
        "baseline, is what to rely on; times are those of one machine.",
        class_="lead",
    )
    sections = [_section(number, report) for number, report in enumerate(reports)]
    targets = section("targets", "Targets", plain_table(target_table(reports)))
    versions = sorted({report.environment.packages.get("octavo", "") for report in reports} - {""})
    made_by = f"Made by octavo bench from reports of octavo {', '.join(versions)}."
    return page("Benchmarks", [lead], [*sections, targets], made_by=made_by)


def _section(number: int, report: Report) -> Element:
    return section(
        f"report-{number}",
        heading(report),
        element("pre", report.command),
        element("p", f"{report.environment}. The run took {report.seconds:,.0f} s.", class_="hint"),
        *_plots(number, report),
        *(plain_table(table) for table in all_tables(report)),
    )


def _plots(number: int, report: Report) -> Iterator[Element]:
    pareto = _pareto(report.pareto)
    if pareto:
        yield line_plot(
            f"pareto-{number}",
            "Recall against latency of vector search",
            _LATENCY,
            Scale("recall at 10"),
            pareto,
        )
    growth = _visible(
        Series(strategy, tuple((float(size), seconds) for size, seconds in sizes))
        for strategy, sizes in growth_series(report).items()
    )
    if growth:
        yield line_plot(
            f"growth-{number}",
            "Cost of a query against the size of the corpus",
            Scale("documents", logarithmic=True, written="{:,.0f}".format),
            _LATENCY,
            growth,
        )


def _pareto(points: Sequence[ParetoPoint]) -> list[Series]:
    engines: dict[str, list[ParetoPoint]] = {}
    for point in points:
        engines.setdefault(point.engine, []).append(point)
    return _visible(
        Series(
            engine,
            tuple(sorted((point.seconds, point.recall) for point in found)),
            joined=engine.startswith("FAISS"),
        )
        for engine, found in engines.items()
    )


def _visible(series: Iterable[Series]) -> list[Series]:
    """Leave out what a logarithmic axis cannot show, and series without a point."""
    kept = (
        replace(each, points=tuple(point for point in each.points if min(point) > 0))
        for each in series
    )
    return [each for each in kept if each.points]
