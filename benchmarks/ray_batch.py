"""Measure batch jobs on Ray beside the local job: rates, equal bytes, a killed worker, shards.

    python benchmarks/ray_batch.py make  --directory D --documents 1000000 --queries 100000
    python benchmarks/ray_batch.py run   --directory D --workers 1 --workers 2
    python benchmarks/ray_batch.py kill  --directory D
    python benchmarks/ray_batch.py shards --directory D --shards 4
    python benchmarks/ray_batch.py overlap --directory D --shards 4
    python benchmarks/ray_batch.py approximate --documents 200000 --shards 2 --directory D
    python benchmarks/ray_batch.py constants --directory D

``make`` writes the documents and queries of the benchmark suite and indexes them; the other
commands print one line a measurement and stop with an error where a result differs from that of the
local job.
"""

import argparse
import filecmp
import os
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import groupby, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from octavo import Corpus
from octavo.batch import BatchJob, run_batch
from octavo.benchmark.synthetic import SyntheticCorpus
from octavo.cluster import RayBuilder, RayEngine, ray_session
from octavo.columns.hits import Hits
from octavo.columns.schema import ColumnRequest, choose_columns
from octavo.columns.sources import input_schema, resolve_inputs
from octavo.shards import ShardedCorpus
from octavo.shards.merging import merge_hits
from octavo.shards.partition import partition

COLUMNS = {"id": "id", "text": "text", "metadata": ["tier"], "embedding": "none"}


def timed(label, work):
    started = time.perf_counter()
    done = work()
    print(f"{label}: {time.perf_counter() - started:.1f} s", flush=True)
    return done


def make(directory, documents, queries):
    directory.mkdir(parents=True, exist_ok=True)
    corpus = SyntheticCorpus(documents, dimensions=8)
    with pq.ParquetWriter(directory / "documents.parquet", corpus.schema) as file:
        for batch in corpus.batches():
            file.write_batch(batch)
    texts = list(corpus.queries(queries).texts)
    ids = [f"q{number}" for number in range(queries)]
    pq.write_table(pa.table({"id": ids, "text": texts}), directory / "queries.parquet")
    timed(
        "single index",
        lambda: Corpus.build(
            directory / "documents.parquet", directory / "single", overwrite=True, **COLUMNS
        ),
    )


def job(directory, index="single", name="local"):
    return BatchJob(
        index=directory / index,
        queries=directory / "queries.parquet",
        out=directory / f"{name}.parquet",
        strategy="keyword",
    )


def answered(label, batch_job, engine=None, also=lambda _: None):
    """Run a job, and print its rate in all and from its first block on."""
    begun = []

    def listen(event):
        also(event)
        if event.queries and not begun:
            begun.append((time.perf_counter(), event.queries))

    summary = run_batch(batch_job, listen, engine=engine)
    start, first = begun[0]
    steady = (summary.queries - first) / (time.perf_counter() - start)
    print(
        f"{label}: {summary.rate:,.0f} queries/s ({summary.seconds:.1f} s), "
        f"{steady:,.0f} queries/s from the first block on",
        flush=True,
    )


def checked(directory, name):
    same = filecmp.cmp(directory / "local.parquet", directory / f"{name}.parquet", shallow=False)
    if not same:
        raise SystemExit(f"{name}: differs from the local job")
    print(f"{name}: the bytes of the local job")


def run(directory, workers):
    for threads in workers:
        local = BatchJob(**{**vars(job(directory)), "threads": threads})
        answered(f"local, {threads} threads", local)
    for number in workers:
        with ray_session(processors=number) as session:
            name = f"ray{number}"
            answered(name, job(directory, name=name), RayEngine(session, number))
        checked(directory, name)


def kill(directory):
    """Kill a worker process in the middle of a job."""
    killed = []

    def listen(event):
        if event.queries * 2 > (event.total or 0) and not killed:
            found = subprocess.run(
                ["pgrep", "-P", str(raylet()), "-f", "ray::Searcher"],
                capture_output=True,
                text=True,
                check=True,
            )
            killed.append(int(found.stdout.split()[0]))
            os.kill(killed[0], signal.SIGKILL)

    with ray_session(processors=2) as session:
        answered("killed", job(directory, name="killed"), RayEngine(session, 2), also=listen)
    print(f"killed: process {killed[0]}")
    checked(directory, "killed")


def raylet():
    """Return the process that started the workers: the raylet of the cluster of this process."""
    own = str(os.getpid())
    found = subprocess.run(
        ["pgrep", "-P", own, "raylet"], capture_output=True, text=True, check=True
    )
    return int(found.stdout.split()[0])


def shards(directory, number, workers):
    documents = directory / "documents.parquet"
    out = directory / "sharded"
    shutil.rmtree(out, ignore_errors=True)
    if not workers:
        timed(
            f"{number} shards, here", lambda: ShardedCorpus.build(documents, out, number, **COLUMNS)
        )
        answered("shards, local", job(directory, "sharded", "shards"))
        checked(directory, "shards")
        return
    for each in workers:
        shutil.rmtree(out, ignore_errors=True)
        with ray_session(processors=each) as session:
            builder = RayBuilder(session, each)
            timed(
                f"{number} shards, {each} workers",
                lambda builder=builder: ShardedCorpus.build(
                    documents, out, number, builder=builder, **COLUMNS
                ),
            )
            name = f"shards{each}"
            answered(name, job(directory, "sharded", name), RayEngine(session, each))
        checked(directory, name)


def overlap(directory, limit=10):
    """Say how the ten best change where each shard is scored by its own statistics."""
    corpus = ShardedCorpus.open(directory / "sharded")
    texts = pq.read_table(directory / "queries.parquet")["text"].to_pylist()[:2_000]
    best = corpus.search_batch(texts, strategy="keyword", max_results=limit)
    alone = pa.concat_tables(
        Corpus(place.snapshot()).search_batch(texts, strategy="keyword", max_results=limit)
        for place in corpus.shards
    )
    alone = alone.sort_by([("query_id", "ascending"), ("score", "descending")]).to_pylist()
    by_query = groupby(alone, key=lambda hit: hit["query_id"])
    found = {(query, hit["id"]) for query, hits in by_query for hit in islice(hits, limit)}
    expected = set(zip(*(best[name].to_pylist() for name in ("query_id", "id")), strict=True))
    print(
        f"overlap at {limit} without global statistics: {len(found & expected) / len(expected):.4f}"
    )


def approximate(directory, documents, number, limit=10):
    """Compare approximate vector search over shards with that of a single index, and with exact."""
    generated = SyntheticCorpus(documents, dimensions=64)
    asked = generated.queries(1_000)
    columns = {"id": "id", "text": "text", "embedding": "column:vector", "vector_index": "lists"}

    def reader():
        return pa.RecordBatchReader.from_batches(generated.schema, generated.batches())

    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        single = Corpus.build(reader(), f"{scratch}/single", **columns)
        exact = Corpus.build(reader(), f"{scratch}/exact", **{**columns, "vector_index": "flat"})
        sharded = ShardedCorpus.build(reader(), f"{scratch}/sharded", number, **columns)
        found = {}
        for name, corpus in (("single", single), ("exact", exact), ("sharded", sharded)):
            table = corpus.search_batch(
                asked.texts, strategy="vector", query_vectors=asked.vectors, max_results=limit
            )
            found[name] = set(
                zip(*(table[each].to_pylist() for each in ("query_id", "id")), strict=True)
            )
    for one, other in (("single", "exact"), ("sharded", "exact"), ("sharded", "single")):
        share = len(found[one] & found[other]) / len(found[other])
        print(f"{one} of {other}, overlap at {limit}: {share:.4f}")


def constants(directory):
    """Measure what the cost model of docs/scaling.md is made of."""
    documents = directory / "documents.parquet"
    sources = resolve_inputs(documents)
    choice = choose_columns(
        input_schema(sources), ColumnRequest(id="id", text="text", metadata=("tier",))
    )
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        started = time.process_time()
        parts = partition(sources, choice, 16, Path(scratch), lambda _: None)
        seconds = time.process_time() - started
        size = sum(path.stat().st_size for part in parts for path in part.paths)
        total = pq.read_metadata(documents).num_rows
    print(f"partition: {total / seconds:,.0f} documents/s, {size / seconds / 1e6:,.0f} MB/s")
    rng = np.random.default_rng(1)
    for depth in (10, 100):
        found = [ranked(rng, number, depth) for number in range(100)]
        merge_hits(found, depth)
        started = time.process_time()
        for _ in range(3):
            merge_hits(found, depth)
        each = (time.process_time() - started) / 3 / 256
        print(f"merge of 100 shards at depth {depth}: {each * 1e6:,.0f} us/query")
    with ray_session(processors=2) as session, session.actors(Echo, [()]) as (actor,):
        block = pa.record_batch({"query_id": ["q"] * 256, "text": ["some words of a query"] * 256})
        session.ray.get(actor.answer.remote(block))
        started = time.perf_counter()
        for _ in range(200):
            session.ray.get(actor.answer.remote(block))
        print(f"round trip of a block: {(time.perf_counter() - started) / 200 * 1e3:.2f} ms")


class Echo:
    def answer(self, block):
        return block


def ranked(rng, shard, depth, queries=256):
    scores = -np.sort(-rng.random((queries, depth)), axis=1)
    rows = rng.integers(0, 1 << 40, (queries, depth)) * 100 + shard
    return Hits(np.arange(queries + 1) * depth, rows.ravel(), scores.ravel())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = ["make", "run", "kill", "shards", "overlap", "approximate", "constants"]
    parser.add_argument("command", choices=commands)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--workers", type=int, action="append", default=[])
    given = parser.parse_args()
    if given.command == "make":
        make(given.directory, given.documents, given.queries)
    elif given.command == "run":
        run(given.directory, given.workers or [1, 2])
    elif given.command == "kill":
        kill(given.directory)
    elif given.command == "shards":
        shards(given.directory, given.shards, given.workers)
    elif given.command == "approximate":
        approximate(given.directory, given.documents, given.shards)
    elif given.command == "overlap":
        overlap(given.directory)
    else:
        constants(given.directory)


if __name__ == "__main__":
    main()
