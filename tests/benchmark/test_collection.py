import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.benchmark.collection import from_parquet, generated
from octavo.benchmark.synthetic import SyntheticCorpus
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import CorpusFormatError, InvalidArgumentError

TEXTS = ["red fox in a box", "blue whale", None, "owl", "grey owl sleeps all day"] * 30


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "documents.parquet"
    pq.write_table(pa.table({"body": TEXTS, "number": range(len(TEXTS))}), path)
    return path


def test_generated_documents_are_on_disk_once(tmp_path):
    corpus = SyntheticCorpus(500, dimensions=8)
    first = generated(corpus, tmp_path, 4)
    written = first.path.stat().st_mtime_ns
    assert generated(corpus, tmp_path, 4).path.stat().st_mtime_ns == written
    assert first.documents == 500
    assert first.dimensions == 8
    assert first.vectors.shape == (500, 8)
    assert first.table.equals(pa.Table.from_batches(list(corpus.batches())))
    assert first.bytes > 500 * 8 * 4


def test_real_documents_keep_their_texts(source, tmp_path):
    found = from_parquet(source, "body", tmp_path, 20)
    assert found.table["text"].to_pylist() == TEXTS
    expected = HashEmbedding().embed_batch(pa.array(TEXTS))
    assert np.array_equal(found.vectors, expected)
    assert len(found.queries) == 20
    words = [set((text or "").split()) for text in TEXTS]
    for query in found.queries.texts:
        assert any(set(query.split()) <= each for each in words)
        assert 2 <= len(query.split()) <= 6


def test_real_documents_give_the_same_queries_again(source, tmp_path):
    runs = [from_parquet(source, "body", tmp_path, 20) for _ in range(2)]
    assert runs[0].queries.texts == runs[1].queries.texts
    assert runs[0].table.equals(runs[1].table)


def test_an_unknown_column_is_named(source, tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"--text: .* body, number, found 'text'"):
        from_parquet(source, "text", tmp_path, 5)


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "documents.parquet"
    path.write_text("no parquet")
    with pytest.raises(CorpusFormatError, match="expected a parquet file"):
        from_parquet(path, "text", tmp_path, 5)


@pytest.mark.parametrize("texts", [[], ["one", None, "word"]])
def test_documents_without_queries_are_refused(texts, tmp_path):
    path = tmp_path / "few.parquet"
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)
    with pytest.raises(InvalidArgumentError, match="texts of two words or more"):
        from_parquet(path, "text", tmp_path, 5)
