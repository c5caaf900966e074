"""Memory of whole processes: what they own (anonymous), beside a budget or the size of the data."""

from functools import partial

from octavo.benchmark.bench import Bench
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.measures.batch import write_queries
from octavo.benchmark.processes import ProcessCost, run_python
from octavo.benchmark.timing import Observed

BUDGETS = {"512MiB": 512 << 20, "1GiB": 1 << 30, "2GiB": 2 << 30}


class _Process:
    """A command whose last cost is kept for the report."""

    def __init__(self, *arguments: object) -> None:
        self._arguments = [str(argument) for argument in arguments]
        self._last: ProcessCost | None = None

    def owned(self) -> float:
        """Run it and return the memory it owned at most."""
        self._last = run_python(["-m", "octavo", *self._arguments])
        return float(self._last.owned)

    def facts(self) -> Facts:
        """Return what else the last run took."""
        if self._last is None:
            return {}
        return {"resident bytes": self._last.resident, "seconds": self._last.seconds}


def _build(bench: Bench, *, budget: str) -> Pair:
    process = _Process(
        *("index", bench.collection.path, "--out", bench.directory / "measured", "--overwrite"),
        *("--source", "source", "--timestamp", "time", "--parent", "parent", "--metadata", "tier"),
        *("--embedding", "column:vector", "--memory-budget", budget),
    )
    bytes_ = float(BUDGETS[budget])
    return Pair(Observed(process.owned), Observed(lambda: bytes_), process.facts)


def _search(bench: Bench) -> Pair:
    process = _Process(
        *("batch", bench.corpus.path, write_queries(bench), "--strategy", "hybrid"),
        *("--query-vector", "vector", "--out", bench.directory / "measured.parquet"),
    )
    bytes_ = float(bench.collection.bytes)
    return Pair(Observed(process.owned), Observed(lambda: bytes_), process.facts)


MEASURES = (
    *(
        Measure(
            name=f"memory.build.{budget}",
            what=f"anonymous memory of octavo index --memory-budget {budget}",
            unit=Unit.BYTES,
            baseline="the budget",
            prepare=partial(_build, budget=budget),
            rounds=1,
        )
        for budget in BUDGETS
    ),
    Measure(
        name="memory.search",
        what="anonymous memory of octavo batch --strategy hybrid",
        unit=Unit.BYTES,
        baseline="bytes of texts and vectors",
        prepare=_search,
        rounds=1,
    ),
)
