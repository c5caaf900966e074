"""An index remembers which model made the vectors of its column, through all that becomes of it."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import octavo
from octavo import Corpus, HashEmbedding, OpenAIEmbedding, ShardedCorpus
from octavo.embeddings.vector_model import VectorModel
from octavo.errors import ConfigurationError, InvalidArgumentError
from tests.embeddings.test_openai_embedding import embedded, vector
from tests.model_servers.model_server import chat_server
from tests.storage.damage import flip
from tests.storage.manifest_editing import rewrite_manifest

KEY = "octavo.embedding"
TEXTS = {"a": "xx", "b": "long text", "c": "x", "d": "a longer text"}
SMALL = VectorModel("openai:small")


def rows(names, model, options=None, vectors=True):
    """Documents whose vectors tell their texts, and say of which model they are."""
    note = None if model is None else {KEY: json.dumps({"model": model, "options": options or {}})}
    values = [vector(TEXTS[name]) if vectors else None for name in names]
    field = pa.field("vector", pa.list_(pa.float32(), 3), metadata=note)
    schema = pa.schema({"id": pa.string(), "text": pa.string()}).append(field)
    return pa.Table.from_pydict(
        {"id": list(names), "text": [TEXTS[name] for name in names], "vector": values}, schema
    )


def build(inputs, out, **options):
    return Corpus.build(inputs, out, **{"embedding": "column:vector"} | options)


def cosine(one, other):
    return np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)


def ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


@pytest.fixture
def index(tmp_path):
    build(rows("abc", "openai:small", {"query_prompt": "q: "}), tmp_path / "index")
    return tmp_path / "index"


def test_it_is_told_by_info_and_kept_in_the_manifest(index):
    model = VectorModel("openai:small", {"query_prompt": "q: "})
    corpus = Corpus.open(index)
    assert corpus.vector_model == corpus.info().embedding.model == model
    stated = json.loads((index / "manifest.json").read_text())["embedding"]["model"]
    assert stated == {"specification": "openai:small", "options": {"query_prompt": "q: "}}


def test_it_is_never_loaded_nor_asked_unless_the_user_says_so(index, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with chat_server(embedded) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        corpus = Corpus.open(index)
        assert not corpus.embeds_queries
        for strategy in ("vector", "hybrid", None):
            with pytest.raises(ConfigurationError, match="made by 'openai:small'.*embedding_of"):
                corpus.search("xx", strategy=strategy)
        assert ids(corpus.search("long", strategy="keyword")) == ["b"]
        assert not server.requests
        asking = Corpus.open(index, embedding=octavo.embedding_of(index))
        found = ids(asking.search("xx", strategy="vector", max_results=1))
        assert found == [max("abc", key=lambda name: cosine(vector(TEXTS[name]), vector("q: xx")))]
        assert [request["input"] for request in server.requests] == [["q: xx"]]


def test_a_function_of_an_application_is_named_and_not_imported(tmp_path):
    corpus = build(rows("ab", "no.such.module:embed"), tmp_path / "index")
    with pytest.raises(ConfigurationError, match=r"made by 'no.such.module:embed'.*that function"):
        corpus.search("xx", strategy="vector")
    with pytest.raises(ConfigurationError, match="not for a file to name"):
        octavo.embedding_of(tmp_path / "index")
    assert Corpus.open(tmp_path / "index", embedding=vector).embeds_queries


def test_an_index_that_knows_nothing(tmp_path):
    corpus = build(rows("ab", None), tmp_path / "index")
    assert corpus.vector_model is None
    with pytest.raises(ConfigurationError, match="does not know which model"):
        octavo.embedding_of(tmp_path / "index")
    assert Corpus.open(tmp_path / "index", embedding=OpenAIEmbedding("any", "http://localhost:9"))


def test_another_model_of_the_same_dimensions_is_refused(index):
    large = OpenAIEmbedding("large", "http://localhost:9/v1")
    with pytest.raises(ConfigurationError, match=r"expected 'openai:small'.*found 'openai:large'"):
        Corpus.open(index, embedding=large)
    with pytest.raises(ConfigurationError, match="found 'hash:128'"):
        Corpus.open(index, embedding=HashEmbedding(128))
    assert Corpus.open(index, embedding=OpenAIEmbedding("org/small", "http://localhost:9/v1"))
    assert Corpus.open(index, embedding=vector)  # has no name


def test_a_model_that_an_index_was_built_by_is_remembered_too(tmp_path):
    with chat_server(embedded) as server:
        model = OpenAIEmbedding("small", server.url, prompt="d: ")
        Corpus.build(rows("ab", None).drop("vector"), tmp_path / "index", embedding=model)
    assert Corpus.open(tmp_path / "index").vector_model == VectorModel(
        "openai:small", {"prompt": "d: "}
    )
    assert b"localhost" not in (tmp_path / "index" / "manifest.json").read_bytes()
    assert b"127.0.0.1" not in (tmp_path / "index" / "manifest.json").read_bytes()
    with pytest.raises(ConfigurationError, match="found 'openai:large'"):
        Corpus.open(tmp_path / "index", embedding=OpenAIEmbedding("large", "http://localhost:9"))


def test_a_named_embedding_is_compared_as_well(tmp_path):
    Corpus.build(rows("ab", None).drop("vector"), tmp_path / "index", embedding="hash:128")
    with pytest.raises(ConfigurationError, match="expected 'hash:128'.*found 'hash:256'"):
        Corpus.open(tmp_path / "index", embedding=HashEmbedding(256))
    assert Corpus.open(tmp_path / "index", embedding=HashEmbedding(128)).embeds_queries


def test_the_hash_embedding_of_a_column_is_octavos_own(tmp_path):
    """It is pure and here, so it needs nobody's leave."""
    texts = ["red fox", "blue whale", "red whale"]
    note = {KEY: '{"model": "hash:64", "options": {}}'}
    field = pa.field("vector", pa.list_(pa.float32(), 64), metadata=note)
    vectors = HashEmbedding(64).embed_batch(texts)
    schema = pa.schema({"id": pa.string(), "text": pa.string()}).append(field)
    table = pa.Table.from_pydict(
        {"id": ["a", "b", "c"], "text": texts, "vector": list(vectors)}, schema
    )
    corpus = build(table, tmp_path / "index")
    assert corpus.embeds_queries
    assert corpus.default_strategy == "keyword"  # only hashes are no real vectors
    found = corpus.search("blue whale", strategy="vector", max_results=3)
    cosines = vectors @ HashEmbedding(64)("blue whale")
    assert cosines[1] > cosines[2] > 0 > cosines[0]
    assert ids(found) == ["b", "c"]


@pytest.mark.parametrize("sharded", [False, True])
def test_an_index_that_stems_gives_its_own_hash_embedding(tmp_path, sharded):
    documents = pa.table({"id": ["a", "b"], "text": ["running foxes", "swimming whales"]})
    options = {"embedding": "hash:128", "stem": True}
    if sharded:
        ShardedCorpus.build(documents, tmp_path / "index", 2, **options)
    else:
        Corpus.build(documents, tmp_path / "index", **options)
    expected = octavo.open_index(tmp_path / "index").vector_store.embed(["foxes run"])
    found = octavo.embedding_of(tmp_path / "index")
    np.testing.assert_array_equal(found.embed_batch(["foxes run"]), expected)
    assert not np.array_equal(HashEmbedding(128).embed_batch(["foxes run"]), expected)


def test_many_files_agree_or_are_refused(tmp_path):
    for name, model in (("a", "openai:small"), ("b", None), ("c", "openai:large")):
        pq.write_table(rows(name, model), tmp_path / f"{name}.parquet")
    corpus = build([tmp_path / "b.parquet", tmp_path / "a.parquet"], tmp_path / "index")
    assert corpus.vector_model == SMALL
    state = (tmp_path / "index" / "manifest.json").read_bytes()
    with pytest.raises(InvalidArgumentError) as caught:
        build(str(tmp_path / "*.parquet"), tmp_path / "index", overwrite=True)
    for told in ("a.parquet", "'openai:small'", "c.parquet", "'openai:large'"):
        assert told in str(caught.value)
    assert (tmp_path / "index" / "manifest.json").read_bytes() == state
    build(tmp_path / "c.parquet", tmp_path / "index", overwrite=True)
    assert Corpus.open(tmp_path / "index").vector_model == VectorModel("openai:large")


def test_what_is_added_must_be_of_the_model(index):
    corpus = Corpus.open(index)
    state = (index / "manifest.json").read_bytes()
    for operation in ("add", "upsert"):
        with (
            pytest.raises(InvalidArgumentError) as caught,
            corpus.writer() as writer,
        ):
            getattr(writer, operation)(rows("d", "openai:large"))
        for told in ("table", "'openai:small'", str(index), "'openai:large'"):
            assert told in str(caught.value)
    assert (index / "manifest.json").read_bytes() == state
    with corpus.writer() as writer:
        writer.add(rows("d", None))
    assert len(corpus) == 4
    assert corpus.vector_model.specification == "openai:small"


def test_an_index_learns_the_model_of_what_is_added(tmp_path):
    corpus = build(rows("", None), tmp_path / "index")
    with corpus.writer() as writer:
        writer.add(rows("a", None))
        with pytest.raises(InvalidArgumentError):
            writer.add(rows("ab", "openai:failed"))  # a is there, so nothing is learned
        writer.add(rows("b", "openai:small"))
        with pytest.raises(InvalidArgumentError, match="'openai:small'.*'openai:large'"):
            writer.add(rows("c", "openai:large"))
        writer.add(rows("c", "openai:small"))
    assert len(corpus) == 3
    assert corpus.vector_model == SMALL
    # as one that was built of the same documents at once
    together = [rows("a", None), rows("b", "openai:small"), rows("c", "openai:small")]
    assert build(together, tmp_path / "other").vector_model == corpus.vector_model


def test_a_writer_with_another_model_adds_nothing(tmp_path):
    build(rows("a", None), tmp_path / "index")
    large = OpenAIEmbedding("large", "http://localhost:9/v1")
    corpus = Corpus.open(tmp_path / "index", embedding=large)
    with corpus.writer() as writer:
        with pytest.raises(ConfigurationError, match=r"'openai:small'.*'openai:large'"):
            writer.add(rows("b", "openai:small"))
        writer.add(rows("b", "openai:large"))
    assert corpus.vector_model == VectorModel("openai:large")


def test_it_survives_deletion_compaction_and_repair(index):
    model = VectorModel("openai:small", {"query_prompt": "q: "})
    corpus = Corpus.open(index)
    with corpus.writer() as writer:
        writer.delete(["a"])
        writer.add(rows("d", "openai:small"))
    assert corpus.vector_model == model
    assert corpus.compact().vector_model == model
    assert corpus.info().segments == 1
    codes = next(index.glob("segments/*/id_rows.npy"))
    flip(codes)
    assert Corpus.repair(index).rebuilt == ("ids",)
    assert Corpus.open(index).vector_model == model
    with corpus.refresh().writer() as writer:
        writer.delete(["b", "c", "d"])
    assert len(corpus) == 0
    assert corpus.vector_model == model
    assert corpus.verify().problems == ()


def test_shards_remember_it_together(tmp_path):
    options = {"query_prompt": "q: "}
    inputs = [rows("a", None), rows("bcd", "openai:small", options)]
    corpus = ShardedCorpus.build(inputs, tmp_path / "index", 3, embedding="column:vector")
    assert corpus.vector_model == corpus.info().embedding.model
    assert corpus.vector_model == VectorModel("openai:small", options)
    for place in corpus.shards:
        entry = place.snapshot().manifest.embedding
        assert entry is None or entry.model == corpus.vector_model
    assert corpus.tune(1.0).vector_model == corpus.vector_model
    with pytest.raises(ConfigurationError, match="found 'openai:large'"):
        ShardedCorpus.open(
            tmp_path / "index", embedding=OpenAIEmbedding("large", "http://localhost:9")
        )
    with pytest.raises(ConfigurationError, match="made by 'openai:small'"):
        corpus.search("xx", strategy="vector")
    mixed = [rows("a", "openai:large"), rows("b", "openai:small")]
    with pytest.raises(InvalidArgumentError, match="table 2.*'openai:large'.*'openai:small'"):
        ShardedCorpus.build(mixed, tmp_path / "mixed", 2, embedding="column:vector")


def test_a_reader_stays_where_it_was_if_the_index_comes_to_be_of_another_model(index):
    corpus = Corpus.open(index, embedding=OpenAIEmbedding("small", "http://localhost:9"))
    build(rows("d", "openai:large"), index, overwrite=True)
    with pytest.raises(ConfigurationError, match="'openai:large'.*'openai:small'"):
        corpus.refresh()
    assert len(corpus) == 3


def test_an_index_of_an_octavo_that_did_not_note_models(index):
    """And one of a later octavo, which notes what this one does not know."""
    rewrite_manifest(index, lambda body: body["embedding"].pop("model"))
    corpus = Corpus.open(index)
    assert corpus.vector_model is None
    assert ids(corpus.search("", query_vector=vector("x"), strategy="vector"))[0] == "c"
    rewrite_manifest(index, lambda body: body["embedding"].update(model=None, later={"x": 1}))
    assert Corpus.open(index).vector_model is None
    assert Corpus.open(index).verify().problems == ()


@pytest.mark.parametrize("model", [3, [], {}, {"specification": "m"}, {"specification": 3, "options": {}},
                                   {"specification": "m", "options": []}, {"specification": "\ud800", "options": {}}])  # fmt: skip
def test_a_manifest_that_says_nonsense_of_it(index, model):
    rewrite_manifest(index, lambda body: body["embedding"].update(model=model))
    with pytest.raises(octavo.CorpusCorruptError, match="malformed"):
        Corpus.open(index)


def test_vectors_of_functions_ignore_what_a_column_says(tmp_path):
    corpus = build(rows("ab", "openai:small"), tmp_path / "index", embedding=vector)
    assert corpus.vector_model is None
    with corpus.writer() as writer:
        writer.add(rows("c", "openai:large"))
    assert corpus.vector_model is None


def test_a_file_with_a_damaged_note_is_named(tmp_path):
    broken = rows("a", "openai:small")
    field = broken.schema.field("vector").with_metadata({KEY: b"{"})
    pq.write_table(
        pa.table(broken.columns, schema=broken.schema.set(2, field)), tmp_path / "x.parquet"
    )
    with pytest.raises(octavo.SourceLoadingError, match=r"x.parquet: its metadata of vectors"):
        build(tmp_path / "x.parquet", tmp_path / "index")
    assert not (tmp_path / "index").exists()
