"""A report as tables of text, whatever they are then shown in."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from octavo.benchmark.compare import Change
from octavo.benchmark.figures import amount, facts_text, measured, three_digits, times
from octavo.benchmark.report import Report, Result
from octavo.benchmark.targets import verdicts
from octavo.reporting.table import Table

TITLES = {
    "micro": "Kernels",
    "engine": "Engines",
    "strategy": "Strategies",
    "batch": "Batch jobs",
    "storage": "Build, open, read",
    "memory": "Memory",
    "start": "Fresh processes",
    "growth": "Growth",
    "peer": "Beside other libraries",
}


def all_tables(report: Report) -> Iterator[Table]:
    """Yield the tables of a report."""
    yield from result_tables(report)
    if report.peers:
        yield peer_table(report)
    if report.pareto:
        yield pareto_table(report)


def result_tables(report: Report) -> Iterator[Table]:
    """Yield one table for each group of measures."""
    for group, found in groupby(report.results, key=lambda result: result.group):
        results = tuple(found)
        yield Table(
            TITLES.get(group, group),
            ("measure", "median", "baseline", "median of it", "ratio", "noise", "found"),
            tuple(_row(result) for result in results),
            ("median", "median of it", "ratio", "noise"),
            tuple(_keys(result) for result in results),
        )


def _row(result: Result) -> tuple[str, ...]:
    found = facts_text(dict(result.facts))
    if result.error is not None:
        found = f"WRONG RESULT: {result.error}"
    return (
        result.what,
        amount(result.value, result.unit),
        result.baseline,
        amount(result.baseline_value, result.unit),
        times(result.ratio, result.unit),
        "" if result.rounds < 2 else f"±{result.noise:.0%}",
        found,
    )


def _keys(result: Result) -> tuple[float | None, ...]:
    noise = None if result.rounds < 2 else result.noise
    return (None, result.value, None, result.baseline_value, result.ratio, noise, None)


def target_table(reports: Sequence[Report]) -> Table:
    """Return each target with what was measured, how to measure it, and whether it is met."""
    answers = {True: "met", False: "missed", None: "not measured"}
    return Table(
        "Targets",
        ("target", "measured", "", "documents", "command", "what limits it"),
        tuple(
            (
                verdict.target.what,
                measured(verdict) if verdict.found is not None else "",
                answers[verdict.met],
                "" if verdict.report is None else f"{verdict.report.documents:,}",
                f"octavo bench --suite full {verdict.target.options}".strip()
                + f" --only {verdict.target.measure}",
                verdict.target.limit if verdict.met is False else "",
            )
            for verdict in verdicts(reports)
        ),
        ("measured", "documents"),
    )


def peer_table(report: Report) -> Table:
    """Return what was done with each peer."""
    rows = tuple((peer.name, peer.note) for peer in report.peers)
    return Table("Other libraries", ("library", "settings"), rows)


def pareto_table(report: Report) -> Table:
    """Return the points of the Pareto plot."""
    rows = tuple(
        (point.engine, point.setting, f"{point.recall:.3f}", amount(point.seconds, "s/query"))
        for point in report.pareto
    )
    columns = ("engine", "setting", "recall at 10", "one by one")
    keys = tuple((None, None, point.recall, point.seconds) for point in report.pareto)
    return Table("Recall against latency", columns, rows, columns[2:], keys)


def change_table(changes: Sequence[Change]) -> Table:
    """Return how measures moved since another run, regressions first."""
    ordered = sorted(changes, key=lambda change: (not change.regressed, change.name))
    return Table(
        "Changes",
        ("measure", "figure", "old", "new", "allowed", ""),
        tuple(
            (
                change.name,
                change.figure,
                three_digits(change.old),
                three_digits(change.new),
                three_digits(change.allowed),
                "REGRESSION" if change.regressed else "",
            )
            for change in ordered
        ),
        ("old", "new", "allowed"),
    )
