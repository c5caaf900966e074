"""Each kernel against what one would write instead, and what it costs to start.

    python benchmarks/kernels.py [--only NAME] [--startup]

A kernel and its alternatives run in turn, in one process and on one thread; the best of many runs
counts, so compare ratios, not times. ``--startup`` measures in processes of their own what
importing, the command line and compiling the kernels take, cold and from the cache.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo import Corpus, HashEmbedding
from octavo.columns.hits import Hits
from octavo.kernels.parent_expansion import expand_to_parents
from octavo.kernels.ranking import rank_positions
from octavo.kernels.temporal_decay import temporal_decay
from octavo.kernels.unit_length import unit_length
from octavo.strategies.fusion import fuse

QUERIES, DEPTH, LIMIT = 256, 100, 10
DAY = 86_400_000_000
HALF_LIFE = 30 * 86_400.0
FLOOR = 0.8


@dataclass(frozen=True)
class Case:
    """A kernel on some data, and the same by other means; ``amount`` items of ``unit`` each."""

    name: str
    unit: str
    amount: int
    kernel: Callable[[], object]
    others: dict[str, Callable[[], object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="Cases whose name holds this text.")
    parser.add_argument("--startup", action="store_true")
    options = parser.parse_args()
    if options.startup:
        startup()
        return
    print("| kernel | a unit | per unit | rate | alternative | per unit | ratio |")
    print("|---|---|--:|--:|---|--:|--:|")
    for case in cases():
        if options.only in case.name:
            report(case)


def report(case: Case) -> None:
    best = in_turn([case.kernel, *case.others.values()])
    own = best[0] / case.amount
    for name, seconds in zip(case.others, best[1:], strict=True):
        other = seconds / case.amount
        print(
            f"| {case.name} | {case.unit} | {shown(own)} | {1 / own:,.0f}/s | {name} "
            f"| {shown(other)} | {other / own:.1f} |",
            flush=True,
        )


def in_turn(calls: list[Callable[[], object]], seconds: float = 2.0) -> list[float]:
    """Return the shortest run of each call, all called in turn until the time is over."""
    best = [float("inf")] * len(calls)
    for call in calls:
        call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or best[-1] == float("inf"):
        for number, call in enumerate(calls):
            started = time.perf_counter()
            call()
            best[number] = min(best[number], time.perf_counter() - started)
    return best


def shown(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} us" if seconds >= 1e-6 else f"{seconds * 1e9:.1f} ns"


def cases() -> Iterator[Case]:
    random = np.random.default_rng(1)
    for share, spread in (("a third", 3), ("few", 30), ("all", 1)):
        yield fusion(random, share, spread)
    yield ranking(random)
    yield decay(random)
    yield expansion(random)
    yield hashing(random)
    yield lengths(random)
    yield materialising(random)


def fusion(random: np.random.Generator, share: str, spread: int) -> Case:
    def stream() -> Hits:
        rows = [random.permutation(spread * DEPTH)[:DEPTH] * 1237 for _ in range(QUERIES)]
        scores = np.tile(np.linspace(1.0, 0.0, DEPTH), QUERIES)
        return Hits(np.arange(QUERIES + 1) * DEPTH, np.concatenate(rows), scores)

    streams = {"keyword": stream(), "vector": stream()}
    arrays = [np.split(hits.rows, QUERIES) for hits in streams.values()]
    lists = [[rows.tolist() for rows in query] for query in zip(*arrays, strict=True)]
    terms = 61 / (60 + np.arange(1, DEPTH + 1))

    def with_dictionaries() -> None:
        for ranked in lists:
            scores: dict[int, float] = {}
            for rows in ranked:
                for rank, row in enumerate(rows, 1):
                    scores[row] = scores.get(row, 0.0) + 61 / (60 + rank)
            sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:LIMIT]

    def with_numpy() -> None:
        for first, second in zip(*arrays, strict=True):
            rows, where = np.unique(np.concatenate((first, second)), return_inverse=True)
            scores = np.bincount(where, np.concatenate((terms, terms)))
            np.lexsort((rows, -scores))[:LIMIT]

    return Case(
        f"fusion, two lists of {DEPTH} to {LIMIT}, {share} in both",
        "query",
        QUERIES,
        lambda: fuse(streams, limit=LIMIT),
        {"Python dictionary": with_dictionaries, "numpy": with_numpy},
    )


def ranking(random: np.random.Generator) -> Case:
    count = 1000
    scores = random.random(QUERIES * count)
    rows = random.integers(0, 10**6, QUERIES * count)
    offsets = np.arange(QUERIES + 1) * count
    tables = [
        pa.table({"score": part, "row": own})
        for part, own in zip(np.split(scores, QUERIES), np.split(rows, QUERIES), strict=True)
    ]
    order = [("score", "descending"), ("row", "ascending")]

    def with_numpy() -> None:
        for part in np.split(scores, QUERIES):
            best = np.argpartition(part, -LIMIT)[-LIMIT:]
            best[np.argsort(-part[best])]  # ties are not settled

    def with_pyarrow() -> None:
        for table in tables:
            pc.select_k_unstable(table, LIMIT, order)

    return Case(
        f"top {LIMIT} of {count}",
        "query",
        QUERIES,
        lambda: rank_positions(offsets, rows, scores, LIMIT),
        {"numpy argpartition": with_numpy, "pyarrow select_k": with_pyarrow},
    )


def decay(random: np.random.Generator) -> Case:
    count = QUERIES * DEPTH
    scores, ticks = random.random(count), random.integers(0, 400 * DAY, count)
    present = random.random(count) < 0.9
    now = 400 * DAY

    def with_numpy() -> NDArray[np.float64]:
        ages = np.maximum(0, now - ticks) / 1e6
        weights = FLOOR + (1 - FLOOR) * np.exp2(-ages / HALF_LIFE)
        weights = np.where(present, weights, FLOOR)
        decayed: NDArray[np.float64] = scores * np.where(scores >= 0, weights, 1 + FLOOR - weights)
        return decayed

    def with_python() -> list[float]:
        found = []
        for score, tick, dated in zip(*columns, strict=True):
            age = max(0, now - tick) / 1e6
            weight = FLOOR + (1 - FLOOR) * 2 ** (-age / HALF_LIFE) if dated else FLOOR
            found.append(score * (weight if score >= 0 else 1 + FLOOR - weight))
        return found

    columns = (scores.tolist(), ticks.tolist(), present.tolist())
    return Case(
        "temporal decay",
        "hit",
        count,
        lambda: temporal_decay(scores, ticks, present, now=now, half_life=HALF_LIFE, floor=FLOOR),
        {"numpy": with_numpy, "Python": with_python},
    )


def expansion(random: np.random.Generator) -> Case:
    nodes = 1_000_000
    parents = np.arange(nodes) // 10 - 1  # a tree in which every node has ten children
    rows = random.integers(0, nodes, QUERIES * DEPTH)
    scores = np.tile(np.linspace(1.0, 0.1, DEPTH), QUERIES)
    offsets = np.arange(QUERIES + 1) * DEPTH
    above, hits = parents.tolist(), list(zip(rows.tolist(), scores.tolist(), strict=True))

    def with_dictionaries() -> None:
        for start in range(0, len(hits), DEPTH):
            best: dict[int, float] = {}
            for hit, relevance in hits[start : start + DEPTH]:
                row, score = hit, relevance
                for _ in range(4):
                    best[row] = max(score, best.get(row, score))
                    row, score = above[row], score * 0.85
                    if row < 0:
                        break
            sorted(best.items(), key=lambda each: (-each[1], each[0]))[:LIMIT]

    return Case(
        f"parent expansion, {DEPTH} hits and 3 levels to {LIMIT}",
        "query",
        QUERIES,
        lambda: expand_to_parents(
            offsets, rows, scores, parents, max_depth=3, decay=0.85, limit=LIMIT
        ),
        {"Python dictionary": with_dictionaries},
    )


def hashing(random: np.random.Generator) -> Case:
    count = 8192
    words = np.array([f"word{number:x}" for number in range(20_000)])
    texts = [" ".join(random.choice(words, 9)) for _ in range(count)]
    embedding = HashEmbedding()
    analyzed = embedding.analyzer.analyze_batch(pa.array(texts))

    def with_python() -> None:  # a plain bag of hashed words, an eighth of the texts
        for text in texts[: count // 8]:
            vector = [0.0] * 128
            for word in text.split():
                state = 0xCBF29CE484222325
                for byte in word.encode():
                    state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
                vector[state % 128] += 1.0
            length = sum(value * value for value in vector) ** 0.5
            [value / length for value in vector]

    kernel = in_turn([lambda: embedding.embed_analyzed(analyzed)])[0]
    whole = in_turn([lambda: embedding.embed_batch(pa.array(texts))])[0]
    print(
        f"| analysing and hash embedding | text of 9 words | {shown(whole / count)} "
        f"| {count / whole:,.0f}/s | the kernel alone | {shown(kernel / count)} "
        f"| {kernel / whole:.2f} |"
    )
    return Case(
        "hash embedding of analysed text, an eighth",
        "text of 9 words",
        count // 8,
        lambda: embedding.embed_analyzed(analyzed[: count // 8]),
        {"Python, one slot a word": with_python},
    )


def lengths(random: np.random.Generator) -> Case:
    count = 10_000
    vectors = random.standard_normal((count, 128), np.float32)

    def with_numpy() -> None:
        norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)

    return Case(
        "unit length, 128 dimensions",
        "vector",
        count,
        lambda: unit_length(vectors),
        {"numpy in float64": with_numpy},
    )


def materialising(random: np.random.Generator) -> Case:
    count = 1_000_000
    ids = np.char.add("d", np.arange(count).astype(str))
    texts = np.char.add("a line of text as long as descriptions of software are, number ", ids)
    table = pa.table(
        {"id": ids, "text": texts, "tier": np.where(np.arange(count) % 3, "rest", "top")}
    )
    scratch = tempfile.TemporaryDirectory()
    index = Corpus.build(
        table, Path(scratch.name) / "index", metadata=["tier"], embedding="none"
    ).keyword_index
    asked = random.integers(0, count, (1000, 10))
    batches = table.to_batches(max_chunksize=65_536)
    chunked = pa.Table.from_batches(batches)

    def documents() -> None:
        assert scratch
        for rows in asked:
            index.documents(rows)

    def with_pyarrow() -> None:  # a twentieth of the calls
        for rows in asked[::20]:
            chunked.take(rows).to_pylist()

    seconds = in_turn([documents, with_pyarrow])
    print(
        f"| 10 documents of 1,000,000 | call | {shown(seconds[0] / 1000)} "
        f"| {1000 / seconds[0]:,.0f}/s | pyarrow Table.take | {shown(seconds[1] / 50)} "
        f"| {seconds[1] * 20 / seconds[0]:.1f} |"
    )
    plain = texts.tolist()
    return Case(
        "10 documents of 1,000,000",
        "call",
        1000,
        documents,
        {"a list of texts in memory": lambda: [[plain[row] for row in rows] for rows in asked]},
    )


def startup() -> None:
    """Measure what starting costs; each command runs several times, the shortest counts."""
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch) / "kernels"
        index = str(Path(scratch) / "index")
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        build = "import octavo, sys, pyarrow as pa; octavo.Corpus.build(pa.table("
        build += "{'id': ['a', 'b'], 'text': ['red fox', 'blue whale']}), sys.argv[1],"
        build += " embedding='hash')"
        command = ("-m", "octavo", "search", index, "red fox")
        all_kernels = (
            "import pkgutil, importlib, octavo.kernels as k\n"
            "from octavo.kernels.compile import Kernel\n"
            "for m in pkgutil.iter_modules(k.__path__):\n"
            "    for v in vars(importlib.import_module('octavo.kernels.' + m.name)).values():\n"
            "        isinstance(v, Kernel) and v.compiled()\n"
        )

        def seconds(*arguments: str, runs: int = 5) -> float:
            best = float("inf")
            for _ in range(runs):
                started = time.perf_counter()
                subprocess.run(
                    [sys.executable, *arguments],
                    env=environment, check=True, stdout=subprocess.DEVNULL,
                )  # fmt: skip
                best = min(best, time.perf_counter() - started)
            return best

        empty = seconds("-c", "pass")
        print("| what | seconds |\n|---|--:|")
        print(f"| Python itself | {empty:.3f} |")
        print(f"| import octavo, above that | {seconds('-c', 'import octavo') - empty:.3f} |")
        print(f"| octavo --help | {seconds('-m', 'octavo', '--help'):.3f} |")
        print(
            f"| a first build, kernels not compiled | {seconds('-c', build, index, runs=1):.3f} |"
        )
        print(f"| a first octavo search after it | {seconds(*command, runs=1):.3f} |")
        print(f"| octavo search | {seconds(*command):.3f} |")
        print(
            f"| octavo search --strategy hybrid | {seconds(*command, '--strategy', 'hybrid'):.3f} |"
        )
        print(f"| all other kernels, not compiled | {seconds('-c', all_kernels, runs=1):.3f} |")
        print(f"| all kernels from the cache | {seconds('-c', all_kernels):.3f} |", flush=True)


if __name__ == "__main__":
    main()
