"""Plots of a report, by matplotlib (the extra ``bench``)."""

from collections.abc import Mapping, Sequence

from octavo.benchmark.report import ParetoPoint, Report
from octavo.reporting.plot import Plot, new_axes

_MARKERS = "osD^vPX*"


def plots(report: Report) -> tuple[Plot, ...]:
    """Draw what the report has: the Pareto front of vector search, and growth.

    Raises
    ------
    ConfigurationError
        matplotlib is not installed.
    """
    drawn = []
    if report.pareto:
        drawn.append(_pareto(report.pareto, report.collection))
    series = growth_series(report)
    if series:
        drawn.append(_growth(series))
    return tuple(drawn)


def growth_series(report: Report) -> dict[str, list[tuple[int, float]]]:
    """Return for each strategy the sizes measured and the seconds of one query.

    A size that is the baseline of the next is taken from its own measure where it has one.
    """
    series: dict[str, dict[int, float]] = {}
    for result in report.results:
        if result.group == "growth" and result.unit == "s/query":
            _, strategy, larger = result.name.split(".")
            smaller = int(result.baseline.split()[0].replace(",", ""))
            sizes = series.setdefault(strategy, {})
            sizes.setdefault(smaller, result.baseline_value)
            sizes[int(larger)] = result.value
    return {strategy: sorted(sizes.items()) for strategy, sizes in series.items()}


def _pareto(points: Sequence[ParetoPoint], collection: str) -> Plot:
    figure, axes = new_axes()
    engines: dict[str, list[ParetoPoint]] = {}
    for point in points:
        engines.setdefault(point.engine, []).append(point)
    for marker, (engine, found) in zip(_MARKERS, engines.items(), strict=False):
        ordered = sorted(found, key=lambda point: point.seconds)
        joined = "-" if engine.startswith("FAISS") else ""
        axes.plot(
            [point.seconds * 1e3 for point in ordered],
            [point.recall for point in ordered],
            marker=marker,
            linestyle=joined,
            label=engine,
        )
        if not joined:
            for number, point in enumerate(ordered):
                axes.annotate(
                    point.setting.split(",")[0],
                    (point.seconds * 1e3, point.recall),
                    xytext=(-6, -12 if number % 2 else 6),
                    ha="right",
                    textcoords="offset points",
                    fontsize=7,
                )
    axes.axhline(0.95, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.set_xlabel("ms a query, one by one")
    axes.set_ylabel("recall at 10")
    axes.set_title(collection, fontsize=9)
    axes.legend(fontsize=8)
    return Plot("pareto", "Recall against latency of vector search", figure)


def _growth(series: Mapping[str, Sequence[tuple[int, float]]]) -> Plot:
    figure, axes = new_axes()
    for marker, (strategy, sizes) in zip(_MARKERS, series.items(), strict=False):
        axes.plot(
            [size for size, _ in sizes],
            [seconds * 1e3 for _, seconds in sizes],
            marker=marker,
            label=strategy,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("documents")
    axes.set_ylabel("ms a query, one by one")
    axes.legend(fontsize=8)
    return Plot("growth", "Cost of a query against the size of the corpus", figure)
