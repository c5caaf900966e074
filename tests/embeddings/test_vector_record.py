"""What a file says of its vectors, and whom that is trusted."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import HashEmbedding, embedding_of
from octavo.batch.embedding import EmbedJob, run_embedding
from octavo.embeddings.openai_embedding import OpenAIEmbedding
from octavo.embeddings.vector_model import KEY, VectorModel
from octavo.embeddings.vector_record import VectorRecord, vector_record
from octavo.errors import ConfigurationError, InvalidArgumentError, SourceLoadingError
from tests.embeddings.test_openai_embedding import embedded, vector
from tests.model_servers.model_server import chat_server

RECORD = {
    "column": "vector",
    "model": "hash:64",
    "dimensions": 64,
    "unit_length": True,
    "queries": False,
    "text": "text",
    "title": None,
}


def noting(*notes):
    """A file's table with a column of vectors for each note."""
    fields = [
        pa.field(f"vector{number or ''}", pa.list_(pa.float32(), 64), metadata=note)
        for number, note in enumerate(notes)
    ]
    return pa.schema([pa.field("text", pa.string()), *fields]).empty_table()


def written(path, **changes):
    record = VectorRecord(**(RECORD | changes))
    pq.write_table(noting(record.metadata()), path)
    return record


def test_a_record_comes_back_as_it_was(tmp_path):
    record = written(tmp_path / "v.parquet", options={"prompt": "passage: "})
    assert vector_record(tmp_path / "v.parquet") == record


def test_the_same_hash_embedding(tmp_path):
    written(tmp_path / "v.parquet")
    assert embedding_of(tmp_path / "v.parquet") == HashEmbedding(64)


def test_a_note_of_another_program_names_the_model(tmp_path):
    """One that holds no more than the two keys that a column needs."""
    pq.write_table(noting(VectorModel("hash:64").note()), tmp_path / "v.parquet")
    assert embedding_of(tmp_path / "v.parquet") == HashEmbedding(64)


def test_the_same_model_but_not_the_address(tmp_path, monkeypatch):
    """Else a file from somebody else could have the key sent anywhere."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    table = pa.table({"text": ["a"]})
    out = tmp_path / "v.parquet"
    with chat_server(embedded) as server, chat_server(embedded) as other:
        model = OpenAIEmbedding("m", other.url, query_prompt="query: ")
        run_embedding(EmbedJob(inputs=table, out=out, model=model, unit_length=False))
        asked = len(other.requests)
        assert vector_record(out).options == {"base_url": other.url, "query_prompt": "query: "}
        assert b"sk-secret" not in out.read_bytes()
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for again in (embedding_of(out), embedding_of(out, base_url=server.url)):
            assert again.embed_queries(["a"]).tolist() == [vector("query: a")]
        assert len(server.requests) == 2
        assert len(other.requests) == asked


@pytest.mark.parametrize("model", ["os:system", "function", "provider", "none", "column:v", "?"])
def test_nothing_that_a_file_names_is_imported(tmp_path, model):
    written(tmp_path / "v.parquet", model=model)
    with pytest.raises(ConfigurationError, match=r"v.parquet: its vectors are those of"):
        embedding_of(tmp_path / "v.parquet")


def test_an_option_that_there_is_not(tmp_path):
    written(tmp_path / "v.parquet", model="openai:m", options={"temperature": 1})
    with pytest.raises(ConfigurationError, match="temperature: openai has no such option"):
        embedding_of(tmp_path / "v.parquet")


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b"3", b"{}", b"[" * 100_000, b'{"column": "v", "other": 1}']
)
def test_a_damaged_record(tmp_path, text):
    pq.write_table(noting({KEY: text}), tmp_path / "v.parquet")
    with pytest.raises(SourceLoadingError, match="damaged"):
        vector_record(tmp_path / "v.parquet")


def test_files_that_have_none(tmp_path):
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "plain.parquet")
    (tmp_path / "text.parquet").write_text("no parquet")
    with pytest.raises(SourceLoadingError, match="octavo embed"):
        vector_record(tmp_path / "plain.parquet")
    with pytest.raises(SourceLoadingError, match="expected a parquet file"):
        vector_record(tmp_path / "text.parquet")
    with pytest.raises(SourceLoadingError, match="no such file"):
        vector_record(tmp_path / "missing.parquet")


def test_a_column_of_each_of_two_models(tmp_path):
    notes = [VectorRecord(**RECORD | {"model": f"hash:{n}"}).metadata() for n in (64, 128)]
    pq.write_table(noting(*notes), tmp_path / "v.parquet")
    with pytest.raises(ConfigurationError, match=r"column: expected one of 'vector', 'vector1'"):
        vector_record(tmp_path / "v.parquet")
    assert vector_record(tmp_path / "v.parquet", "vector1").model == "hash:128"
    assert embedding_of(tmp_path / "v.parquet", column="vector1") == HashEmbedding(128)
    with pytest.raises(SourceLoadingError, match="none of its metadata beside a column 'text'"):
        vector_record(tmp_path / "v.parquet", "text")


def test_a_column_that_was_renamed(tmp_path):
    run_embedding(EmbedJob(inputs=pa.table({"text": ["a"]}), out=tmp_path / "v", model="hash:64"))
    table = pq.read_table(tmp_path / "v").rename_columns(["text", "renamed"])
    pq.write_table(table, tmp_path / "w")
    assert vector_record(tmp_path / "w").column == "renamed"
    assert embedding_of(tmp_path / "w") == HashEmbedding(64)


def test_a_column_that_is_kept_keeps_its_record(tmp_path):
    first, second, third = (tmp_path / name for name in ("1.parquet", "2.parquet", "3.parquet"))
    run_embedding(EmbedJob(inputs=pa.table({"text": ["a"]}), out=first, model="hash:64"))
    again = EmbedJob(inputs=first, out=second, model="hash:128", column="other")
    run_embedding(again)
    assert vector_record(second, "vector").model == "hash:64"
    assert vector_record(second, "other").model == "hash:128"
    mixed = pa.table({"text": ["b"], "vector": pq.read_table(second, columns=["other"])["other"]})
    field = pq.read_schema(second).field("other").with_name("vector")
    mixed = mixed.cast(mixed.schema.set(1, field))
    with pytest.raises(InvalidArgumentError, match="'hash:64' as in .*1.parquet, .* 'hash:128'"):
        run_embedding(EmbedJob(inputs=[first, mixed], out=third, model="hash:64", column="another"))
