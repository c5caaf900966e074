"""Whole text columns of a snapshot, and their values at rows."""

import gc
import weakref

import numpy as np
import pyarrow as pa

from octavo import Corpus


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


def test_a_left_state_is_released_without_the_garbage_collector(tmp_path):
    # A cycle would hold its mapped files open, and a service that refreshes would run out of them.
    table = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    corpus = Corpus.build(table, tmp_path / "index", embedding="hash")
    reader = Corpus.open(tmp_path / "index")
    vectors = weakref.ref(reader.keyword_index.segments[0].vectors.base)
    with corpus.writer() as writer:
        writer.upsert(pa.table({"id": ["c"], "text": ["grey owl"]}))
    gc.collect()
    gc.disable()
    try:
        corpus.compact()
        reader.search("fox", strategy="hybrid", filters={"entryId": "a"})
        reader.refresh()
        assert vectors() is None
    finally:
        gc.enable()
