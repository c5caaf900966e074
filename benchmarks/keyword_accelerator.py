"""Block-max postings against tantivy's full union, on one corpus, interleaved, on one thread.

    python benchmarks/keyword_accelerator.py CORPUS.parquet [--text text] [--queries 1024]

Queries are 2 to 6 words of random documents. Prints the microseconds a query of tantivy alone, of
block-max postings query by query, and of them in batches of 256; then what they cost.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from octavo.analysis import Analyzer
from octavo.columns.selection import Selection
from octavo.engines.keyword import write_segment
from octavo.engines.keyword.block_max.files import open_postings
from octavo.engines.keyword.block_max.runs import invert
from octavo.engines.keyword.block_max.search import BlockMaxSearcher
from octavo.engines.keyword.block_max.writer import write_block_max
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.frequency import document_frequencies
from octavo.engines.keyword.queries import known_terms, union
from octavo.engines.keyword.rows import RowSearcher

BATCH = 256
BATCH_ROWS = 16_384
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--text", default="text")
    parser.add_argument("--queries", type=int, default=1024)
    options = parser.parse_args()
    column = pq.read_table(options.corpus, columns=[options.text])[options.text]
    analyzer = Analyzer()
    batches = [
        analyzer.analyze_batch(column.slice(start, BATCH_ROWS).combine_chunks())
        for start in range(0, len(column), BATCH_ROWS)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        compare(Path(scratch), batches, options.queries)


def compare(scratch: Path, batches: Sequence[pa.LargeStringArray], number: int) -> None:
    rows = sum(map(len, batches))
    list(invert(scratch / "warm", batches[:1], 0, 1 << 30))  # the kernels load
    tantivy_seconds = seconds(lambda: write_segment(scratch / "tantivy", batches))
    inverted = time.perf_counter()
    write_block_max(scratch / "block_max", list(invert(scratch / "runs", batches, 0, 1 << 30)))
    built = time.perf_counter() - inverted
    searcher = open_composed([scratch / "tantivy"])
    frequency, full = document_frequencies(searcher), RowSearcher(searcher, rows, "benchmark")
    postings = open_postings(scratch / "block_max", rows)
    block_max, everything = BlockMaxSearcher([postings]), Selection.everything(rows)
    queries = sample(batches, number)
    print(f"{rows:,} documents, {number:,} queries, one thread; microseconds a query\n")
    print("| k | tantivy, full union | block-max, one by one | ratio | batches of 256 | ratio |")
    print("|--:|--:|--:|--:|--:|--:|")
    for depth in (10, 100, 1000):
        expected = [full.top(union(known_terms(query, frequency)), depth) for query in queries]
        hits, _ = block_max.search(queries, depth, everything)
        assert hits.rows.tolist() == [row for found, _ in expected for row in found]
        assert hits.scores.tolist() == [score for _, found in expected for score in found]
        times: tuple[list[float], list[float], list[float]] = [], [], []
        for _ in range(ROUNDS):
            for start in range(0, number, BATCH):
                block = queries[start : start + BATCH]
                times[0].append(
                    seconds(lambda b=block, d=depth: [
                        full.top(union(known_terms(query, frequency)), d) for query in b
                    ]) / len(block)
                )  # fmt: skip
                times[1].append(
                    seconds(lambda b=block, d=depth: [
                        block_max.search([query], d, everything) for query in b
                    ]) / len(block)
                )  # fmt: skip
                times[2].append(
                    seconds(lambda b=block, d=depth: block_max.search(b, d, everything))
                    / len(block)
                )
        whole, single, batch = (1e6 * statistics.median(each) for each in times)
        print(
            f"| {depth} | {whole:.0f} | {single:.0f} | {whole / single:.1f} "
            f"| {batch:.0f} | {whole / batch:.1f} |",
            flush=True,
        )
    print(f"\nBuild on one thread: tantivy {tantivy_seconds:.1f} s, block-max {built:.1f} s.")
    sizes = [size(scratch / "tantivy"), size(scratch / "block_max")]
    print(f"Disk: tantivy {sizes[0] / 1e6:.0f} MB, block-max {sizes[1] / 1e6:.0f} MB.")
    opening = statistics.median(
        seconds(lambda: open_postings(scratch / "block_max", rows)) for _ in range(20)
    )
    print(f"Opening block-max postings: {1000 * opening:.1f} ms.")


def sample(batches: Sequence[pa.LargeStringArray], number: int) -> list[list[str]]:
    random = np.random.default_rng(1)
    queries: list[list[str]] = []
    while len(queries) < number:
        batch = batches[random.integers(len(batches))]
        words = batch[int(random.integers(len(batch)))].as_py().split()
        if len(words) >= 2:
            count = min(len(words), int(random.integers(2, 7)))
            queries.append(random.choice(words, count, replace=False).tolist())
    return queries


def size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
