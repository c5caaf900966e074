"""Build an index of many short documents with vectors under several memory budgets; print the peaks.

    python benchmarks/memory_budget.py [--documents 1000000] [--dimensions 128] [--budget 1GiB]...

The documents are generated: 3 to 20 words of a Zipf vocabulary, and random vectors. Each build is a
process of its own; its peak is what the operating system counted (resident pages).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BATCH = 50_000
VOCABULARY = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=128)
    parser.add_argument("--budget", action="append", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.parquet"
        write_corpus(corpus, options.documents, options.dimensions)
        print("| budget | seconds | peak memory | peak / budget |")
        print("|---|--:|--:|--:|")
        for budget in options.budget or ["512MiB", "1GiB", "2GiB"]:
            seconds, peak = build(corpus, Path(scratch) / "index", budget)
            share = peak / size_of(budget)
            print(f"| {budget} | {seconds:.1f} | {peak / 1e6:,.0f} MB | {share:.2f} |", flush=True)


def write_corpus(path: Path, documents: int, dimensions: int) -> None:
    rng = np.random.default_rng(1)
    words = np.array([f"word{number:x}" for number in range(VOCABULARY)])
    schema = pa.schema(
        {"id": pa.string(), "text": pa.string(), "vector": pa.list_(pa.float32(), dimensions)}
    )
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, documents, BATCH):
            rows = min(BATCH, documents - start)
            lengths = rng.integers(3, 21, rows)
            chosen = words[np.minimum(rng.zipf(1.2, int(lengths.sum())), VOCABULARY) - 1]
            texts = [" ".join(each) for each in np.split(chosen, np.cumsum(lengths)[:-1])]
            vectors = rng.standard_normal((rows, dimensions), np.float32)
            writer.write_batch(
                pa.record_batch(
                    [
                        pa.array([f"d{start + row}" for row in range(rows)]),
                        pa.array(texts),
                        pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimensions),
                    ],
                    schema=schema,
                )
            )


def build(corpus: Path, index: Path, budget: str) -> tuple[float, int]:
    command = [sys.executable, "-m", "octavo", "index", str(corpus), "--out", str(index)]
    command += ["--embedding", "column:vector", "--memory-budget", budget, "--overwrite"]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaints = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(complaints.decode())
    return time.perf_counter() - started, usage.ru_maxrss * 1024


def size_of(budget: str) -> int:
    units = {"MiB": 1 << 20, "GiB": 1 << 30}
    return int(budget[:-3]) * units[budget[-3:]]


if __name__ == "__main__":
    main()
