"""What a run found, as data: saved as JSON, read again to compare and to draw."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from octavo.benchmark.environment import Environment
from octavo.benchmark.measure import Measure
from octavo.benchmark.timing import Rounds
from octavo.errors import CorpusFormatError
from octavo.storage.format.output_file import write_output_file

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One measure's figures.

    Parameters
    ----------
    name, what, unit, baseline
        As in :class:`~octavo.benchmark.measure.Measure`.
    value, best
        Median and smallest figure of the subject.
    baseline_value
        Median of the baseline.
    ratio, noise
        Subject over baseline, the median of the rounds, and its relative deviation in one round.
    rounds
        Number of rounds.
    facts
        What the check found, such as the recall.
    error
        What is wrong with the results; ``None`` where nothing is.
    """

    name: str
    what: str
    unit: str
    baseline: str
    value: float
    best: float
    baseline_value: float
    ratio: float
    noise: float
    rounds: int
    facts: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None

    @property
    def group(self) -> str:
        """What the name begins with."""
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """What one setting of a vector index reaches: recall at 10 and seconds a query, one thread."""

    engine: str
    setting: str
    recall: float
    seconds: float


@dataclass(frozen=True, slots=True)
class PeerNote:
    """What was done with a peer: its settings, or why it was left out."""

    name: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole run.

    Parameters
    ----------
    command
        What was typed, from ``octavo bench`` on.
    suite, collection
        What ran, on which documents.
    documents, dimensions
        The size of the collection.
    seconds
        Wall time.
    environment
        Where.
    results, pareto, peers
        The figures.
    """

    command: str
    suite: str
    collection: str
    documents: int
    dimensions: int
    seconds: float
    environment: Environment
    results: tuple[Result, ...]
    pareto: tuple[ParetoPoint, ...] = ()
    peers: tuple[PeerNote, ...] = ()

    def find(self, name: str) -> Result | None:
        """Return the result of a measure, if it ran."""
        return next((result for result in self.results if result.name == name), None)

    @property
    def errors(self) -> tuple[Result, ...]:
        """The measures whose results are wrong."""
        return tuple(result for result in self.results if result.error is not None)


def result_of(
    measure: Measure, rounds: Rounds, facts: Mapping[str, float], error: str | None = None
) -> Result:
    """Return the figures of a measure."""
    return Result(
        name=measure.name,
        what=measure.what,
        unit=measure.unit.value,
        baseline=measure.baseline,
        value=rounds.value,
        best=min(rounds.subject),
        baseline_value=rounds.baseline_value,
        ratio=rounds.ratio,
        noise=rounds.noise,
        rounds=len(rounds.subject),
        facts=dict(facts),
        error=error,
    )


def write_report(report: Report, path: Path) -> None:
    """Save a report as JSON; the file appears whole."""
    text = json.dumps({"format": FORMAT, **asdict(report)}, indent=1) + "\n"
    write_output_file(path, text.encode())


def read_report(path: Path) -> Report:
    """Read a report that :func:`write_report` saved.

    Raises
    ------
    CorpusFormatError
        The file is no such report, or one of another format.
    OSError
        It cannot be read.
    """
    try:
        saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = saved.pop("format")
        if found != FORMAT:
            raise CorpusFormatError(
                f"{path}: expected a report of format {FORMAT}, found {found!r}"
            )
        saved["environment"] = Environment(**saved["environment"])
        for name, kind in (("results", Result), ("pareto", ParetoPoint), ("peers", PeerNote)):
            saved[name] = tuple(kind(**each) for each in saved[name])
        report = Report(**saved)
        _check(report)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorpusFormatError(
            f"{path}: expected a report of octavo bench --json ({type(error).__name__}: {error})"
        ) from error
    return report


def _check(report: Report) -> None:
    """Refuse figures of another kind than a run writes, so that nothing later trips over them.

    Raises
    ------
    TypeError, ValueError
        Something is of another type, or no finite number.
    """
    texts = [report.command, report.suite, report.collection]
    numbers = [report.documents, report.dimensions, report.seconds]
    for result in report.results:
        texts += [result.name, result.what, result.unit, result.baseline, result.error or ""]
        numbers += [result.value, result.best, result.baseline_value, result.ratio, result.noise]
        numbers += [result.rounds, *dict(result.facts).values()]
    for point in report.pareto:
        texts += [point.engine, point.setting]
        numbers += [point.recall, point.seconds]
    for peer in report.peers:
        texts += [peer.name, peer.note]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"expected text, found {text!r}")
    for number in numbers:
        if not math.isfinite(number) or number < 0:
            raise ValueError(f"expected a finite number of at least 0, found {number!r}")
