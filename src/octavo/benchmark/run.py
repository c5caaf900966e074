"""Running a suite: documents, measures, peers, points; one report."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

from octavo.benchmark.bench import Bench
from octavo.benchmark.checks import IncorrectResultError
from octavo.benchmark.collection import Collection, from_parquet, generated
from octavo.benchmark.environment import this_environment
from octavo.benchmark.measure import Group, Measure
from octavo.benchmark.measures.peer import BuiltPeer, measure_names
from octavo.benchmark.pareto import pareto_points, search_point
from octavo.benchmark.peers import PEERS
from octavo.benchmark.peers.peer import Peer, Stream
from octavo.benchmark.registry import measures
from octavo.benchmark.report import ParetoPoint, PeerNote, Report, Result, result_of
from octavo.benchmark.scale import LONGEST_GROWTH, SCALES, Scale, Suite
from octavo.benchmark.synthetic import SyntheticCorpus
from octavo.benchmark.timing import Budget, interleaved
from octavo.errors import InvalidArgumentError

Say = Callable[[str], None]

PARETO = "pareto"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest:
    """What to measure.

    Parameters
    ----------
    suite
        How much.
    documents
        Another number of generated documents than the suite's.
    dimensions, seed
        Of the generated documents.
    corpus, text
        A parquet file of real documents instead, and its text column.
    peers
        Whether to measure other libraries too, those that are installed.
    long
        Whether growth goes on to ten million documents.
    only
        Patterns of names, such as ``engine.*``; unset, everything.
    command
        What was typed, for the report.
    """

    suite: Suite = Suite.QUICK
    documents: int | None = None
    dimensions: int = 128
    seed: int = 0
    corpus: Path | None = None
    text: str = "text"
    peers: bool = False
    long: bool = False
    only: tuple[str, ...] = ()
    command: str = "octavo bench"


def run_bench(request: BenchRequest, say: Say = lambda _: None) -> Report:
    """Run a suite in a temporary directory and return what it found.

    Wrong results do not stop it: they stand in the report as errors.

    Raises
    ------
    InvalidArgumentError
        No measure fits ``only``, or the corpus has no such column.
    """
    started = time.perf_counter()
    scale = _scale(request)
    chosen = [measure for measure in measures(scale.growth) if _fits(request, measure.name)]
    wants_points = _fits(request, PARETO)
    wants_peers = request.peers and any(_wants_peer(request, peer.name) for peer in PEERS)
    if not chosen and not wants_peers and not wants_points:
        raise InvalidArgumentError(_no_fit(request, scale))
    with TemporaryDirectory(prefix="octavo-bench-") as name:
        directory = Path(name)
        collection = _collection(request, scale, directory, say)
        bench = Bench(collection, directory, scale)
        results = list(_results(bench, chosen, say))
        points: list[ParetoPoint] = []
        if wants_points:
            say("pareto: recall against latency")
            points += pareto_points(bench)
        notes: list[PeerNote] = []
        if request.peers:
            for peer in (each for each in PEERS if _wants_peer(request, each.name)):
                note, more, reached = _with_peer(bench, peer, request, say)
                notes.append(note)
                results += more
                points += reached
        return Report(
            command=request.command,
            suite=request.suite.value,
            collection=collection.name,
            documents=collection.documents,
            dimensions=collection.dimensions,
            seconds=time.perf_counter() - started,
            environment=this_environment(),
            results=tuple(results),
            pareto=tuple(points),
            peers=tuple(notes),
        )


def _fits(request: BenchRequest, name: str) -> bool:
    return not request.only or any(fnmatch(name, pattern) for pattern in request.only)


def _no_fit(request: BenchRequest, scale: Scale) -> str:
    names = [measure.name for measure in measures(scale.growth)]
    names += [PARETO] if not request.peers else [PARETO, *(f"peer.{peer.name}.*" for peer in PEERS)]
    return f"--only: no measure fits {', '.join(request.only)}; there are {', '.join(names)}"


def _wants_peer(request: BenchRequest, name: str) -> bool:
    return any(_fits(request, measure) for measure in measure_names(name))


def _scale(request: BenchRequest) -> Scale:
    scale = SCALES[request.suite]
    if request.corpus is not None:
        return replace(scale, growth=())
    growth = scale.growth
    if request.documents is not None:
        scale = replace(scale, documents=request.documents)
        growth = tuple(size for size in growth if size <= request.documents)
    if request.long:
        growth = (*growth, LONGEST_GROWTH)
    return replace(scale, growth=growth)


def _collection(request: BenchRequest, scale: Scale, directory: Path, say: Say) -> Collection:
    number = max(scale.batch, scale.block) + scale.checked  # the last are held back for tuning
    if request.corpus is not None:
        say(f"reading {request.corpus}")
        return from_parquet(request.corpus, request.text, directory, number)
    say(f"generating {scale.documents:,} documents")
    corpus = SyntheticCorpus(scale.documents, request.dimensions, request.seed)
    return generated(corpus, directory, number)


def _results(bench: Bench, chosen: Iterable[Measure], say: Say) -> Iterator[Result]:
    group: Group | None = None
    for measure in chosen:
        if measure.group is not group:
            group = measure.group
            say(f"{group}: measuring")
        yield run_measure(bench, measure)


def run_measure(bench: Bench, measure: Measure) -> Result:
    """Measure in rounds, then check the results; what is wrong stands in the result."""
    pair = measure.prepare(bench)
    budget = Budget(bench.scale.seconds, measure.rounds)
    rounds = interleaved(pair.subject, pair.baseline, budget)
    try:
        facts, error = pair.check(), None
    except IncorrectResultError as wrong:
        facts, error = {}, str(wrong)
    return result_of(measure, rounds, facts, error)


def _with_peer(
    bench: Bench, kind: type[Peer], request: BenchRequest, say: Say
) -> tuple[PeerNote, list[Result], list[ParetoPoint]]:
    name = kind.name
    say(f"peer {name}: building and measuring")
    try:
        built = BuiltPeer(kind(), bench)
    except ImportError as missing:
        say(f"peer {name}: {missing}")
        needed = f"pip install -r benchmarks/peers/{name}.txt"
        return PeerNote(name, f"not installed: {needed}"), [], []
    chosen = [measure for measure in built.measures() if _fits(request, measure.name)]
    results = [run_measure(bench, measure) for measure in chosen]
    points = [
        search_point(bench, name, built.settings, search)
        for stream, search in built.searches.items()
        if stream is Stream.VECTOR and _fits(request, PARETO)
    ]
    return PeerNote(name, built.settings), results, points
