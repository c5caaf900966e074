"""Approximate against exact vector search: recall, time and memory, with and without filters.

Run with ``python benchmarks/approximate_search.py CORPUS.parquet [--rows N] [--graph] [--codecs]
[--json OUT]``. A column ``vector`` is used as it is, and rows left out of the index are the queries;
without one the column ``text`` is hashed into 128 slots, and two to six words of its rows are the
queries. Everything runs in one process on one thread, exact and approximate in turn, so compare
ratios. Recall is at 10, against the exact search.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
import pyarrow.parquet as pq

from octavo.columns.selection import Selection
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.approximate import ApproximateVectorIndex, Structure
from octavo.engines.vector.inverted_lists import InvertedLists
from octavo.engines.vector.list_building import build_lists, train_centroids
from octavo.engines.vector.neighbour_graph import NeighbourGraph, build_graph
from octavo.engines.vector.nomination import one_thread
from octavo.engines.vector.sample import Sample, mean_recall, true_rows
from octavo.engines.vector.tuning import tune
from octavo.kernels.unit_length import unit_length

QUERIES = 256
SINGLES = 40
TARGETS = (0.8, 0.9, 0.95, 0.99)
SHARES = (0.5, 0.1, 0.01, 0.001)


def anonymous_memory() -> float:
    """Return the anonymous memory of this process in MB; NaN where the system does not tell."""
    try:
        with Path("/proc/self/status").open(encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1e3
    except (OSError, StopIteration):
        return math.nan


def load(path: str, rows: int | None) -> tuple[np.ndarray, list[Sample], np.ndarray]:
    """Return vectors, samples to tune on, and other queries to measure with."""
    table = pq.read_table(path)
    table = table.slice(0, rows) if rows else table
    generator = np.random.default_rng(3)
    if "vector" in table.column_names:
        column = table["vector"].combine_chunks()
        every = unit_length(column.flatten().to_numpy().reshape(len(column), -1).astype(np.float32))
        order = generator.permutation(len(every))
        vectors = every[np.sort(order[QUERIES:])]
        own = generator.permutation(len(vectors))[:512]
        return vectors, [Sample("documents", vectors[own], own)], every[order[:QUERIES]]
    embedding = HashEmbedding()
    texts = table["text"].to_pylist()
    vectors = np.concatenate(
        [
            embedding.embed_batch(texts[start : start + 50_000])
            for start in range(0, len(texts), 50_000)
        ]
    )
    words = random.Random(4)
    asked: list[str] = []
    while len(asked) < 512 + QUERIES:
        content = words.choice(texts).split()
        if len(content) >= 2:
            asked.append(" ".join(words.sample(content, min(len(content), words.randint(2, 6)))))
    queries = unit_length(embedding.embed_batch(asked))
    own = generator.permutation(len(vectors))[:512]
    samples = [
        Sample("documents", vectors[own], own),
        Sample("texts", queries[:512], np.full(512, -1)),
    ]
    return vectors, samples, queries[512:]


def best(work: Callable[[], object], runs: int = 2) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measured(index, flat, queries, selection=None) -> dict[str, object]:
    """Compare one index with the exact search."""
    asked = Sample("queries", queries, np.full(len(queries), -1))
    truth, _ = flat.search(queries, 10, selection)
    found, report = index.search(queries, 10, selection)
    rows = [np.full((len(asked), 10), -1, np.int64) for _ in range(2)]
    for lines, hits in zip(rows, (found, truth), strict=True):
        lines[hits.query_of(), hits.ranks() - 1] = hits.rows
    singles = range(SINGLES)
    return {
        "recall": round(float(mean_recall(*rows).mean()), 4),
        "batch_ms": 1e3 * best(lambda: index.search(queries, 10, selection)) / len(queries),
        "exact_batch_ms": 1e3 * best(lambda: flat.search(queries, 10, selection)) / len(queries),
        "single_ms": 1e3
        * best(lambda: [index.search(queries[i : i + 1], 10, selection) for i in singles], 1)
        / SINGLES,
        "exact_single_ms": 1e3
        * best(lambda: [flat.search(queries[i : i + 1], 10, selection) for i in singles[:10]], 1)
        / 10,
        "plans": dict(report.plans),
        "counters": {name: count // len(queries) for name, count in report.counters.items()},
    }


def show(name: str, line: dict[str, object]) -> None:
    """Print one line of the table."""
    times = ("batch_ms", "exact_batch_ms", "single_ms", "exact_single_ms")
    figures = "".join(f"{line[each]:10.3f}" for each in times)
    print(f"{name:<34}{line['recall']:8.3f}{figures}   {', '.join(line['plans'])}", flush=True)


def filters(index, flat, vectors, queries, assigned, results) -> None:
    """Measure filters that admit rows at random, whole lists, and what is far from the queries."""
    generator = np.random.default_rng(5)
    order = generator.permutation(int(assigned.max()) + 1)
    far = vectors @ queries.mean(axis=0)
    for share in SHARES:
        masks = {
            "random rows": generator.random(len(vectors)) < share,
            "whole lists": np.isin(assigned, order[: max(1, int(len(order) * share))]),
            "rows far from the queries": far <= np.quantile(far, share),
        }
        for name, mask in masks.items():
            mask.flags.writeable = False
            line = measured(index, flat, queries, Selection.of(mask))
            results[f"{share:.1%} {name}"] = line
            show(f"{share:.1%} {name}", line)


def codecs(vectors, queries, flat, results) -> None:
    """Compare what FAISS can keep in the lists, at equal lists and exact scoring of nominees."""
    dimensions = vectors.shape[1]
    lists = 512 if len(vectors) < 300_000 else 2048
    sample = vectors[np.random.default_rng(6).permutation(len(vectors))[: 32 * lists]]
    centroids = train_centroids(sample, lists)
    truth = true_rows(flat, Sample("queries", queries, np.full(len(queries), -1)), 10)
    inner, scalar = faiss.METRIC_INNER_PRODUCT, faiss.ScalarQuantizer
    slices = dimensions if dimensions <= 128 else dimensions // 3

    def quantized(kind):
        return lambda nearest: faiss.IndexIVFScalarQuantizer(
            nearest, dimensions, lists, kind, inner, False
        )

    makers = {
        "float32": lambda nearest: faiss.IndexIVFFlat(nearest, dimensions, lists, inner),
        "float16": quantized(scalar.QT_fp16),
        "8 bit": quantized(scalar.QT_8bit),
        "RaBitQ fast scan": lambda nearest: faiss.IndexIVFRaBitQFastScan(
            nearest, dimensions, lists, inner
        ),
        "4 bit PQ fast scan": lambda nearest: faiss.IndexIVFPQFastScan(
            nearest, dimensions, lists, slices, 4, inner
        ),
    }
    for name, make in makers.items():
        nearest = faiss.IndexFlatIP(dimensions)
        nearest.add(centroids)
        index = make(nearest)
        with one_thread():
            index.train(sample)
            index.add(vectors)
            for probes in (lists // 16, lists // 8, lists // 4):
                for nominees in (10, 128, 512):
                    index.nprobe = probes
                    _, rows = index.search(queries, nominees)
                    seconds = best(lambda: index.search(queries, nominees)) / len(queries)  # noqa: B023
                    recall = float(mean_recall(rows, truth).mean())
                    results[f"{name}, {probes} lists, {nominees} nominees"] = (recall, seconds)
                    print(
                        f"  {name:<20}{probes:>5} lists {nominees:>4} nominees   "
                        f"recall {recall:.3f}   {1e6 * seconds:8.0f} us",
                        flush=True,
                    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--graph", action="store_true", help="also HNSW, which takes long to build")
    parser.add_argument("--codecs", action="store_true", help="also what else lists could hold")
    parser.add_argument("--json", help="file to write")
    options = parser.parse_args()
    vectors, samples, queries = load(options.corpus, options.rows)
    flat = FlatVectorIndex([vectors])
    results: dict[str, object] = {"rows": len(vectors), "dimensions": vectors.shape[1]}
    print(f"{len(vectors):,} vectors of {vectors.shape[1]} dimensions, {len(queries)} queries")

    before, started = anonymous_memory(), time.perf_counter()
    lists = InvertedLists(*build_lists(vectors, None, threads=1))
    results["lists_build_s"] = time.perf_counter() - started
    results["lists_build_anonymous_mb"] = anonymous_memory() - before
    print(
        f"lists: built in {results['lists_build_s']:.1f} s on one thread, "
        f"{results['lists_build_anonymous_mb']:.0f} MB"
    )
    nominators: dict[str, object] = {"lists": lists}
    if options.graph:
        started = time.perf_counter()
        nominators["graph"] = NeighbourGraph(build_graph(vectors))
        results["graph_build_s"] = time.perf_counter() - started
        print(f"graph: built in {results['graph_build_s']:.1f} s on one thread")

    heads = ("recall", "batch", "exact", "single", "exact")
    print(f"{'(ms a query)':<34}{heads[0]:>8}" + "".join(f"{head:>10}" for head in heads[1:]))
    chosen = None
    for kind, nominator in nominators.items():
        for target in TARGETS:
            started = time.perf_counter()
            tuned = tune(nominator, vectors, None, samples, target)
            seconds = time.perf_counter() - started
            if tuned is None:
                print(f"{kind}, target {target}: exact search costs no more")
                continue
            index = ApproximateVectorIndex([vectors], None, [Structure(nominator, tuned.width)])
            line = measured(index, flat, queries)
            line |= {"efforts": tuned.width.efforts, "nominees": tuned.width.nominees}
            results[f"{kind} {target}"] = line | {"tune_s": seconds, "validated": tuned.recall}
            show(f"{kind}, target {target}, {tuned.width.narrowest}/{tuned.width.nominees}", line)
            if kind == "lists" and target == 0.95:
                chosen = index
    if chosen is not None:
        filters(chosen, flat, vectors, queries, lists._list_of_row, results)  # noqa: SLF001
    if options.codecs:
        codecs(vectors, queries, flat, results)
    if options.json:
        with Path(options.json).open("w", encoding="utf-8") as file:
            json.dump(results, file, indent=1, default=float)


if __name__ == "__main__":
    main()
