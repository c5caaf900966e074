"""Retrieval quality: judgements and runs in, metrics with significance out (extra ``eval``).

Names are imported when they are first used, and ir-measures when something is measured.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.evaluation.comparing import compare_runs, evaluate
    from octavo.evaluation.gate import Fall, OldRun, falls_below
    from octavo.evaluation.metrics import DEFAULT_METRICS, Metric, parse_metrics
    from octavo.evaluation.page import write_page
    from octavo.evaluation.qrels import Qrels, read_qrels
    from octavo.evaluation.queries import read_queries
    from octavo.evaluation.report import Comparison, Estimate, EvaluationReport, SystemResult
    from octavo.evaluation.retrieval import StrategyRun, applicable_strategies, retrieve_runs
    from octavo.evaluation.run import Run, read_run, write_run
    from octavo.evaluation.side_by_side import PageSources

__all__ = [
    "DEFAULT_METRICS",
    "Comparison",
    "Estimate",
    "EvaluationReport",
    "Fall",
    "Metric",
    "OldRun",
    "PageSources",
    "Qrels",
    "Run",
    "StrategyRun",
    "SystemResult",
    "applicable_strategies",
    "compare_runs",
    "evaluate",
    "falls_below",
    "parse_metrics",
    "read_qrels",
    "read_queries",
    "read_run",
    "retrieve_runs",
    "write_page",
    "write_run",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "comparing": ("compare_runs", "evaluate"),
    "gate": ("Fall", "OldRun", "falls_below"),
    "metrics": ("DEFAULT_METRICS", "Metric", "parse_metrics"),
    "page": ("write_page",),
    "qrels": ("Qrels", "read_qrels"),
    "queries": ("read_queries",),
    "report": ("Comparison", "Estimate", "EvaluationReport", "SystemResult"),
    "retrieval": ("StrategyRun", "applicable_strategies", "retrieve_runs"),
    "run": ("Run", "read_run", "write_run"),
    "side_by_side": ("PageSources",),
}
_HOMES = {name: f"octavo.evaluation.{home}" for home, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'octavo.evaluation' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
