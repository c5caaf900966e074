import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.corpus.corpus import Corpus


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "q.parquet"
    pq.write_table(pa.table({"qid": [1, 2], "question": ["red fox", "whale"]}), path)
    return path


def test_it_writes_results_and_reports_on_stderr(octavo, index, queries, tmp_path):
    out = tmp_path / "r.parquet"
    done = octavo("batch", index, queries, "--out", out, "-k", 1)
    assert (done.exit_code, done.stdout) == (0, "")
    said = "Strategy keyword; query text from column 'question', query id from column 'qid'"
    assert done.stderr.splitlines()[0] == said
    assert "queries  2" in done.stderr.splitlines()
    corpus = Corpus.open(index)
    expected = [corpus.search(text, max_results=1)[0] for text in ("red fox", "whale")]
    assert pq.read_table(out).to_pylist() == [
        {"query_id": str(number), "rank": 1, "id": hit.metadata["entryId"], "score": hit.score}
        for number, hit in enumerate(expected, start=1)
    ]


def test_options_reach_the_job(octavo, index, queries, tmp_path):
    out = tmp_path / "r.txt"
    done = octavo(
        "batch", index, queries, "--out", out, "--strategy", "hybrid", "--filter", "tier=rest",
        "--query-text", "question", "--query-id", "qid", "--format", "jsonl", "--threads", 1,
        "--candidate-depth", 3, "--min-score", 0.1,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    hits = [json.loads(line) for line in out.read_text().splitlines()]
    assert {hit["id"] for hit in hits} <= {"b", "c", "d"}
    assert "keyword_rank" in hits[0]


def test_resume_says_how_much_was_done(octavo, index, queries, tmp_path):
    done = octavo("batch", index, queries, "--out", tmp_path / "r.trec", "--resume")
    assert done.exit_code == 0
    assert "resumed" not in done.stderr


def test_failures_are_one_line(octavo, index, tmp_path):
    failed = octavo("batch", index, tmp_path / "no.jsonl", "--out", tmp_path / "r.parquet")
    assert failed.exit_code == 1
    assert failed.stderr == f"octavo: {tmp_path}/no.jsonl: no such file or directory\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("memory_files")
def test_the_ending_of_a_uri_is_that_of_its_path(octavo, index, queries, tmp_path, monkeypatch):
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "cache"))
    uri = "memory://place/r.jsonl?endpoint_override=127.0.0.1:9"
    done = octavo("batch", index, queries, "--out", uri, "--strategy", "keyword")
    assert done.exit_code == 0, done.stderr
    assert "jsonl" in done.stderr
