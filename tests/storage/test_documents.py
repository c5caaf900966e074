"""Whole text columns of a snapshot, and their values at rows."""

import numpy as np
import pyarrow as pa


def test_a_text_column_is_the_stored_one(corpus, documents):
    snapshot = corpus.keyword_index
    assert snapshot.text_column("title").to_pylist() == documents["title"].to_pylist()
    assert snapshot.text_column("title").type == pa.large_string()
    assert snapshot.text_column("parent") is None


def test_texts_at_rows(corpus, documents):
    rows = np.array([3, 0, 3])
    expected = documents["title"].take(pa.array(rows)).to_pylist()
    assert corpus.keyword_index.texts("title", rows) == expected
    assert corpus.keyword_index.texts("parent", rows) == [None] * 3
