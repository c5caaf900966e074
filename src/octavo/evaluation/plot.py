"""The bars of a report."""

from octavo.evaluation.report import EvaluationReport
from octavo.reporting.plot import Plot, new_axes

_GROUP_WIDTH = 0.8


def means_plot(report: EvaluationReport) -> Plot:
    """Draw each system's means by metric, as bars with their confidence intervals.

    Raises
    ------
    ConfigurationError
        matplotlib is not installed.
    """
    bars = len(report.metrics) * len(report.systems)
    figure, axes = new_axes((max(5.0, 1.5 + 0.55 * bars), 4.2))
    width = _GROUP_WIDTH / len(report.systems)
    for number, system in enumerate(report.systems):
        middle = (number - (len(report.systems) - 1) / 2) * width
        means = [estimate.mean for estimate in system.means]
        down = [max(0.0, estimate.mean - estimate.low) for estimate in system.means]
        up = [max(0.0, estimate.high - estimate.mean) for estimate in system.means]
        axes.bar(
            [place + middle for place in range(len(report.metrics))],
            means,
            width,
            yerr=[down, up],
            capsize=3,
            label=system.name,
            error_kw={"linewidth": 1},
        )
    axes.set_xticks(range(len(report.metrics)), report.metrics)
    axes.set_ylabel(f"mean over {len(report.qrels):,} queries, 95 % interval")
    axes.grid(visible=False, axis="x")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=min(6, len(report.systems)), fontsize=8)
    return Plot("evaluation", "Means with 95 % confidence intervals", figure)
