"""``octavo embed`` as it is typed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.embeddings.test_openai_embedding import embedded, vector
from tests.model_servers.model_server import chat_server, raw


@pytest.fixture
def documents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    table = pa.table({"id": ["a", "b", "c"], "text": ["ax", "", "bxx"], "title": ["T", None, None]})
    pq.write_table(table, "d.parquet")
    return table


def test_a_server_of_ones_own(documents, octavo):
    with chat_server(embedded) as server:
        done = octavo(
            *("embed", "d.parquet", "--model", "openai:m", "--base-url", server.url),
            *("--prompt", "p: ", "--keep-length", "--out", "v.parquet"),
        )
    assert done.exit_code == 0, done.stderr
    assert pq.read_table("v.parquet")["vector"].to_pylist() == [
        vector("p: T\nax"),
        None,
        vector("p: bxx"),
    ]
    assert "Columns: text 'text'; title 'title'; 3 dimensions" in done.stderr
    assert "without text    1" in done.stderr
    assert done.stdout == ""


def test_index_takes_what_it_writes_and_queries_are_embedded_like_it(documents, octavo):
    pq.write_table(pa.table({"id": ["q"], "query": ["bxx"]}), "q.parquet")
    for command in (
        "embed d.parquet --model hash:64 --out v.parquet",
        "index v.parquet --embedding column:vector --out index",
        "embed q.parquet --like v.parquet --queries --column v --out qv.parquet",
        "batch index qv.parquet --query-vector v --strategy vector -k 1 --out r.parquet",
    ):
        done = octavo(*command.split())
        assert done.exit_code == 0, done.stderr
    assert pq.read_table("r.parquet")["id"].to_pylist() == ["c"]


def test_a_job_that_failed_goes_on(documents, octavo):
    pq.write_table(pa.table({"text": [f"t{row}" for row in range(1_500)]}), "many.parquet")
    command = ["embed", "many.parquet", "--model", "openai:m", "--out", "v.parquet"]
    command += ["--concurrency", "1"]  # so that one block is done before the next fails
    with chat_server(*[embedded] * 9, raw(b'{"error": {"message": "no"}}', 400)) as server:
        done = octavo(*command, "--base-url", server.url)
    assert done.exit_code == 1
    assert "The first 1,024 rows are kept beside the output; --resume" in done.stderr
    assert "sk-secret" not in done.stderr
    with chat_server(embedded) as moved:  # the same model, at another address
        done = octavo(*command, "--base-url", moved.url, "--resume")
    assert done.exit_code == 0, done.stderr
    assert "resumed         1,024" in done.stderr
    assert sum(len(request["input"]) for request in moved.requests) == 1 + 1_500 - 1_024
    assert pq.read_metadata("v.parquet").num_rows == 1_500


def test_it_says_that_it_waits(documents, octavo):
    busy = raw(b'{"error": {"message": "slow down"}}', 429, headers=[("Retry-After", "1")])
    with chat_server(busy, embedded) as server:
        done = octavo(
            *("embed", "d.parquet", "--model", "openai:m", "--base-url", server.url),
            *("--out", "v.parquet"),
        )
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("slow down; trying again in 1 s\n") == 1


def test_without_resume_what_was_left_is_thrown_away(documents, octavo):
    command = ["embed", "d.parquet", "--model", "openai:m", "--out", "v.parquet"]
    command += ["--concurrency", "1"]
    pq.write_table(pa.table({"text": [f"t{row}" for row in range(1_500)]}), "d.parquet")
    with chat_server(*[embedded] * 9, raw(b"{}", 400)) as server:
        octavo(*command, "--base-url", server.url)
    with chat_server(embedded) as server:
        done = octavo(*command, "--base-url", server.url)
    assert "they are thrown away" in done.stderr
    assert sum(len(request["input"]) for request in server.requests) == 1 + 1_500


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", "either --model or --like"),
        ("--model hash --like d.parquet", "either --model or --like"),
        ("--model hash --title t --no-title", "either --title or --no-title"),
        ("--model minilm", "embedding: expected hash"),
        ("--model hash --device cpu", "--device is for models of libraries"),
    ],
)
def test_wrong_use(documents, octavo, arguments, told):
    done = octavo("embed", "d.parquet", "--out", "v.parquet", *arguments.split())
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--model openai:m --device cpu", "device: openai has no such option"),
        ("--like d.parquet", "expected a file that octavo embed wrote"),
        ("--model hash --text body", "no column 'body'"),
    ],
)
def test_what_fails(documents, octavo, arguments, told):
    done = octavo("embed", "d.parquet", "--out", "v.parquet", *arguments.split())
    assert done.exit_code == 1
    assert told in done.stderr
