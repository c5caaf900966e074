"""A report as one HTML page: figures, tests, and what the systems found, query by query."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Final

from octavo.errors import checked_count
from octavo.evaluation.disagreement import by_disagreement
from octavo.evaluation.hits_section import hits_section
from octavo.evaluation.report import EvaluationReport
from octavo.evaluation.side_by_side import PageSources
from octavo.evaluation.tables import notes, p_text
from octavo.reporting.html.drawing import fitted, fitted_apart
from octavo.reporting.html.element import Element, Node, element
from octavo.reporting.html.interval_plot import Interval, interval_plot
from octavo.reporting.html.page import page, section
from octavo.reporting.html.table import Cell, Column, table_element
from octavo.storage.format.output_file import write_output_file
from octavo.version import __version__

DEFAULT_QUERIES: Final = 50
MOST_VALUES: Final = 1_000
"""Queries whose values are listed; a file of all of them is for ``--per-query``."""
_LONGEST: Final = 80
_LONGEST_NOTE: Final = 300


def write_page(
    report: EvaluationReport,
    path: str | PathLike[str],
    sources: PageSources | None = None,
    *,
    queries: int = DEFAULT_QUERIES,
) -> None:
    """Write a report as one HTML file, whole or not at all; it loads nothing when it is read.

    Parameters
    ----------
    report
        What was found.
    path
        The file to make or replace.
    sources
        Texts and parts to show beside the hits.
    queries
        How many queries are shown hit by hit, those on which the systems differ most.

    Raises
    ------
    InvalidArgumentError
        ``queries`` is no count, or what ``sources`` names is not what it should be.
    OSError
        The file cannot be written.
    """
    write_output_file(Path(path), page_text(report, sources, queries=queries).encode())


def page_text(
    report: EvaluationReport, sources: PageSources | None = None, *, queries: int = DEFAULT_QUERIES
) -> str:
    """Return the page as text; the same for the same input. Parameters as :func:`write_page`."""
    most = checked_count("queries", queries, lowest=0)
    ordered = by_disagreement(report).tolist()
    hits, shown = hits_section(report, ordered[:most], sources or PageSources())
    sections = [_means(report)]
    if report.comparisons:
        sections.append(_differences(report))
    sections.append(_values(report, ordered[:MOST_VALUES], shown))
    if hits is not None:
        sections.append(hits)
    names = [element("b", element("bdi", name)) for name in _names(report).values()]
    systems = "1 system" if len(names) == 1 else f"{len(names)} systems"
    asked = "query" if len(report.qrels) == 1 else "queries"
    between: list[Node] = [node for name in names for node in (", ", name)]
    lead = element(
        "p", f"{systems} on {len(report.qrels):,} judged {asked}: ", *between[1:], class_="lead"
    )
    return page("Evaluation", [lead], sections, made_by=f"Made by octavo {__version__}.")


def _means(report: EvaluationReport) -> Element:
    names = _names(report)
    plots = [
        interval_plot(
            f"plot-{number}",
            metric,
            [
                Interval(
                    names[system.name],
                    system.means[number].mean,
                    system.means[number].low,
                    system.means[number].high,
                    reference=bool(report.comparisons) and system.name == report.baseline,
                )
                for system in report.systems
            ],
        )
        for number, metric in enumerate(report.metrics)
    ]
    rows = [
        [
            Cell((element("bdi", names[system.name]),)),
            *(
                Cell(
                    (f"{each.mean:.4f} ", element("small", f"{each.low:.3f} to {each.high:.3f}")),
                    each.mean,
                )
                for each in system.means
            ),
        ]
        for system in report.systems
    ]
    columns = [Column("system"), *(Column(metric, number=True) for metric in report.metrics)]
    return section(
        "means",
        "Means",
        element("div", *plots, class_="figures"),
        table_element("Means with 95 % confidence intervals", columns, rows),
        element(
            "ul",
            *(element("li", fitted(each, _LONGEST_NOTE)) for each in notes(report)),
            class_="notes",
        ),
    )


def _differences(report: EvaluationReport) -> Element:
    names = _names(report)
    rows = [
        [
            Cell((element("bdi", names[found.system]),)),
            Cell((found.metric,)),
            Cell(
                (
                    f"{found.difference.mean:+.4f} ",
                    element(
                        "small", f"{found.difference.low:+.3f} to {found.difference.high:+.3f}"
                    ),
                ),
                found.difference.mean,
            ),
            Cell((f"{found.better:,}",), found.better),
            Cell((f"{found.worse:,}",), found.worse),
            Cell((p_text(found.p_corrected),), found.p_corrected),
            Cell(("yes" if found.significant else "no",)),
        ]
        for found in report.comparisons
    ]
    columns = [
        Column("system"), Column("metric"), Column("difference", number=True),
        Column("queries better", number=True), Column("queries worse", number=True),
        Column("p, corrected", number=True), Column("significant"),
    ]  # fmt: skip
    caption = f"Differences to {names[report.baseline]}, with 95 % confidence intervals"
    return section("differences", "Differences", table_element(caption, columns, rows))


def _values(report: EvaluationReport, numbers: list[int], shown: set[int]) -> Element:
    metric = report.metrics[0]
    ids = report.query_ids
    names = _names(report)
    several = len(report.systems) > 1
    columns = [
        Column("query"),
        *(Column(names[system.name], number=True) for system in report.systems),
        *([Column("spread", number=True)] if several else []),
    ]
    rows = []
    for number in numbers:
        values = [float(system.values[0, number]) for system in report.systems]
        spread = [max(values) - min(values)] if several else []
        identifier = element("bdi", fitted(ids[number], _LONGEST))
        name = element("a", identifier, href=f"#query-{number}") if number in shown else identifier
        rows.append([Cell((name,)), *(Cell((f"{each:.4f}",), each) for each in (*values, *spread))])
    caption = f"{metric} of each query"
    return section(
        "queries",
        "Queries",
        element("p", *_left_out(report, len(numbers), several=several), class_="hint"),
        table_element(caption, columns, rows, tall=True),
    )


def _left_out(report: EvaluationReport, listed: int, *, several: bool) -> Iterator[Node]:
    yield "Those first on which the systems differ most." if several else "The worst first."
    if listed < len(report.qrels):
        yield f" {listed:,} of {len(report.qrels):,} are listed; --per-query writes all of them."


def _names(report: EvaluationReport) -> dict[str, str]:
    """Return how systems are called on the page."""
    names = [system.name for system in report.systems]
    return dict(zip(names, fitted_apart(names, _LONGEST), strict=True))
