"""A function that embeds queries otherwise than documents is asked so, wherever queries are embedded."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, MemoryEntry, MemoryTier, RAGContext, VectorMemoryStore, VectorRAGStrategy
from octavo.embeddings.protocol import embed_queries, embed_texts
from octavo.errors import DimensionMismatchError, ExecutionError, NonFiniteVectorError

TEXTS = {"a": "fox", "b": "whale"}


class Mirrored:
    """Documents point one way and queries the other: a mistake turns every ranking around."""

    def __init__(self):
        self.queries = []

    def __call__(self, text):
        raise AssertionError("texts come in batches")

    def embed_batch(self, texts):
        return [[1.0, float(text == "fox")] for text in texts]

    def embed_queries(self, texts):
        self.queries.extend(texts)
        return [[1.0, float(text != "fox")] for text in texts]


def test_queries_and_documents():
    function = Mirrored()
    assert embed_texts(function, ["fox"]).tolist() == [[1.0, 1.0]]
    assert embed_queries(function, ["fox"]).tolist() == [[1.0, 0.0]]
    assert embed_queries(function, pa.array(["fox", None])).tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert embed_queries(function, [], dimensions=2).shape == (0, 2)


def test_without_it_queries_are_embedded_as_documents():
    assert embed_queries(lambda text: [float(len(text))], ["fox"]).tolist() == [[3.0]]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([[float("nan")] * 2], NonFiniteVectorError),
        ([[1.0]], DimensionMismatchError),
        (ValueError("broken"), ExecutionError),
    ],
)
def test_queries_are_checked_as_documents_are(answer, error):  # S42
    class Bad(Mirrored):
        def embed_queries(self, texts):
            if isinstance(answer, Exception):
                raise answer
            return answer

    with pytest.raises(error):
        embed_queries(Bad(), ["fox"], dimensions=2)


def test_an_index_asks_for_queries_as_queries(tmp_path):
    function = Mirrored()
    table = pa.table({"id": list(TEXTS), "text": list(TEXTS.values())})
    corpus = Corpus.build(table, tmp_path / "index", embedding=function, threads=1)
    asked = len(function.queries)
    assert corpus.search("fox", strategy="vector")[0].metadata["entryId"] == "b"
    assert function.queries[asked:] == ["fox"]
    batch = corpus.search_batch(["fox"], strategy="vector", max_results=1)
    assert batch["id"].to_pylist() == ["b"]
    with corpus.writer() as writer:  # what is added is a document
        writer.add(pa.table({"id": ["c"], "text": ["fox"]}))
    vectors = corpus.search("", strategy="vector", query_vector=np.array([1.0, 1.0]))
    assert [hit.metadata["entryId"] for hit in vectors] == ["a", "c", "b"]


def test_a_store_in_memory_does_too():
    store = VectorMemoryStore(Mirrored())
    for identifier, text in TEXTS.items():
        store.add(MemoryEntry(identifier, text, MemoryTier.SEMANTIC))
    found = VectorRAGStrategy(store).retrieve("fox", RAGContext())
    assert found[0].metadata["entryId"] == "b"
