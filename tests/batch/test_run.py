import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, BatchProgress, ResultFormat, run, run_batch
from octavo.corpus.corpus import Corpus
from octavo.errors import (
    CorpusFormatError,
    DimensionMismatchError,
    InvalidArgumentError,
    SourceLoadingError,
)

STRATEGIES = ("keyword", "vector", "hybrid")


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_job_gives_what_a_loop_of_searches_gives(index, query_table, tmp_path, strategy):
    # S5
    some = query_table.slice(0, 300)
    out = tmp_path / "results.parquet"
    summary = run_batch(
        BatchJob(index=index, queries=some, out=out, strategy=strategy, max_results=7)
    )
    corpus = Corpus.open(index)
    expected = [
        (query["id"], rank, hit.metadata["entryId"], hit.score)
        for query in some.to_pylist()
        for rank, hit in enumerate(
            corpus.search(query["text"], strategy=strategy, max_results=7), start=1
        )
    ]
    found = pq.read_table(out).to_pylist()
    assert [(hit["query_id"], hit["rank"], hit["id"], hit["score"]) for hit in found] == expected
    assert (summary.queries, summary.hits, summary.resumed) == (300, len(expected), 0)
    assert sum(summary.report.plans.values()) > 0
    assert names(tmp_path) == ["results.parquet"]


def test_hybrid_results_carry_ranks_and_scores_of_the_streams(index, query_table, tmp_path):
    # S22, S23
    out = tmp_path / "r.parquet"
    run_batch(BatchJob(index=index, queries=query_table.slice(0, 20), out=out, strategy="hybrid"))
    schema = pq.read_schema(out)
    assert schema.names == [
        "query_id",
        "rank",
        "id",
        "score",
        "voting_streams",
        "keyword_rank",
        "keyword_score",
        "vector_rank",
        "vector_score",
    ]


def test_filters_limits_and_options_reach_every_block(index, queries, tmp_path):
    # S7, S8, S10
    out = tmp_path / "r.parquet"
    run_batch(
        BatchJob(
            index=index,
            queries=queries,
            out=out,
            strategy="hybrid",
            max_results=2,
            min_score=0.9,
            filters={"tier": "top"},
            options={"candidate_depth": 5},
        )
    )
    found = pq.read_table(out)
    assert found.num_rows > 0
    assert max(found["rank"].to_pylist()) == 2
    assert min(found["score"].to_pylist()) >= 0.9
    assert all(int(one[1:]) % 3 == 0 for one in found["id"].to_pylist())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_queries_give_a_legal_file_without_rows(index, tmp_path, strategy):
    empty = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    one = pa.table({"id": ["q"], "text": ["fox"]})
    for name, queries in (("empty", empty), ("one", one)):
        run_batch(
            BatchJob(
                index=index, queries=queries, out=tmp_path / f"{name}.parquet", strategy=strategy
            )
        )
    nothing = pq.read_table(tmp_path / "empty.parquet")
    assert nothing.num_rows == 0
    assert nothing.schema == pq.read_schema(tmp_path / "one.parquet")
    for ending in ("jsonl", "trec"):
        run_batch(BatchJob(index=index, queries=empty, out=tmp_path / f"empty.{ending}"))
        assert (tmp_path / f"empty.{ending}").read_bytes() == b""


def test_formats_hold_the_same_hits(index, query_table, tmp_path):
    # S6
    some = query_table.slice(0, 50)
    for ending in ("parquet", "jsonl", "trec"):
        run_batch(BatchJob(index=index, queries=some, out=tmp_path / f"r.{ending}", max_results=5))
    rows = pq.read_table(tmp_path / "r.parquet").to_pylist()
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert lines == rows
    fields = [line.split() for line in (tmp_path / "r.trec").read_text().splitlines()]
    assert [(one[0], one[2], int(one[3])) for one in fields] == [
        (row["query_id"], row["id"], row["rank"]) for row in rows
    ]
    assert {(one[1], one[5]) for one in fields} == {("Q0", "octavo-keyword")}


def test_the_format_may_differ_from_the_ending(index, query_table, tmp_path):
    out = tmp_path / "r.txt"
    job = BatchJob(index=index, queries=query_table.slice(0, 3), out=out, format="jsonl")
    assert run_batch(job).format is ResultFormat.JSONL
    assert json.loads(out.read_text().splitlines()[0])["query_id"] == "q0"


def test_query_vectors_stand_in_for_texts(index, tmp_path):
    corpus = Corpus.open(index)
    vectors = corpus.vector_store.embed(["red fox", "blue whale"])
    embedded = pa.table(
        {"id": [1, 2], "vector": pa.array(list(np.asarray(vectors)), pa.list_(pa.float32()))}
    )
    texts = pa.table({"id": [1, 2], "text": ["red fox", "blue whale"]})
    run_batch(
        BatchJob(
            index=index,
            queries=embedded,
            out=tmp_path / "v.parquet",
            strategy="vector",
            query_vector="vector",
        )
    )
    run_batch(BatchJob(index=index, queries=texts, out=tmp_path / "t.parquet", strategy="vector"))
    assert (
        pq.read_table(tmp_path / "v.parquet")["id"] == pq.read_table(tmp_path / "t.parquet")["id"]
    )


def test_query_vectors_of_other_dimensions_are_refused(index, tmp_path):
    # S20
    queries = pa.table({"id": ["a"], "text": ["fox"], "v": [[1.0, 2.0]]})
    job = BatchJob(
        index=index,
        queries=queries,
        out=tmp_path / "r.parquet",
        strategy="vector",
        query_vector="v",
    )
    with pytest.raises(DimensionMismatchError, match=r"'v'.*expected vectors of 128 .*found 2"):
        run_batch(job)
    assert names(tmp_path) == []


def test_a_query_vector_for_keyword_retrieval_is_refused(index, tmp_path):
    queries = pa.table({"id": ["a"], "text": ["fox"], "v": [[1.0, 2.0]]})
    job = BatchJob(index=index, queries=queries, out=tmp_path / "r.parquet", query_vector="v")
    with pytest.raises(InvalidArgumentError, match="query_vector"):
        run_batch(job)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"max_results": 0}, InvalidArgumentError, "max_results"),
        ({"min_score": float("nan")}, InvalidArgumentError, "min_score"),
        ({"threads": 0}, InvalidArgumentError, "threads"),
        ({"filters": {"tier": " "}}, InvalidArgumentError, "blank"),
        ({"strategy": "keywrod"}, InvalidArgumentError, "expected one of vector"),
        ({"options": {"candidate_depth": 3}}, InvalidArgumentError, "candidate_depth"),
        ({"format": "csv"}, InvalidArgumentError, "parquet, jsonl, trec"),
        ({"query_id": "ids"}, InvalidArgumentError, "did you mean 'id'"),
        ({"query_text": "txt"}, InvalidArgumentError, "did you mean 'text'"),
        ({"queries": "missing.parquet"}, SourceLoadingError, "missing.parquet"),
        ({"index": "missing"}, CorpusFormatError, "missing"),
    ],
)
def test_wrong_jobs_are_refused_before_anything_is_written(
    index, query_table, tmp_path, change, error, match
):
    job = {"index": index, "queries": query_table, "out": tmp_path / "r.parquet", **change}
    with pytest.raises(error, match=match):
        run_batch(BatchJob(**job))
    assert names(tmp_path) == []


def test_outputs_that_cannot_be_written_are_refused(index, queries, tmp_path):
    def refused(out: object, match: str) -> None:
        with pytest.raises(InvalidArgumentError, match=match):
            run_batch(BatchJob(index=index, queries=queries, out=out))

    (tmp_path / "d.parquet").mkdir()
    refused(tmp_path / "d.parquet", "found a directory")
    refused(tmp_path / "no" / "r.parquet", "existing directory")
    refused(queries, "found .* as both")
    refused("/dev/null", "found something else")
    assert names(tmp_path) == ["d.parquet"]
    assert pq.read_table(queries).num_rows == 1_000


def test_an_output_is_replaced_at_the_end_and_a_link_followed(index, query_table, tmp_path):
    target = tmp_path / "target.parquet"
    target.write_bytes(b"old")
    link = tmp_path / "link.parquet"
    link.symlink_to(target)
    bad = pa.table({"id": ["a", "a"], "text": ["fox", "fox"]})
    with pytest.raises(InvalidArgumentError, match="distinct"):
        run_batch(BatchJob(index=index, queries=bad, out=link))
    assert target.read_bytes() == b"old"
    run_batch(BatchJob(index=index, queries=query_table.slice(0, 5), out=link))
    assert link.is_symlink()
    assert pq.read_table(target).num_rows > 0


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Make every write past ``size`` fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_full_of_results_is_an_os_error_and_the_job_can_be_resumed(index, queries, tmp_path):
    out = tmp_path / "r.jsonl"  # about 740 kB, its parts 270 kB
    job = BatchJob(index=index, queries=queries, out=out)
    with files_of_at_most(500_000), pytest.raises(OSError, match=r"r\.jsonl"):
        run_batch(job)
    assert not out.exists()
    resumed = BatchJob(index=index, queries=queries, out=out, resume=True)
    assert run_batch(resumed).resumed == 1_000
    assert names(tmp_path) == ["r.jsonl", "r.jsonl.ledger.json"]


def test_a_disk_full_of_parts_is_an_os_error_and_leaves_nothing(index, queries, tmp_path):
    job = BatchJob(index=index, queries=queries, out=tmp_path / "r.parquet")
    with files_of_at_most(100_000), pytest.raises(OSError, match=r"r\.parquet"):
        run_batch(job)
    assert names(tmp_path) == []


def test_a_long_query_and_a_large_k_are_legal(index, tmp_path):
    queries = pa.table({"id": ["long"], "text": ["fox whale " * 10_000]})
    out = tmp_path / "r.parquet"
    run_batch(BatchJob(index=index, queries=queries, out=out, max_results=10_000))
    assert 0 < pq.read_table(out).num_rows <= 120


def test_progress_says_columns_total_and_rate(index, queries, tmp_path):
    events: list[BatchProgress] = []
    job = BatchJob(index=index, queries=queries, out=tmp_path / "r.parquet", threads=1)
    summary = run_batch(job, events.append)
    assert [event.queries for event in events] == [0, 256, 512, 768, 1_000]
    assert {event.total for event in events} == {1_000}
    assert {event.strategy for event in events} == {"keyword"}
    assert events[0].columns == summary.columns
    assert summary.rate == pytest.approx(1_000 / summary.seconds)


def test_memory_holds_few_blocks_however_many_queries(index, tmp_path, monkeypatch):
    # A reader that counts how far it was read ahead of what was answered.
    monkeypatch.setattr("octavo.batch.query_stream.READ_ROWS", 256)
    schema = pa.schema({"id": pa.int64(), "text": pa.string()})
    read = 0

    def batches():
        nonlocal read
        for start in range(0, 20_480, 256):
            ids = pa.array(range(start, start + 256))
            read += 256
            yield pa.record_batch([ids, pa.array(["fox"] * 256)], schema=schema)

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    ahead: list[int] = []
    job = BatchJob(index=index, queries=reader, out=tmp_path / "r.parquet", threads=2)
    summary = run_batch(job, lambda event: ahead.append(read - event.queries))
    assert summary.queries == 20_480
    assert max(ahead) <= 5 * 256


def test_parts_end_after_a_while_even_if_queries_are_slow(index, queries, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "PART_SECONDS", 0.0)
    finished: list[int] = []
    original = run.WorkDirectory.new_part
    monkeypatch.setattr(
        run.WorkDirectory,
        "new_part",
        lambda self, schema: finished.append(1) or original(self, schema),
    )
    job = BatchJob(index=index, queries=queries, out=tmp_path / "slow.parquet")
    run_batch(job)
    assert len(finished) == 4
    monkeypatch.undo()
    run_batch(BatchJob(index=index, queries=queries, out=tmp_path / "fast.parquet"))
    assert (tmp_path / "slow.parquet").read_bytes() == (tmp_path / "fast.parquet").read_bytes()
