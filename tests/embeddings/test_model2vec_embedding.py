"""Static models, by a tiny one that is made here."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, embedding_of
from octavo.batch.embedding import EmbedJob, run_embedding
from octavo.embeddings.model2vec_embedding import Model2VecEmbedding
from octavo.embeddings.protocol import embed_queries, embed_texts
from octavo.embeddings.vector_record import vector_record
from octavo.errors import ConfigurationError, InvalidArgumentError

WORDS = ("red", "blue", "fox", "whale")
VECTORS = np.random.default_rng(3).normal(size=(len(WORDS) + 1, 6)).astype(np.float32)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A directory with a model of four words."""
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {"[UNK]": 0} | {word: number for number, word in enumerate(WORDS, 1)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    directory = tmp_path_factory.mktemp("model")
    model2vec.StaticModel(VECTORS, tokenizer).save_pretrained(str(directory))
    return str(directory)


def mean(text):
    """What the model is: the mean of the vectors of the words that it knows."""
    known = [VECTORS[1 + WORDS.index(word)] for word in text.split() if word in WORDS]
    return np.mean(known, axis=0) if known else np.zeros(6, np.float32)


TEXTS = ["red fox", "blue whale", "whale", "", "unheard of"]


def test_vectors_are_means_of_words(path):
    embedding = Model2VecEmbedding(path)
    wanted = np.stack([mean(text) for text in TEXTS])
    for embed in (embed_texts, embed_queries):
        np.testing.assert_allclose(embed(embedding, TEXTS), wanted, atol=1e-6)
    np.testing.assert_allclose(embedding("red"), VECTORS[1], atol=1e-6)


def test_shorter_vectors(path):
    found = Model2VecEmbedding(path, dimensions=2).embed_batch(["red fox"])
    np.testing.assert_allclose(found, mean("red fox")[None, :2], atol=1e-6)


def test_many_texts_stay_in_this_process(path):
    texts = ["red fox"] * 20_000
    assert Model2VecEmbedding(path).embed_batch(texts).shape == (20_000, 6)


def test_it_is_pickled_by_its_options(path):
    again = pickle.loads(pickle.dumps(Model2VecEmbedding(path, dimensions=3)))
    np.testing.assert_allclose(again("red"), VECTORS[1, :3], atol=1e-6)


def test_an_index_names_the_model(path, tmp_path):
    table = pa.table({"id": list("abc"), "text": TEXTS[:3]})
    Corpus.build(table, tmp_path / "index", embedding=f"model2vec:{path}", threads=1)
    found = Corpus.open(tmp_path / "index").search("red fox", strategy="vector", max_results=1)
    assert found[0].metadata["entryId"] == "a"
    assert found[0].score == pytest.approx(1.0)


def test_a_file_of_vectors_names_the_model(path, tmp_path):
    out = tmp_path / "v.parquet"
    job = EmbedJob(
        inputs=pa.table({"text": TEXTS}), out=out, model=Model2VecEmbedding(path, dimensions=4)
    )
    run_embedding(job)
    record = vector_record(out)
    assert (record.model, record.options) == (f"model2vec:{path}", {"dimensions": 4})
    np.testing.assert_array_equal(
        embedding_of(out).embed_queries(["red"]), job.model.embed_queries(["red"])
    )


def test_a_model_that_is_not_there(path, tmp_path):
    with pytest.raises(ConfigurationError, match="loading it failed"):
        Model2VecEmbedding(str(tmp_path / "nothing"))


@pytest.mark.parametrize(("model", "dimensions"), [("m", 0), ("m", True), ("", None)])
def test_bounds(model, dimensions):
    with pytest.raises(InvalidArgumentError):
        Model2VecEmbedding(model, dimensions=dimensions)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(ConfigurationError, match=r"octavo\[model2vec\]"):
        Model2VecEmbedding("m")


def test_a_path_is_a_model(path):
    made = Model2VecEmbedding(Path(path))
    assert repr(made) == repr(Model2VecEmbedding(path))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))("red fox"), made("red fox"))


def test_no_texts_have_no_vectors(path):
    for made, dimensions in (
        (Model2VecEmbedding(path), 0),
        (Model2VecEmbedding(path, dimensions=3), 3),
    ):
        for found in (made.embed_batch([]), made.embed_queries([])):
            assert (found.shape, found.dtype) == ((0, dimensions), np.float32)
