"""Same index, same queries, same bytes (S5, S6)."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, run_batch
from octavo.corpus.corpus import Corpus
from tests.corpus import hand_made

STRATEGIES = ("keyword", "vector", "hybrid")

JOBS = """
import sys
from octavo.batch import BatchJob, run_batch
index, queries, out = sys.argv[1:]
for strategy in ("keyword", "vector", "hybrid"):
    for ending in ("parquet", "jsonl", "trec"):
        run_batch(BatchJob(index=index, queries=queries, out=f"{out}/{strategy}.{ending}", strategy=strategy))
"""


def outputs_of_processes(
    index: Path, queries: Path, out: Path, environments: list[dict[str, str]]
) -> list[dict[str, bytes]]:
    """Run the same jobs in processes side by side; give the content of their output files."""
    directories = [out / str(number) for number in range(len(environments))]
    processes = []
    for directory, environment in zip(directories, environments, strict=True):
        directory.mkdir()
        command = [sys.executable, "-c", JOBS, str(index), str(queries), str(directory)]
        processes.append(subprocess.Popen(command, env={**os.environ, **environment}))
    assert [process.wait(300) for process in processes] == [0] * len(processes)
    return [
        {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
        for directory in directories
    ]


@pytest.fixture(scope="module")
def few_queries(query_table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("few") / "queries.parquet"
    pq.write_table(query_table.slice(0, 30), path)
    return path


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_bytes_do_not_depend_on_the_number_of_threads(index, queries, tmp_path, strategy):
    outputs = set()
    for threads in (1, 2, 3):
        out = tmp_path / f"{threads}.parquet"
        run_batch(
            BatchJob(index=index, queries=queries, out=out, strategy=strategy, threads=threads)
        )
        outputs.add(out.read_bytes())
    assert len(outputs) == 1


def test_bytes_do_not_depend_on_the_batches_of_the_input(index, query_table, tmp_path, monkeypatch):
    outputs = set()
    for number, rows in enumerate((1, 37, 256, 300, 1_000)):
        pq.write_table(query_table, tmp_path / "q.parquet", row_group_size=rows)
        monkeypatch.setattr("octavo.batch.query_stream.READ_ROWS", max(rows, 7))
        out = tmp_path / f"{number}.parquet"
        run_batch(BatchJob(index=index, queries=tmp_path / "q.parquet", out=out))
        outputs.add(out.read_bytes())
    assert len(outputs) == 1


def test_bytes_do_not_depend_on_the_process(index, few_queries, tmp_path):
    seeds = [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}]
    one, two = outputs_of_processes(index, few_queries, tmp_path, seeds)
    assert len(one) == 12  # JSON lines have their settings in a file beside them
    assert one == two


@pytest.mark.slow
def test_bytes_do_not_depend_on_compiled_kernels(index, few_queries, tmp_path):
    environments = [{}, {"NUMBA_DISABLE_JIT": "1"}]
    compiled, plain = outputs_of_processes(index, few_queries, tmp_path, environments)
    assert len(compiled) == 12
    assert compiled == plain


@pytest.mark.parametrize("strategy", ["hybrid", "temporal", "hierarchical"])
def test_all_blocks_are_of_one_state(tmp_path, queries, strategy):  # S5
    """A commit, and a corpus that moves to it, change nothing of a job that runs."""
    table = pa.table(
        {
            "id": [f"d{number}" for number in range(50)],
            "text": [f"red fox blue whale {number}" for number in range(50)],
            "parent": [None] * 25 + [f"d{number}" for number in range(25)],
            "time": pa.array([None] * 50, pa.timestamp("us", "UTC")),
        }
    )
    corpus = Corpus.build(table, tmp_path / "index", embedding="hash", parent="parent", timestamp="time")  # fmt: skip
    options = {"now": "2026-01-01T00:00:00Z"} if strategy == "temporal" else {}
    job = {"queries": queries, "strategy": strategy, "options": options, "threads": 2}
    run_batch(BatchJob(index=corpus, out=tmp_path / "alone.parquet", **job))
    moved = []

    def commit(progress):
        if progress.queries and not moved:
            hand_made.delete(corpus.path, [f"d{number}" for number in range(25, 50, 2)])
            corpus._snapshot = Corpus.open(corpus.path)._snapshot
            moved.append(progress.queries)

    run_batch(BatchJob(index=corpus, out=tmp_path / "beside.parquet", **job), commit)
    assert 0 < moved[0] < 1_000
    assert (tmp_path / "beside.parquet").read_bytes() == (tmp_path / "alone.parquet").read_bytes()
    run_batch(BatchJob(index=corpus, out=tmp_path / "after.parquet", **job))
    assert "d25" not in pq.read_table(tmp_path / "after.parquet")["id"].to_pylist()
    assert len(corpus) == 37
