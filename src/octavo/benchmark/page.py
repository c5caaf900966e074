"""The page ``docs/benchmarks.md``, made from reports and nothing else."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from octavo.benchmark.plots import plots
from octavo.benchmark.report import Report
from octavo.benchmark.tables import all_tables, target_table
from octavo.reporting.plot import Plot
from octavo.reporting.table import Table, markdown
from octavo.storage.format.output_file import write_output_file

_NOTE = "<!-- Made by octavo bench --write-docs from saved reports. Do not edit. -->"
_PREFACE = """\
Every figure is the median of several rounds in which the subject and its baseline took turns in one process, with results
checked against brute force. The *ratio* is subject over baseline, the median of the rounds; *noise* is its deviation in one
round. Ratios are what to rely on; times are those of one machine. [Measure](benchmark-suite.md) says how it works.

Retrieval quality (nDCG@10) is measured in the tests (`tests/corpus/test_quality.py`) and, for the hash embedding, in
[its own page](hash-embedding.md)."""


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
        write_output_file(images / file, plot.file_content(".svg"))
    lines = ["# Benchmarks", "", _NOTE, "", _PREFACE, ""]
    lines += _markdown(target_table(reports))
    for report, pairs in zip(reports, drawn, strict=True):
        lines += _section(report, pairs)
    write_output_file(docs / "benchmarks.md", ("\n".join(lines).rstrip() + "\n").encode())


def _file(position: int, plot: Plot) -> str:
    return f"{plot.name}.svg" if position == 0 else f"{plot.name}-{position + 1}.svg"


def _section(report: Report, drawn: Sequence[tuple[Plot, str]]) -> Iterator[str]:
    yield from (f"## {heading(report)}", "", f"    {report.command}", "")
    yield from (f"{report.environment}. The run took {report.seconds:,.0f} s.", "")
    for plot, file in drawn:
        yield from (f"![{plot.caption}](images/{file})", "")
    for table in all_tables(report):
        yield from _markdown(table, "###")


def heading(report: Report) -> str:
    """Return what a report is about."""
    return f"{report.collection}, {report.dimensions} dimensions"


def _markdown(table: Table, level: str = "##") -> Iterator[str]:
    return markdown(table, level, code=("command",))
