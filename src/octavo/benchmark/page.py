"""The page ``docs/benchmarks.md`` and the HTML page, made from reports and nothing else."""

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from octavo.benchmark.plots import plots
from octavo.benchmark.report import Report
from octavo.benchmark.tables import pareto_table, peer_table, result_tables, target_table
from octavo.reporting.plot import Plot
from octavo.reporting.table import Table, markdown

_NOTE = "<!-- Made by octavo bench --write-docs from saved reports. Do not edit. -->"
_PREFACE = """\
Every figure is the median of several rounds in which the subject and its baseline took turns in one process, with results
checked against brute force. The *ratio* is subject over baseline, the median of the rounds; *noise* is its deviation in one
round. Ratios are what to rely on; times are those of one machine. [Measure](benchmark-suite.md) says how it works.

Retrieval quality (nDCG@10) is measured in the tests (`tests/corpus/test_quality.py`) and, for the hash embedding, in
[its own page](hash-embedding.md)."""
_STYLE = (
    "body{font:15px sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;border-bottom:1px solid #ccc;"
    "text-align:left;vertical-align:top}.n{text-align:right;white-space:nowrap}"
    "svg{max-width:100%;height:auto}"
)


def write_docs(reports: Sequence[Report], docs: Path) -> None:
    """Write ``benchmarks.md`` and its plots, ``images/*.svg``, into a folder of documentation.

    Raises
    ------
    ConfigurationError
        matplotlib is not installed.
    OSError
        The folder cannot be written.
    """
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    drawn = [[(plot, _file(at, plot)) for plot in plots(each)] for at, each in enumerate(reports)]
    for plot, file in (pair for pairs in drawn for pair in pairs):
        plot.save(images / file)
    lines = ["# Benchmarks", "", _NOTE, "", _PREFACE, ""]
    lines += _markdown(target_table(reports))
    for report, pairs in zip(reports, drawn, strict=True):
        lines += _section(report, pairs)
    (docs / "benchmarks.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _file(position: int, plot: Plot) -> str:
    return f"{plot.name}.svg" if position == 0 else f"{plot.name}-{position + 1}.svg"


def _section(report: Report, drawn: Sequence[tuple[Plot, str]]) -> Iterator[str]:
    yield from (f"## {_heading(report)}", "", f"    {report.command}", "")
    yield from (f"{report.environment}. The run took {report.seconds:,.0f} s.", "")
    for plot, file in drawn:
        yield from (f"![{plot.caption}](images/{file})", "")
    for table in _tables(report):
        yield from _markdown(table, "###")


def _heading(report: Report) -> str:
    return f"{report.collection}, {report.dimensions} dimensions"


def _tables(report: Report) -> Iterator[Table]:
    yield from result_tables(report)
    if report.peers:
        yield peer_table(report)
    if report.pareto:
        yield pareto_table(report)


def _markdown(table: Table, level: str = "##") -> Iterator[str]:
    return markdown(table, level, code=("command",))


def write_html(reports: Sequence[Report], path: Path) -> None:
    """Write reports and plots as one HTML file that needs no other.

    Raises
    ------
    ConfigurationError
        matplotlib is not installed.
    OSError
        The file cannot be written.
    """
    body = ["<h1>octavo bench</h1>", *_html(target_table(reports))]
    for report in reports:
        body += [f"<h2>{html.escape(_heading(report))}</h2>"]
        body += [f"<pre>{html.escape(report.command)}</pre>"]
        body += [f"<p>{html.escape(str(report.environment))}</p>"]
        for plot in plots(report):
            svg = plot.svg()
            body += [f"<h3>{html.escape(plot.caption)}</h3>", svg[svg.index("<svg") :]]
        for table in _tables(report):
            body += _html(table)
    page = "\n".join(body)
    path.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>octavo bench</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{page}\n</body></html>\n",
        encoding="utf-8",
    )


def _html(table: Table) -> Iterator[str]:
    kinds = [' class="n"' if name in table.numbers else "" for name in table.columns]
    yield f"<h3>{html.escape(table.title)}</h3>\n<table>"
    yield "<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in table.columns) + "</tr>"
    for row in table.rows:
        cells = zip(kinds, row, strict=True)
        yield (
            "<tr>"
            + "".join(f"<td{kind}>{html.escape(cell)}</td>" for kind, cell in cells)
            + "</tr>"
        )
    yield "</table>"
