import json
import multiprocessing
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, run_batch
from octavo.batch.work_directory import can_resume, work_directory
from octavo.corpus.corpus import Corpus
from octavo.errors import CorpusLockedError, InvalidArgumentError
from tests.corpus import hand_made

# Runs a job with parts of one block and kills its own process at the n-th call of a function.
KILLED_JOB = """
import os, signal, sys
from octavo.batch import BatchJob, parts, run, run_batch, work_directory
from octavo.batch.writers import parquet

index, queries, out, where, calls = sys.argv[1:]
owner, name = {
    "before a part is named": (parts, "sync_file"),
    "before a part is finished": (parts.PartWriter, "finish"),
    "inside a part": (parts.PartWriter, "write"),
    "while the output is written": (parquet.ParquetWriter, "write"),
    "before the output is named": (run, "write_output"),
    "after the output is named": (work_directory.WorkDirectory, "remove"),
}[where]
original = getattr(owner, name)
left = int(calls)

def counted(*args, **kwargs):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return original(*args, **kwargs)

setattr(owner, name, counted)
run.PART_QUERIES = 256
run_batch(BatchJob(index=index, queries=queries, out=out, strategy="hybrid", threads=2))
"""

KILLS = [
    pytest.param("before a part is finished", 2, 512),
    pytest.param("before a part is named", 1, 256, marks=pytest.mark.slow),
    pytest.param("inside a part", 3, 768, marks=pytest.mark.slow),
    pytest.param("while the output is written", 1, 1_000, marks=pytest.mark.slow),
    pytest.param("before the output is named", 0, 1_000, marks=pytest.mark.slow),
    pytest.param("after the output is named", 0, 1_000, marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def whole(index: Path, queries: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The output of a job that nobody stopped."""
    out = tmp_path_factory.mktemp("whole") / "r.parquet"
    run_batch(BatchJob(index=index, queries=queries, out=out, strategy="hybrid"))
    return out.read_bytes()


@pytest.mark.parametrize(("where", "calls", "resumed_queries"), KILLS)
def test_a_killed_job_resumes_to_the_same_bytes(
    index, queries, whole, tmp_path, where, calls, resumed_queries
):
    out = tmp_path / "r.parquet"
    script = [sys.executable, "-c", KILLED_JOB, str(index), str(queries), str(out)]
    killed = subprocess.run([*script, where, str(calls)], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert out.exists() == (where == "after the output is named")
    assert can_resume(out)
    job = BatchJob(index=index, queries=queries, out=out, strategy="hybrid", resume=True)
    summary = run_batch(job)
    assert out.read_bytes() == whole
    assert summary.resumed == resumed_queries
    assert summary.queries == 1_000
    assert summary.hits == pq.read_metadata(out).num_rows
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.parquet"]


class StoppedError(Exception):
    """Stands for whatever ends a job in the middle."""


def stop_after(queries_done: int, job: BatchJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a job with parts of one block and stop it; the parts stay."""

    def stop(event) -> None:
        if event.queries >= queries_done:
            raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr("octavo.batch.run.PART_QUERIES", 256)
        with pytest.raises(StoppedError):
            run_batch(job, stop)
    assert can_resume(Path(job.out))


@pytest.fixture
def stopped(index, queries, tmp_path, monkeypatch) -> Path:
    """The output path of a job that was stopped after 512 of 1,000 queries, in two parts."""
    out = tmp_path / "r.parquet"
    job = BatchJob(index=index, queries=queries, out=out, strategy="hybrid")
    stop_after(512, job, monkeypatch)
    return out


def work_files(out: Path) -> Path:
    return out.with_name(f".{out.name}.octavo-batch")


def resumed(index, queries, out, **changes):
    job = {"index": index, "queries": queries, "out": out, "strategy": "hybrid", **changes}
    return run_batch(BatchJob(**job, resume=True))


def test_the_report_of_a_resumed_job_is_that_of_the_whole(index, queries, stopped, tmp_path):
    summary = resumed(index, queries, stopped)
    other = tmp_path / "whole.parquet"
    unbroken = run_batch(BatchJob(index=index, queries=queries, out=other, strategy="hybrid"))
    assert (summary.report, summary.hits) == (unbroken.report, unbroken.hits)
    assert summary.resumed == 512


@pytest.mark.parametrize("damage", ["torn", "flipped", "foreign", "missing", "empty"])
def test_a_damaged_part_is_done_again(index, queries, stopped, whole, damage):
    first = work_files(stopped) / "part-000000.arrow"
    content = first.read_bytes()
    if damage == "torn":
        first.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        first.write_bytes(content.replace(b'"number"', b'"mumber"'))
    elif damage == "foreign":
        first.write_bytes((work_files(stopped) / "part-000001.arrow").read_bytes())
    elif damage == "empty":
        first.write_bytes(b"")
    else:
        first.unlink()
    assert resumed(index, queries, stopped).resumed == 0
    assert stopped.read_bytes() == whole


def test_nothing_to_resume_is_a_fresh_start(index, queries, tmp_path, whole):
    out = tmp_path / "r.parquet"
    assert resumed(index, queries, out).resumed == 0
    assert out.read_bytes() == whole


def test_without_resume_the_rest_of_a_stopped_job_is_thrown_away(index, queries, stopped, whole):
    job = BatchJob(index=index, queries=queries, out=stopped, strategy="hybrid")
    assert run_batch(job).resumed == 0
    assert stopped.read_bytes() == whole


def test_parts_of_an_earlier_job_never_join_a_later_one(
    index, queries, stopped, tmp_path, monkeypatch
):
    job = {"index": index, "queries": queries, "strategy": "hybrid", "filters": {"tier": "top"}}
    stop_after(256, BatchJob(**job, out=stopped), monkeypatch)
    assert run_batch(BatchJob(**job, out=stopped, resume=True)).resumed == 256
    run_batch(BatchJob(**job, out=tmp_path / "whole.parquet"))
    assert stopped.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"max_results": 11}, r"max_results \(10, now 11\)"),
        ({"min_score": 0.5}, r"min_score \(0.0, now 0.5\)"),
        ({"strategy": "keyword"}, r"strategy \('hybrid', now 'keyword'\)"),
        ({"filters": {"tier": "top"}}, "filters"),
        ({"options": {"candidate_depth": 7}}, "options"),
        ({"query_text": "id"}, "query columns"),
    ],
)
def test_another_job_is_not_resumed(index, queries, stopped, change, match):
    with pytest.raises(InvalidArgumentError, match=f"resume: .*{match}"):
        resumed(index, queries, stopped, **change)
    assert can_resume(stopped)
    assert not stopped.exists()


def test_changed_queries_are_not_resumed_but_moved_ones_are(
    index, queries, query_table, stopped, whole, tmp_path
):
    changed = tmp_path / "changed" / queries.name
    changed.parent.mkdir()
    texts = query_table["text"].to_pylist()
    texts[0] = "whale" if texts[0] != "whale" else "river"
    pq.write_table(query_table.set_column(1, "text", [texts]), changed)
    with pytest.raises(InvalidArgumentError, match="a different queries"):
        resumed(index, changed, stopped)
    changed.write_bytes(queries.read_bytes())
    assert resumed(index, changed, stopped).resumed == 512
    assert stopped.read_bytes() == whole


def test_a_changed_index_is_not_resumed(queries, stopped, tmp_path):
    documents = pa.table({"id": ["d1"], "text": ["fox"]})
    other = Corpus.build(documents, tmp_path / "other", embedding="hash")
    with pytest.raises(InvalidArgumentError, match="a different index"):
        resumed(other, queries, stopped)


def test_another_version_of_octavo_does_not_resume(index, queries, stopped, monkeypatch):
    monkeypatch.setattr("octavo.batch.job_record.__version__", "99.0")
    with pytest.raises(InvalidArgumentError, match="octavo version"):
        resumed(index, queries, stopped)


def test_a_damaged_record_starts_over(index, queries, stopped, whole):
    (work_files(stopped) / "job.json").write_text("{")
    assert resumed(index, queries, stopped).resumed == 0
    assert stopped.read_bytes() == whole


def test_tables_cannot_be_resumed(index, query_table, tmp_path):
    with pytest.raises(InvalidArgumentError, match="resume: expected input in files"):
        resumed(index, query_table, tmp_path / "r.parquet")


def test_the_format_may_change_between_runs(index, queries, stopped, tmp_path):
    assert resumed(index, queries, stopped, format="jsonl").resumed == 512
    run_batch(BatchJob(index=index, queries=queries, out=tmp_path / "w.jsonl", strategy="hybrid"))
    assert stopped.read_bytes() == (tmp_path / "w.jsonl").read_bytes()


def test_the_record_says_what_the_job_was(stopped):
    record = json.loads((work_files(stopped) / "job.json").read_text())
    assert record["strategy"] == "hybrid"
    assert record["queries"][0][0] == "queries.parquet"


def _hold(out: Path, held, release) -> None:
    with work_directory(out):
        held.set()
        release.wait(30)


def test_two_jobs_do_not_write_one_output(index, queries, tmp_path):
    out = tmp_path / "r.parquet"
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(out, held, release))
    other.start()
    try:
        assert held.wait(30)
        with pytest.raises(CorpusLockedError, match=r"r\.parquet: another batch job"):
            run_batch(BatchJob(index=index, queries=queries, out=out))
    finally:
        release.set()
        other.join(30)
    assert other.exitcode == 0
    run_batch(BatchJob(index=index, queries=queries, out=out))
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.parquet"]


def test_an_updated_index_is_not_resumed(index, queries, tmp_path, monkeypatch):
    """Not after a deletion, and not when the document is back: another state is another index."""
    changing = shutil.copytree(index, tmp_path / "index")
    out = tmp_path / "r.parquet"
    job = BatchJob(index=changing, queries=queries, out=out, strategy="hybrid")
    stop_after(512, job, monkeypatch)
    hand_made.delete(changing, ["d0"])
    with pytest.raises(InvalidArgumentError, match="a different index; start over"):
        resumed(changing, queries, out)
    again = pa.table({"id": ["d0"], "text": ["red fox"], "tier": ["top"]})
    hand_made.append(changing, again, embedding="hash", metadata=["tier"])
    with pytest.raises(InvalidArgumentError, match="a different index; start over"):
        resumed(changing, queries, out)
    assert not out.exists()
    assert run_batch(job).resumed == 0
    assert "d0" in pq.read_table(out)["id"].to_pylist()
