"""Exact vector search and rank fusion against their baselines; prints times and ratios.

Run with ``python benchmarks/vector_engine.py [rows] [dimensions]``. Each figure is the best of
several runs in this one process, so compare ratios, not times.
"""

import sys
import time
from collections.abc import Callable

import faiss
import numpy as np

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.nomination import one_thread
from octavo.kernels.unit_length import unit_length
from octavo.parallel import ordered_map
from octavo.strategies.fusion import fuse

BATCH = 256


def best(work: Callable[[], object], runs: int = 3) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def vector_search(rows: int, dimensions: int) -> None:
    """Compare the exact scan with FAISS's own flat index, and one thread with two."""
    random = np.random.default_rng(1)
    vectors = unit_length(random.standard_normal((rows, dimensions), np.float32))
    queries = random.standard_normal((4 * BATCH, dimensions), np.float32)
    batches = [queries[start : start + BATCH] for start in range(0, len(queries), BATCH)]
    index = FlatVectorIndex([vectors])
    peer = faiss.IndexFlatIP(dimensions)
    peer.add(vectors)

    print(f"{rows} vectors of {dimensions} dimensions, k = 10")
    one = best(lambda: index.search(queries[:1], 10))
    print(f"  one query            {one * 1e3:8.2f} ms   {vectors.nbytes / one / 1e9:.1f} GB/s")
    batch = best(lambda: index.search(batches[0], 10))
    rate = 2 * BATCH * rows * dimensions / batch / 1e9
    print(f"  batch of {BATCH}         {batch * 1e3:8.2f} ms   {rate:.0f} Gflop/s")
    deep = best(lambda: index.search(batches[0], 100))
    print(f"  batch, k = 100       {deep * 1e3:8.2f} ms")
    with one_thread():
        theirs = best(lambda: peer.search(batches[0], 10), 1)
    print(f"  IndexFlatIP, 1 thread{theirs * 1e3:8.2f} ms   {theirs / batch:.1f}x of the batch")

    def run(threads: int) -> float:
        return best(
            lambda: list(ordered_map(lambda b: index.search(b, 10), batches, threads=threads))
        )

    single, double = run(1), run(2)
    print(f"  two threads          {double * 1e3:8.2f} ms   {single / double:.2f}x of one")
    for share in (0.5, 0.1, 0.01, 0.001):
        selection = Selection.of(random.random(rows) < share)
        filtered = best(lambda chosen=selection: index.search(batches[0], 10, chosen))
        print(f"  {share:6.1%} admitted     {filtered * 1e3:8.2f} ms")


def fusion(queries: int = 1000, depth: int = 100) -> None:
    """Compare the fusion kernel with Python dictionaries."""
    random = np.random.default_rng(2)

    def stream() -> Hits:
        rows = np.concatenate([random.permutation(3 * depth)[:depth] for _ in range(queries)])
        scores = np.tile(np.linspace(1.0, 0.0, depth), queries)
        return Hits(np.arange(queries + 1) * depth, rows * 1237, scores)

    streams = {"keyword": stream(), "vector": stream()}
    lists = [
        [hits.rows[start : start + depth].tolist() for hits in streams.values()]
        for start in range(0, queries * depth, depth)
    ]

    def with_dictionaries() -> list[list[tuple[int, float]]]:
        fused = []
        for ranked in lists:
            scores: dict[int, float] = {}
            for rows in ranked:
                for rank, row in enumerate(rows, 1):
                    scores[row] = scores.get(row, 0.0) + 61 / (60 + rank)
            fused.append(sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:10])
        return fused

    kernel = best(lambda: fuse(streams, limit=10), 20) / queries
    plain = best(with_dictionaries) / queries
    print(f"fusion of two lists of {depth} to 10, batch of {queries}")
    print(f"  kernel               {kernel * 1e6:8.2f} us a query")
    print(f"  dictionaries         {plain * 1e6:8.2f} us a query   {plain / kernel:.1f}x")


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    vector_search(*(arguments or [200_000, 128]))
    fusion()
