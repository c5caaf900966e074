"""The targets of the project, each tied to the figure that decides it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from octavo.benchmark.report import Report, Result


class Figure(StrEnum):
    """Which figure of a result a target bounds, and how it reads."""

    RATIO = "ratio"
    VALUE = "value"
    RECALL = "recall"

    def of(self, result: Result) -> float | None:
        """Return the figure; ``None`` where the result does not have it."""
        if self is Figure.RECALL:
            return result.facts.get("recall")
        return result.ratio if self is Figure.RATIO else result.value


@dataclass(frozen=True, slots=True)
class Target:
    """A bound on one figure of one measure.

    Parameters
    ----------
    what
        The promise, in words.
    measure
        The name of the measure.
    figure
        What is bounded: the ratio or the value from above, recall from below.
    bound
        The bound.
    options
        What to add to ``octavo bench --suite full`` to measure it.
    limit
        What stands in the way, shown where it is missed.
    documents
        What the promise is about; a run on fewer decides nothing.
    """

    what: str
    measure: str
    figure: Figure
    bound: float
    options: str = ""
    limit: str = ""
    documents: int = 0

    def met(self, found: float) -> bool:
        """Whether a figure keeps the promise."""
        return found >= self.bound if self.figure is Figure.RECALL else found <= self.bound


_CORPUS = "--corpus CORPUS.parquet"
_MS, _US = 1e-3, 1e-6
_MILLION = 1_000_000

TARGETS = (
    Target(
        "keyword query, k = 10: at most 0.4x of tantivy-py's own full search",
        "engine.keyword.k10",
        Figure.RATIO,
        0.4,
        _CORPUS,
    ),
    Target(
        "hybrid: at most 1.15x of the bare engine calls it makes",
        "strategy.hybrid",
        Figure.RATIO,
        1.15,
    ),
    Target(
        "hybrid's vector stream: recall at 10 of at least 0.95",
        "engine.vector.tuned",
        Figure.RECALL,
        0.95,
    ),
    Target(
        "hybrid: at least 8x faster than LanceDB's",
        "peer.lancedb.hybrid.single",
        Figure.RATIO,
        1 / 8,
        f"--peers {_CORPUS}",
        "one query at a time, hash vectors hardly group: most codes must be compared, on one core where "
        "LanceDB uses all; in a batch it is met",
    ),
    Target(
        "hybrid batch on 2 cores: at least 1.7x the rate of one thread",
        "batch.hybrid",
        Figure.RATIO,
        1 / 1.7,
    ),
    Target(
        "exact vector batch of 256: at least 8x faster than IndexFlatIP with FAISS's defaults",
        "engine.vector.exact",
        Figure.RATIO,
        1 / 8,
    ),
    *(
        Target(
            f"filtered vector search, {share}: recall at 10 of at least 0.95",
            f"engine.vector.filtered.{tier}",
            Figure.RECALL,
            0.95,
        )
        for tier, share in (
            ("half", "50 %"),
            ("tenth", "10 %"),
            ("hundredth", "1 %"),
            ("thousandth", "0.1 %"),
        )
    ),
    Target(
        "index build: at least 3x faster than LanceDB",
        "peer.lancedb.build",
        Figure.RATIO,
        1 / 3,
        f"--peers {_CORPUS}",
        "half of the time builds and tunes inverted lists, which hash vectors that octavo makes itself "
        "go without",
    ),
    Target(
        "index build: memory within a budget of 1 GiB",
        "memory.build.1GiB",
        Figure.RATIO,
        1.0,
    ),
    Target(
        "from 1 to 10 million documents: a hybrid query costs at most 4x",
        "growth.hybrid.10000000",
        Figure.RATIO,
        4.0,
        "--long",
    ),
    Target(
        "fusion of two lists of 100: at most 3 µs a query", "micro.fusion", Figure.VALUE, 3 * _US
    ),
    Target(
        "fusion of two lists of 100: at least 20x faster than a Python dict",
        "micro.fusion",
        Figure.RATIO,
        1 / 20,
    ),
    Target(
        "hash embedding: at least 600,000 short documents/s on one thread",
        "micro.hash-embedding",
        Figure.VALUE,
        1 / 600_000,
    ),
    Target(
        "10 documents materialised from 1 million: at most 30 µs",
        "storage.materialise",
        Figure.VALUE,
        30 * _US,
        limit="three texts and two keys at ten random rows: half a microsecond of Python each, and "
        "misses of the processor's caches",
        documents=_MILLION,
    ),
    Target(
        "opening an index of 1 million documents: at most 50 ms",
        "storage.open",
        Figure.VALUE,
        50 * _MS,
        documents=_MILLION,
    ),
    Target("import octavo: at most 0.15 s", "start.import", Figure.VALUE, 0.15),
    Target("octavo --help: at most 0.3 s", "start.help", Figure.VALUE, 0.3),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A target beside what was measured; ``result`` and ``found`` are ``None`` where it was not."""

    target: Target
    result: Result | None
    found: float | None
    report: Report | None

    @property
    def met(self) -> bool | None:
        """Whether it is met; ``None`` where it was not measured."""
        return None if self.found is None else self.target.met(self.found)


def verdicts(reports: Sequence[Report]) -> tuple[Verdict, ...]:
    """Return what the reports say of each target; the later report decides where two have it.

    A target that names a corpus is decided by a report on one, where there is such a report; one
    that names a number of documents, only by a report on at least so many.
    """
    return tuple(_verdict(target, reports) for target in TARGETS)


def _verdict(target: Target, reports: Sequence[Report]) -> Verdict:
    large = [report for report in reports if report.documents >= target.documents]
    real = [report for report in large if "--corpus" in report.command]
    made = [report for report in large if report not in real]
    ordered = [*made, *real] if _CORPUS in target.options else [*real, *made]
    for report in reversed(ordered):
        result = report.find(target.measure)
        found = None if result is None else target.figure.of(result)
        if found is not None:
            return Verdict(target, result, found, report)
    return Verdict(target, None, None, None)
