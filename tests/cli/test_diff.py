import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def runs(octavo, index, tmp_path):
    """Two runs of hybrid retrieval with another constant."""
    pq.write_table(pa.table({"id": ["q1", "q2"], "text": ["red fox", "whale"]}), tmp_path / "q.parquet")  # fmt: skip
    outs = [tmp_path / "before.parquet", tmp_path / "after.jsonl"]
    for out, k in zip(outs, (60, 1), strict=True):
        done = octavo("batch", index, tmp_path / "q.parquet", "--out", out, "--strategy", "hybrid", "--rrf-k", k)  # fmt: skip
        assert done.exit_code == 0, done.stderr
    return outs


def test_a_line_a_hit(octavo, runs):
    done = octavo("diff", *runs)
    assert done.exit_code == 0, done.stderr
    first, header, *lines = done.stdout.splitlines()
    assert first == "setting strategy.rrf_k: 60 -> 1"
    assert header.split("\t") == ["query", "id", "change", "rank", "score", "moved by"]
    fields = [line.split("\t") for line in lines]
    assert {each[0] for each in fields} <= {"q1", "q2"}
    assert {each[5] for each in fields} <= {"rrf_k", "others"}
    assert all(" -> " in each[3] and " -> " in each[4] for each in fields)
    assert "of 2 queries changed." in done.stderr
    assert f"rrf_k {sum(each[5] == 'rrf_k' for each in fields)}" in done.stderr


def test_json_lines(octavo, runs):
    done = octavo("diff", *runs, "--json")
    setting, *hits, summary = map(json.loads, done.stdout.splitlines())
    assert setting == {"setting": "strategy.rrf_k", "before": 60, "after": 1}
    assert sum(summary["summary"]["moves"].values()) == len(hits)
    assert {"query_id", "id", "move", "rank_before", "moved_by"} <= hits[0].keys()


def test_the_gate(octavo, runs):
    before, after = runs
    assert octavo("diff", before, after, "--fail-on-change").exit_code == 1
    same = octavo("diff", before, before, "--fail-on-change")
    assert (same.exit_code, same.stdout) == (0, "")
    assert same.stderr == "0 of 2 queries changed.\n"


def test_limits(octavo, runs):
    few = octavo("diff", *runs, "--limit", 1)
    assert {line.split("\t")[0] for line in few.stdout.splitlines()[2:]} == {"q1"}
    assert "2 of 2 queries changed." in few.stderr
    ranks_only = octavo("diff", *runs, "--ignore-scores")
    assert "rescored" not in ranks_only.stdout


@pytest.mark.parametrize("name", ["x.trec", "x.run", "x.txt", "x", "x.run.gz"])
def test_runs_of_any_system(octavo, tmp_path, name):
    def written(folder, *lines):
        path = tmp_path / folder / name
        path.parent.mkdir()
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "wt") as file:
            file.writelines(
                f"{query} Q0 {document} 0 {score} tag\n" for query, document, score in lines
            )
        return path

    before = written("before", ("1", "a", 3), ("1", "b", 2), ("1", "c", 1), ("2", "a", 1))
    # trec_eval's order: the larger id first where scores are equal, whatever the ranks say.
    after = written("after", ("2", "a", 1), ("1", "a", 2), ("1", "b", 2), ("1", "d", 1))
    done = octavo("diff", before, after)
    assert done.exit_code == 0, done.stderr
    assert [line.split("\t") for line in done.stdout.splitlines()[1:]] == [
        ["1", "b", "up", "2 -> 1", "2 -> 2", "others"],
        ["1", "a", "down", "1 -> 2", "3 -> 2", "unknown"],
        ["1", "d", "entered", "- -> 3", "- -> 1", "unknown"],
        ["1", "c", "left", "3 -> -", "1 -> -", "unknown"],
    ]
    assert "1 of 2 queries changed." in done.stderr


def test_a_run_beside_results(octavo, index, runs, tmp_path):
    """The same job as parquet and as a run: nothing moved."""
    done = octavo("batch", index, tmp_path / "q.parquet", "--out", tmp_path / "a.trec", "--strategy", "hybrid")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    same = octavo("diff", runs[0], tmp_path / "a.trec", "--ignore-scores", "--fail-on-change")
    assert same.exit_code == 0, same.stdout


def test_what_cannot_be_compared(octavo, runs, tmp_path):
    missing = octavo("diff", runs[0], tmp_path / "no.parquet")
    assert (missing.exit_code, missing.stdout) == (1, "")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    other = octavo("diff", runs[0], tmp_path / "other.parquet")
    assert other.exit_code == 1
    assert "expected a column 'query_id'" in other.stderr
