"""Fresh processes: what importing and the first command cost."""

from collections.abc import Callable

from octavo.benchmark.bench import Bench
from octavo.benchmark.measure import Measure, Pair, Unit
from octavo.benchmark.processes import run_python
from octavo.benchmark.timing import Observed


def _started(arguments: Callable[[Bench], list[str]]) -> Callable[[Bench], Pair]:
    def prepare(bench: Bench) -> Pair:
        words = arguments(bench)
        run_python(words)  # files into memory, kernels into their cache
        return Pair(
            Observed(lambda: run_python(words).seconds),
            Observed(lambda: run_python(["-c", "pass"]).seconds),
        )

    return prepare


def _search(bench: Bench) -> list[str]:
    query = bench.queries.texts[0]
    return ["-m", "octavo", "search", str(bench.corpus.path), query, "--strategy", "keyword"]


def _measure(name: str, what: str, arguments: Callable[[Bench], list[str]]) -> Measure:
    return Measure(
        name=f"start.{name}",
        what=what,
        unit=Unit.CALL,
        baseline="python -c pass",
        prepare=_started(arguments),
        rounds=9,
    )


MEASURES = (
    _measure("import", "python -c 'import octavo'", lambda _: ["-c", "import octavo"]),
    _measure("help", "octavo --help", lambda _: ["-m", "octavo", "--help"]),
    _measure("search", "octavo search INDEX QUERY --strategy keyword", _search),
)
