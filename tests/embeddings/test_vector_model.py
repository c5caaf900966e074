"""A model by name: what is noted of it, when two names are one, and what a note may have done."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Analyzer, HashEmbedding, OpenAIEmbedding
from octavo.embeddings.vector_model import KEY, VectorModel
from octavo.errors import ConfigurationError, SourceLoadingError


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hash", "hash:128"),
        ("openai:bge-m3", "sentence-transformers:BAAI/bge-m3"),
        ("openai:bge-m3:latest", "openai:BGE-M3"),
        ("model2vec:models/potion/", "model2vec:minishlab/potion"),
        ("sentence-transformers:C:\\models\\bge-m3", "openai:bge-m3"),
        ("openai:bge-m3", "sentence-transformers:/h/hub/models--BAAI--bge-m3/snapshots/5617a9f/"),
        ("model2vec:potion", "model2vec:models--potion/snapshots/5617a9f"),
        ("app.models:embed", "app.models:embed"),
        ("from-a-later-version:x y", "from-a-later-version:x y"),
    ],
)
def test_one_model_by_two_names(one, other):
    assert VectorModel(one).agrees_with(VectorModel(other))
    assert VectorModel(other).agrees_with(VectorModel(one, {"query_prompt": "q"}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hash:128", "hash:256"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-large"),
        ("openai:BAAI/bge-m3", "openai:BAAI/bge-m3-retromae"),
        ("app.models:embed", "app.models:other"),
        ("hash:128", "openai:hash:128"),
        ("openai:models--a--b/snapshots/1", "openai:models--a--c/snapshots/1"),
    ],
)
def test_two_models(one, other):
    assert not VectorModel(one).agrees_with(VectorModel(other))
    assert not VectorModel(other).agrees_with(VectorModel(one))


def test_options_hold_for_the_same_model_by_another_name():
    """What only a server understands would have the library that runs it refuse to."""
    options = {"query_prompt": "q: ", "dimensions": 64, "extra_body": {"truncate": "END"}}
    noted = VectorModel("openai:BAAI/bge-m3", options)
    assert noted.options_for("openai:bge-m3") == options
    local = noted.options_for("sentence-transformers:BAAI/bge-m3")
    assert local == {"query_prompt": "q: ", "dimensions": 64}
    assert noted.options_for("openai:bge-large") == {}


def test_what_functions_are_known_as():
    model = OpenAIEmbedding(
        "m", "http://localhost:9/v1", "sk-secret", query_prompt="q: ", batch_size=2
    )
    assert VectorModel.of(model) == VectorModel("openai:m", {"query_prompt": "q: "})
    assert VectorModel.of(HashEmbedding(64)) == VectorModel("hash:64")
    assert VectorModel.of(HashEmbedding(64, Analyzer(stem=True))) is None
    assert VectorModel.of(len) is None
    assert VectorModel.of(None) is None


def test_only_a_function_with_a_name_can_contradict():
    model = OpenAIEmbedding("m", "http://localhost:9/v1")
    other = VectorModel("openai:other")
    assert other.contradicts(model) == VectorModel("openai:m")
    assert other.contradicts(model.embed_batch) is None
    assert other.contradicts(None) is None
    assert VectorModel("openai:m").contradicts(model) is None
    assert VectorModel("app:embed").contradicts(model) is None  # app.embed may be this one
    assert VectorModel("hash:64").contradicts(model) == VectorModel("openai:m")


def test_a_note_comes_back_without_an_address():
    said = {"model": "openai:m", "options": {"base_url": "http://u:p@h/v1", "prompt": "p"}}
    found = VectorModel.noted({KEY: json.dumps(said).encode()}, "f")
    assert found == VectorModel("openai:m", {"prompt": "p"})
    assert VectorModel.noted(found.note(), "f") == found
    assert b"base_url" not in found.note()[KEY]


@pytest.mark.parametrize("metadata", [None, {}, {b"other": b"{"}, {KEY: b'{"model": "function"}'}])
def test_nothing_is_said(metadata):
    assert VectorModel.noted(metadata, "f") is None


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"3",
        b"{}",
        b'{"model": 3}',
        b'{"model": " "}',
        b'{"model": "m", "options": 3}',
        b'{"model": "m", "options": [1]}',
        b'{"model": "\\ud800"}',
        b'{"model": "m", "options": {"prompt": "\\ud800"}}',
        b'{"model": "m", "options": {"x": NaN}}',
        b'{"model": "m", "options": ' + b"[" * 100_000,
        b'{"model": "' + b"m" * 70_000 + b'"}',
    ],
)
def test_a_damaged_note(note):
    with pytest.raises(SourceLoadingError, match=r"^f: its metadata of vectors is damaged"):
        VectorModel.noted({KEY: note}, "f")


def test_a_note_cannot_choose_which_secret_is_sent(monkeypatch):
    """An option such as ``api_key_variable`` would have any variable sent to the server."""
    monkeypatch.setenv("OTHER_SECRET", "s")
    model = VectorModel("openai:m", {"api_key_variable": "OTHER_SECRET"})
    with pytest.raises(ConfigurationError, match="f: api_key_variable: openai has no such option"):
        model.function("f", {})


@pytest.mark.parametrize("name", ["os:system", "provider", "none", "column:v", "?"])
def test_nothing_that_is_noted_is_imported(name):
    with pytest.raises(ConfigurationError, match=r"^f: its vectors are those of"):
        VectorModel(name).function("f", {})


def test_a_message_shows_no_control_characters(tmp_path):
    assert str(VectorModel("openai:\x1b[2J\u202e")) == r"'openai:\x1b[2J\u202e'"


def test_parquet_keeps_a_note(tmp_path):
    field = pa.field("v", pa.list_(pa.float32(), 64), metadata=VectorModel("hash:64").note())
    pq.write_table(pa.schema([field]).empty_table(), tmp_path / "v.parquet")
    found = pq.read_schema(tmp_path / "v.parquet").field("v").metadata
    assert VectorModel.noted(found, "f") == VectorModel("hash:64")
