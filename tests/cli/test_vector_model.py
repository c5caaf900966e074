"""What the commands say of the model that made an index's vectors, and do with it."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.embeddings.test_openai_embedding import embedded
from tests.model_servers.model_server import chat_server


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that the environment names, and an index of its vectors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    documents = pa.table({"id": ["a", "b", "c"], "text": ["ax", "bb bb bb bb", "bxx"]})
    pq.write_table(documents, "d.parquet")
    pq.write_table(pa.table({"id": ["q"], "query": ["bxx"]}), "q.parquet")
    with chat_server(embedded) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        yield found


@pytest.fixture
def built(server, octavo):
    for command in (
        "embed d.parquet --model openai:small --query-prompt x --out v.parquet",
        "index v.parquet --embedding column:vector --out index",
    ):
        done = octavo(*command.split())
        assert done.exit_code == 0, done.stderr
    assert "model         openai:small, query_prompt 'x'" in done.stderr
    server.requests.clear()
    return server


def test_info(built, octavo):
    shown = octavo("info", "index").stdout
    assert "embedding           column:vector, 3 dimensions" in shown
    assert "model               openai:small, query_prompt 'x'" in shown
    stated = json.loads(octavo("info", "index", "--json").stdout)["embedding"]["model"]
    assert stated == {"specification": "openai:small", "options": {"query_prompt": "x"}}
    assert "sk-secret" not in (shown + str(stated))


def test_a_search_says_how_to_get_a_vector_and_asks_nobody(built, octavo):
    found = octavo("search", "index", "bxx")
    assert found.exit_code == 0
    assert "made by 'openai:small', which is loaded only if you name it: keyword" in found.stderr
    refused = octavo("search", "index", "bxx", "--strategy", "vector")
    assert refused.exit_code == 1
    assert "'openai:small'" in refused.stderr
    assert "--embedding 'openai:small'" in refused.stderr
    assert not built.requests


def test_a_search_with_the_model_named_has_the_options_that_the_index_notes(built, octavo):
    command = ["search", "index", "bx", "--strategy", "vector", "-k", 1, "--json"]
    found = octavo(*command, "--embedding", "openai:small")
    assert json.loads(found.stdout)["id"] == "c"
    assert [request["input"] for request in built.requests] == [["xbx"]]
    refused = octavo(*command, "--embedding", "openai:large")
    assert refused.exit_code == 1
    assert "expected 'openai:small'" in refused.stderr
    assert "found 'openai:large'" in refused.stderr
    assert len(built.requests) == 1


@pytest.mark.parametrize("embedding", ["none", "column:vector"])
def test_what_embeds_nothing(built, octavo, embedding):
    refused = octavo("search", "index", "bx", "--embedding", embedding)
    assert refused.exit_code == 2
    assert "expected a model or a function" in refused.stderr


def test_a_batch_embeds_its_queries_or_takes_vectors_of_the_model(built, octavo):
    batch = ["batch", "index", "q.parquet", "--strategy", "vector", "-k", 1, "--out", "r.parquet"]
    done = octavo(*batch, "--embedding", "openai:small")
    assert done.exit_code == 0, done.stderr
    assert pq.read_table("r.parquet")["id"].to_pylist() == ["c"]
    for like, status in (("--like index", 0), ("--model openai:large", 1)):
        done = octavo(*f"embed q.parquet {like} --queries --out qv.parquet".split())
        assert done.exit_code == 0, done.stderr
        for command in (
            "batch index qv.parquet --query-vector vector --strategy vector --out r.parquet",
            "tune index --queries qv.parquet --query-vector vector",
        ):
            done = octavo(*command.split())
            if status or command.startswith("tune"):  # which wants twenty queries
                assert done.exit_code == 1
                told = "'openai:small' as in the index index, found those of 'openai:large'"
                assert (told in done.stderr) == bool(status)
            else:
                assert done.exit_code == 0, done.stderr


def test_rows_of_another_model_are_not_added(built, octavo):
    octavo(*["embed", "d.parquet", "--model", "openai:large", "--out", "w.parquet"])
    done = octavo("add", "index", "w.parquet")
    assert done.exit_code == 1
    assert "w.parquet" in done.stderr
    assert "'openai:small'" in done.stderr
    assert "'openai:large'" in done.stderr
