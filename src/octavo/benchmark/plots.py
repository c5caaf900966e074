"""Plots of a report as SVG or PNG, by matplotlib (the extra ``bench``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from octavo.benchmark.report import ParetoPoint, Report
from octavo.errors import ConfigurationError

_SIZE = (7.0, 4.2)
_MARKERS = "osD^vPX*"


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawn figure.

    Parameters
    ----------
    name
        Of its file, without the ending.
    caption
        What it shows.
    figure
        A ``matplotlib.figure.Figure``.
    """

    name: str
    caption: str
    figure: Any

    def svg(self) -> str:
        """Return the figure as an SVG document; the same bytes for the same figures."""
        matplotlib = _matplotlib()
        drawn = BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "octavo", "svg.fonttype": "none"}):
            self.figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        lines = drawn.getvalue().decode().splitlines()
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def save(self, path: Path) -> None:
        """Write the figure; the ending of the file says how (``.svg``, ``.png``)."""
        if path.suffix == ".svg":
            path.write_text(self.svg(), encoding="utf-8")
        else:
            self.figure.savefig(path, dpi=150, metadata={})


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


def require_matplotlib() -> None:
    """Raise :class:`~octavo.errors.ConfigurationError` where plots could not be drawn."""
    _matplotlib()


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
    figure, axes = _axes()
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
    figure, axes = _axes()
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


def _axes() -> tuple[Any, Any]:
    _matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.subplots()
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def _matplotlib() -> Any:  # noqa: ANN401 - the module
    try:
        import matplotlib  # noqa: PLC0415, ICN001 - an extra
    except ImportError as error:
        raise ConfigurationError(
            "plots need matplotlib, which the extra 'bench' brings: pip install 'octavo[bench]'"
        ) from error
    return matplotlib
