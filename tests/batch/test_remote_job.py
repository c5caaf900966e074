from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, remote_job, run, run_batch
from octavo.batch.remote_job import local_output
from octavo.columns.remote_files import download, upload
from octavo.errors import InvalidArgumentError, OctavoError, SourceLoadingError
from tests.s3_server import s3_server

fsspec = pytest.importorskip("fsspec")


def table_bytes(columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def memory(queries, monkeypatch, tmp_path, memory_files):
    """A file system that only fsspec knows, with the queries in two files."""
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "cache"))
    table = pq.read_table(queries)
    for name, piece in (("a", table.slice(0, 400)), ("b", table.slice(400))):
        pq.write_table(piece, tmp_path / "piece.parquet")
        memory_files.pipe(
            f"/place/queries/{name}.parquet", (tmp_path / "piece.parquet").read_bytes()
        )
    return memory_files


@pytest.fixture
def job(index, queries, tmp_path):
    """A job from local file to local file."""
    return BatchJob(index=index, queries=queries, out=tmp_path / "local.parquet")


def test_remote_files_give_the_bytes_of_local_ones(memory, job, tmp_path):
    run_batch(job)
    remote = replace(job, queries="memory://place/queries", out="memory://place/out/r.parquet")
    summary = run_batch(remote)
    assert summary.out == "memory://place/out/r.parquet"
    assert summary.queries == 1_000
    assert memory.cat("/place/out/r.parquet") == (tmp_path / "local.parquet").read_bytes()
    assert not list((tmp_path / "cache").rglob("*.*"))


def test_a_job_from_s3_to_s3(job, queries, tmp_path, monkeypatch):
    pytest.importorskip("moto")
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "cache"))
    with s3_server(tmp_path) as where:
        upload(queries, f"s3://bucket/queries/q.parquet?{where}")
        out = f"s3://bucket/out/r.parquet?{where}"
        summary = run_batch(replace(job, queries=f"s3://bucket/queries?{where}", out=out))
        assert summary.out == out
        secret = out.replace("bucket", "test:test@bucket")
        assert run_batch(replace(job, out=secret)).out == out.replace("bucket", "***@bucket")
        (tmp_path / "found").mkdir()
        (found,) = download(out, tmp_path / "found")
    run_batch(job)
    assert Path(found.path).read_bytes() == (tmp_path / "local.parquet").read_bytes()


def test_json_lines_take_their_settings_along(memory, job):
    run_batch(replace(job, out="memory://place/r.jsonl"))
    assert memory.exists("/place/r.jsonl")
    assert memory.exists("/place/r.jsonl.ledger.json")


def test_a_stopped_job_is_resumed(memory, job, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "PART_QUERIES", 256)
    remote = replace(job, queries="memory://place/queries", out="memory://place/r.parquet")

    def stop(event):
        if event.queries >= 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(remote, stop)
    assert not memory.exists("/place/r.parquet")
    summary = run_batch(replace(remote, resume=True))
    assert summary.resumed >= 256
    run_batch(job)
    assert memory.cat("/place/r.parquet") == (tmp_path / "local.parquet").read_bytes()


def test_an_upload_that_fails_keeps_the_results_here(memory, job, monkeypatch):
    def refuse(*_):
        raise OSError("memory://place/r.parquet: the link is down")

    monkeypatch.setattr(remote_job, "upload", refuse)
    with pytest.raises(OSError, match="complete results are in") as told:
        run_batch(replace(job, out="memory://place/r.parquet"))
    kept = local_output("memory://place/r.parquet")
    assert str(kept) in str(told.value)
    assert pq.read_table(kept).num_rows > 0


def test_a_place_that_cannot_be_written_is_found_before_any_work(memory, job, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("read only")

    monkeypatch.setattr(type(memory), "_open", refuse)
    with pytest.raises(OSError, match="memory://place/out/r.parquet: PermissionError: read only"):
        run_batch(
            replace(job, out="memory://place/out/r.parquet"), lambda _: pytest.fail("it began")
        )


def test_what_is_wrong_is_found_before_any_work(memory, job, tmp_path):
    with pytest.raises(SourceLoadingError, match="memory://place/none"):
        run_batch(replace(job, queries="memory://place/none"))
    with pytest.raises(InvalidArgumentError, match="expected a file"):
        run_batch(replace(job, out="memory://place/queries"))
    with pytest.raises(InvalidArgumentError, match="tells no format"):
        run_batch(replace(job, out="memory://place/r.xyz"))
    assert not list((tmp_path / "cache").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PAR1 and no more", "q.parquet: expected a parquet file"),
        (table_bytes({"id": ["a", None], "text": ["x", "y"]}), "q.parquet: .* null in row 1"),
        (table_bytes({"id": ["a", "a"], "text": ["x", "y"]}), "q.parquet: .* again in row 1"),
    ],
)
def test_a_wrong_file_is_named_by_its_uri(memory, job, content, expected):
    memory.pipe("/wrong/deep/q.parquet", content)
    with pytest.raises(OctavoError, match=f"memory://wrong/deep/{expected}") as told:
        run_batch(replace(job, queries="memory://wrong"))
    assert "octavo-" not in str(told.value)
    memory.pipe("/wrong/q.xyz", b"x")
    with pytest.raises(InvalidArgumentError, match="memory://wrong/q.xyz: expected a file ending"):
        run_batch(replace(job, queries="memory://wrong/q.xyz"))
