"""The batch job from a file of queries to a file of results: two threads beside one."""

from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.batch import BatchJob, run_batch
from octavo.benchmark.bench import DEPTH, Bench
from octavo.benchmark.checks import IncorrectResultError
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.synthetic import vector_array
from octavo.benchmark.timing import Timed

_LOOPED = 32


def write_queries(bench: Bench) -> Path:
    """Write the queries of a batch, with their vectors, and return the file."""
    path = bench.directory / "queries.parquet"
    queries = bench.collection.queries[: bench.scale.batch]
    ids = [f"q{position}" for position in range(len(queries))]
    table = {"id": ids, "text": list(queries.texts), "vector": vector_array(queries.vectors)}
    pq.write_table(pa.table(table), path)
    return path


def _threads(bench: Bench, *, strategy: str) -> Pair:
    queries = write_queries(bench)

    def job(threads: int) -> None:
        run_batch(
            BatchJob(
                index=bench.corpus,
                queries=queries,
                out=bench.directory / f"results-{threads}.parquet",
                strategy=strategy,
                max_results=DEPTH,
                query_vector=None if strategy == "keyword" else "vector",
                threads=threads,
            )
        )

    def check() -> Facts:
        one, two = (bench.directory / f"results-{threads}.parquet" for threads in (1, 2))
        if one.read_bytes() != two.read_bytes():
            raise IncorrectResultError("results of one and of two threads: bytes differ")
        return {}

    return Pair(
        Timed(lambda: job(2), bench.scale.batch), Timed(lambda: job(1), bench.scale.batch), check
    )


def _loop(bench: Bench) -> Pair:
    queries = bench.queries

    def loop() -> None:
        for text, vector in zip(queries.texts[:_LOOPED], queries.vectors, strict=False):
            bench.corpus.search(text, strategy="hybrid", query_vector=vector)

    def batch() -> pa.Table:
        return bench.corpus.search_batch(
            queries.texts, strategy="hybrid", query_vectors=queries.vectors, threads=1
        )

    return Pair(Timed(batch, len(queries)), Timed(loop, min(_LOOPED, len(queries))))


MEASURES = (
    *(
        Measure(
            name=f"batch.{strategy}",
            what=f"octavo batch --strategy {strategy} --threads 2",
            unit=Unit.QUERY,
            baseline="the same with 1 thread",
            prepare=partial(_threads, strategy=strategy),
            rounds=5,
        )
        for strategy in ("keyword", "vector", "hybrid")
    ),
    Measure(
        name="batch.loop",
        what="Corpus.search_batch of one block, hybrid, 1 thread",
        unit=Unit.QUERY,
        baseline="a loop over Corpus.search",
        prepare=_loop,
    ),
)
