"""Index and search more than memory shall hold: generated documents with vectors of 128 dimensions.

Each step is a process of its own, and the memory that it owns (anonymous; mapped file pages can be
taken back) is read while it runs. Searches are timed one by one and in batches, warm, all sizes in
turn in one process. The recall of the vector stream is taken against an exact scan of all vectors
in the file.

    python benchmarks/larger_than_memory.py --directory /tmp/large --documents 1000000 10000000
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from octavo.benchmark.bench import COLUMNS
from octavo.benchmark.processes import run_python
from octavo.benchmark.synthetic import SyntheticCorpus
from octavo.benchmark.truth import unit
from octavo.corpus import Corpus
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.queries import Queries

_DEPTH = 10
_BATCH = 256
_OPENINGS = 20
_SEARCHES = {
    "keyword": ("keyword", {}),
    "vector": ("vector", {}),
    "hybrid": ("hybrid", {}),
    "hybrid, 10 % admitted": ("hybrid", {"tier": "tenth"}),
    "hybrid, 0.1 % admitted": ("hybrid", {"tier": "thousandth"}),
}

Result = dict[str, float]


@dataclass(frozen=True)
class _Arguments:
    """What one step is told."""

    directory: Path
    documents: int
    budget: str

    @property
    def index(self) -> Path:
        return self.directory / str(self.documents)

    @property
    def corpus(self) -> SyntheticCorpus:
        return SyntheticCorpus(self.documents)


def _build(arguments: _Arguments) -> Result:
    """Generate and index the documents, stage by stage."""
    stages: list[tuple[str, float]] = []

    def progress(event: Any) -> None:
        stage = getattr(event, "stage", None)
        if stage is not None and (not stages or stages[-1][0] != stage):
            stages.append((stage, time.perf_counter()))
            print(f"  {time.strftime('%X')} {stage}", file=sys.stderr, flush=True)

    corpus = arguments.corpus
    started = time.perf_counter()
    Corpus.build(
        pa.RecordBatchReader.from_batches(corpus.schema, corpus.batches()),
        arguments.index,
        overwrite=True,
        memory_budget=arguments.budget,
        progress=progress,
        **COLUMNS,
    )
    ended = time.perf_counter()
    files = sum(file.stat().st_size for file in arguments.index.rglob("*") if file.is_file())
    result = {"build, s": ended - started, "index, GiB": files / 2**30}
    for (stage, at), after in zip(stages, [*(at for _, at in stages[1:]), ended], strict=True):
        result[f"  {stage}, s"] = result.get(f"  {stage}, s", 0.0) + after - at
    return result


def _open(arguments: _Arguments) -> Result:
    """Open the index, and again."""
    Corpus.open(arguments.index)  # imports what it needs
    seconds = []
    for _ in range(_OPENINGS):
        started = time.perf_counter()
        Corpus.open(arguments.index)
        seconds.append(time.perf_counter() - started)
    return {"open, ms": 1e3 * median(seconds)}


def _search(arguments: _Arguments) -> Result:
    """Search in every way that is timed, for the memory it takes; time the very first queries."""
    corpus = Corpus.open(arguments.index)
    queries = _queries(arguments, 4 * _BATCH)
    result: Result = {}
    for name, (strategy, filters) in _SEARCHES.items():
        chosen, context = corpus.strategy(strategy), RAGContext(_DEPTH, 0.0, filters)
        result[f"{name}, first query, ms"] = 1e3 * _seconds(chosen, queries[:1], context)
        for size in (1, _BATCH):
            for piece in _pieces(queries, size):
                chosen.rank(piece, context)
    return result


def _times(all_arguments: list[_Arguments]) -> dict[int, Result]:
    """Time every size in turn in one process, so that their ratios hold on a busy machine."""
    results: dict[int, Result] = {arguments.documents: {} for arguments in all_arguments}
    corpora = {arguments.documents: Corpus.open(arguments.index) for arguments in all_arguments}
    queries = _queries(all_arguments[0], 5 * _BATCH)
    for name, (strategy, filters) in _SEARCHES.items():
        context = RAGContext(_DEPTH, 0.0, filters)
        chosen = {size: corpus.strategy(strategy) for size, corpus in corpora.items()}
        warm, alone, batches = queries[:_BATCH], queries[_BATCH : 2 * _BATCH], queries[_BATCH:]
        for each in chosen.values():
            for piece in (warm, *_pieces(alone, 1), *_pieces(batches, _BATCH)):
                each.rank(piece, context)
        for what, asked, block in (
            ("one query", alone, 1),
            (f"in a batch of {_BATCH}", batches, _BATCH),
        ):
            seconds: dict[int, list[float]] = {size: [] for size in chosen}
            for piece in _pieces(asked, block):
                for size, each in chosen.items():
                    seconds[size].append(_seconds(each, piece, context) / block)
            for size, measured in seconds.items():
                results[size][f"{name}, {what}, ms"] = 1e3 * median(measured)
    return results


def _recall(arguments: _Arguments) -> Result:
    """Compare the vector stream with an exact scan, by blocks of the vectors in the file."""
    corpus = Corpus.open(arguments.index)
    queries = _queries(arguments, 5 * _BATCH)[4 * _BATCH :]
    found = corpus.strategy("vector").rank(queries, RAGContext(_DEPTH))
    hits = np.split(found.hits.rows, found.hits.offsets[1:-1])
    (file,) = arguments.index.glob("segments/*/vectors.npy")
    vectors = np.load(file, mmap_mode="r")
    asked = unit(queries.vectors)
    best = np.full((len(asked), _DEPTH), -np.inf, np.float32)
    for start in range(0, len(vectors), 1 << 16):
        scores = asked @ vectors[start : start + (1 << 16)].T
        both = np.concatenate([best, np.partition(scores, -_DEPTH, axis=1)[:, -_DEPTH:]], axis=1)
        best = np.partition(both, -_DEPTH, axis=1)[:, -_DEPTH:]
    # A found row counts if it is as near as the tenth nearest, up to rounding.
    shares = [
        np.count_nonzero(vectors[np.sort(rows)] @ query >= nearest.min() - 1e-6) / _DEPTH
        for rows, query, nearest in zip(hits, asked, best, strict=True)
    ]
    return {f"recall at {_DEPTH} of the vector stream": float(np.mean(shares))}


_STEPS: dict[str, Callable[[_Arguments], Result]] = {
    "build": _build,
    "open": _open,
    "search": _search,
    "recall": _recall,
}


def _pieces(queries: Queries, size: int) -> Iterator[Queries]:
    return (queries[at : at + size] for at in range(0, len(queries), size))


def _queries(arguments: _Arguments, number: int) -> Queries:
    drawn = arguments.corpus.queries(number)
    return Queries(drawn.texts, drawn.vectors)


def _seconds(strategy: ColumnarStrategy, queries: Queries, context: RAGContext) -> float:
    started = time.perf_counter()
    strategy.rank(queries, context)
    return time.perf_counter() - started


def _in_process(step: str, arguments: _Arguments) -> Result:
    """Run one step as a process; adds the anonymous memory that it owned at most."""
    out = arguments.index.with_suffix(f".{step}.json")
    cost = run_python(
        [
            *(__file__, "--step", step, "--out", str(out), "--budget", arguments.budget),
            *("--directory", str(arguments.directory), "--documents", str(arguments.documents)),
        ]
    )
    result: Result = json.loads(out.read_text())
    out.unlink()
    if step in ("build", "search"):
        result[f"{step}, anonymous GiB"] = cost.owned / 2**30
    return result


def _table(results: dict[int, Result]) -> str:
    """Return the results side by side, the last size beside the first."""
    sizes = list(results)
    heads = ["", *(f"{size:,}" for size in sizes), *(["growth"] if len(sizes) > 1 else [])]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for name in results[sizes[-1]]:
        values = [results[size].get(name, float("nan")) for size in sizes]
        line = [name, *(f"{value:.3g}" for value in values)]
        if len(sizes) > 1:
            line.append(f"{values[-1] / values[0]:.2f}")
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--budget", default="4GiB", help="memory budget of the build")
    parser.add_argument(
        "--steps", nargs="+", choices=[*_STEPS, "times"], default=[*_STEPS, "times"]
    )
    parser.add_argument("--keep", action="store_true", help="leave the indexes there")
    parser.add_argument("--step", choices=_STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    told.directory.mkdir(parents=True, exist_ok=True)
    sizes = [_Arguments(told.directory, each, told.budget) for each in told.documents]
    if told.step:
        told.out.write_text(json.dumps(_STEPS[told.step](sizes[0])))
        return
    results: dict[int, Result] = {each.documents: {} for each in sizes}
    for each in sizes:
        for step in told.steps:
            if step in _STEPS:
                results[each.documents] |= _in_process(step, each)
                print(each.documents, step, "done", file=sys.stderr, flush=True)
    if "times" in told.steps:
        for documents, result in _times(sizes).items():
            results[documents] |= result
    print(_table(results))
    if not told.keep:
        for each in sizes:
            shutil.rmtree(each.index)


if __name__ == "__main__":
    main()
