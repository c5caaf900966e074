"""Exact vector search and rank fusion against their baselines; prints times and ratios.

Run with ``python benchmarks/vector_engine.py [rows dimensions | vectors.npy queries.npy]``. Each
figure is the best of several runs in this one process, so compare ratios, not times.
"""

import sys
import time
from collections.abc import Callable

import faiss
import numpy as np

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.vector_codes import VectorCodes, code_width
from octavo.engines.vector import FlatVectorIndex
from octavo.engines.vector.nomination import one_thread
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors
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


def read_rate(array: np.ndarray) -> float:
    """Return how fast one thread reads memory here, in GB/s."""
    words = array.reshape(-1).view(np.int64)
    return array.nbytes / best(words.sum) / 1e9


def product_rate(queries: np.ndarray, vectors: np.ndarray) -> float:
    """Return how fast FAISS's own matrix product runs on one thread, in Gflop/s: no search."""
    part = vectors[:2048]
    product = faiss.LinearTransform(queries.shape[1], len(queries), False)
    faiss.copy_array_to_vector(queries.reshape(-1), product.A)
    product.is_trained = True
    values = np.empty((len(part), len(queries)), np.float32)
    operands = faiss.swig_ptr(part), faiss.swig_ptr(values)
    with one_thread():
        seconds = best(lambda: product.apply_noalloc(len(part), *operands), 20)
    return 2 * queries.size * len(part) / seconds / 1e9


def interleaved(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the shortest of two runs of each, taken in turns, in seconds."""
    times = [(best(first, 1), best(second, 1)) for _ in range(2)]
    return min(left for left, _ in times), min(right for _, right in times)


def vector_search(vectors: np.ndarray, queries: np.ndarray) -> None:
    """Compare exact search with what the machine can do, and with FAISS's own flat index."""
    rows, dimensions = vectors.shape
    vectors, queries = unit_length(vectors), unit_length(queries)
    batches = [queries[start : start + BATCH] for start in range(0, len(queries), BATCH)]
    batch = batches[0]
    codes = VectorCodes(*encode_vectors(vectors, code_width(dimensions)))
    indexes = {
        "codes": FlatVectorIndex([vectors], None, [codes]),
        "no codes": FlatVectorIndex([vectors]),
    }
    peer = faiss.IndexFlatIP(dimensions)
    peer.add(vectors)

    print(f"{rows} vectors of {dimensions} dimensions, k = 10 unless stated")
    reading, flops = read_rate(vectors), product_rate(batch, vectors)
    bare = 2 * BATCH * rows * dimensions / flops / 1e9
    print(f"  roofline: one thread reads {reading:.1f} GB/s; a float32 product {flops:.0f} Gflop/s")
    print(
        f"  so a query reads all vectors in {vectors.nbytes / reading / 1e6:.2f} ms, all codes in"
    )
    print(
        f"  {codes.codes.nbytes / reading / 1e6:.2f} ms; the bare product of a batch of {BATCH}: ",
        end="",
    )
    print(f"{bare * 1e3:.0f} ms")
    encoding = best(lambda: encode_vectors(vectors, code_width(dimensions)), 2)
    print(f"  codes: {codes.codes.nbytes / 1e6:.0f} MB, made in {encoding * 1e3:.0f} ms")
    for name, index in indexes.items():
        stored = codes.codes if name == "codes" else vectors
        one = best(lambda index=index: index.search(batch[:1], 10), 7)
        share = stored.nbytes / one / 1e9 / reading
        print(f"  {name:<8} one query      {one * 1e3:9.2f} ms   {share:.0%} of the read rate")
        for count, depth in ((4, 10), (16, 10), (BATCH, 10), (BATCH, 100), (BATCH, 1000)):
            asked = batch[:count]
            seconds = best(lambda index=index, a=asked, d=depth: index.search(a, d))
            ratio = seconds / bare * BATCH / count
            print(f"  {name:<8} {count:3}, k = {depth:<5} {seconds * 1e3:9.2f} ms   ", end="")
            print(f"{seconds / count * 1e3:.3f} a query, {ratio:.2f}x of the bare product")
    index = indexes["codes"]
    with one_thread():
        theirs, ours = interleaved(lambda: peer.search(batch, 10), lambda: index.search(batch, 10))
    print(
        f"  IndexFlatIP, 1 thread   {theirs * 1e3:9.2f} ms   {theirs / ours:.1f}x of codes", end=""
    )
    print(f", {theirs / best(lambda: indexes['no codes'].search(batch, 10)):.1f}x of no codes")

    def run(threads: int) -> None:
        list(ordered_map(lambda b: index.search(b, 10), batches, threads=threads))

    single, double = interleaved(lambda: run(1), lambda: run(2))
    print(f"  codes, two threads      {double * 1e3:9.2f} ms   {single / double:.2f}x of one")
    faiss.omp_set_num_threads(2)
    theirs, ours = interleaved(lambda: [peer.search(b, 10) for b in batches], lambda: run(2))
    print(f"  IndexFlatIP, 2 threads  {theirs * 1e3:9.2f} ms   {theirs / ours:.1f}x of codes' two")
    random = np.random.default_rng(3)
    for share in (0.5, 0.1, 0.01, 0.001):
        selection = Selection.of(random.random(rows) < share)
        for name, searched in indexes.items():
            many, one = (
                best(lambda q=q, i=searched, s=selection: i.search(q, 10, s))
                for q in (batch, batch[:1])
            )
            print(f"  {name:<8} {share:6.1%} admitted: batch {many * 1e3:8.2f} ms, ", end="")
            print(f"one {one * 1e3:6.2f} ms")


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
    generator = np.random.default_rng(1)
    if sys.argv[1:2] and not sys.argv[1].isdigit():
        stored, asked = (np.load(name) for name in sys.argv[1:3])
    else:
        rows, dimensions = (int(argument) for argument in sys.argv[1:] or ("200000", "128"))
        stored = generator.standard_normal((rows, dimensions), np.float32)
        asked = generator.standard_normal((4 * BATCH, dimensions), np.float32)
    vector_search(stored, asked[: 4 * BATCH])
    fusion()
