"""Documents come back from segments as they went in."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, CorpusCorruptError
from octavo.columns.documents_file import DocumentLayout
from octavo.storage.build.rewrite import layout_of
from octavo.storage.format.manifest import read_manifest
from octavo.storage.snapshot.stored_batches import StoredVectors, live_batches, stored_batches
from tests.storage.segmented import segmented
from tests.storage.writer.test_merge import OPTIONS, kept, table


def rows_of(batches):
    columns = []
    for batch in batches:
        columns += zip(
            batch.ids.to_pylist(), batch.content.to_pylist(), batch.title.to_pylist(),
            batch.source.to_pylist(), batch.parent.to_pylist(), batch.timestamp.to_pylist(),
            batch.metadata["tier"].to_pylist(), strict=True,
        )  # fmt: skip
    return columns


def test_live_rows_come_back_in_order_with_the_bits_of_their_vectors(tmp_path):
    tables, dead = [table(0, 30), table(30, 9)], [(0, 7, 29), ()]
    corpus = segmented(tmp_path / "index", tables, dead, **OPTIONS, embedding="column:vector")
    segments = corpus._snapshot.segments
    batches = list(live_batches(segments, layout_of(read_manifest(corpus.path).columns)))
    expected = kept(tables, dead)
    names = ["id", "text", "title", "source", "parent", "when", "tier"]
    columns = [expected[name].to_pylist() for name in names]
    columns[1] = [text or "" for text in columns[1]]
    assert rows_of(batches) == list(zip(*columns, strict=True))
    live = np.delete(segments[0].vectors, [0, 7, 29], axis=0)
    stage = StoredVectors()
    vectors, present = zip(*(stage.vectors(batch, batch.content) for batch in batches), strict=True)
    np.testing.assert_array_equal(np.concatenate(vectors), [*live, *segments[1].vectors])
    assert np.concatenate(present).tolist() == [
        v is not None for v in expected["vector"].to_pylist()
    ]


def test_whole_batches_are_not_copied(tmp_path):
    corpus = segmented(tmp_path / "index", [table(0, 30)], **OPTIONS)
    (segment,) = corpus._snapshot.segments
    (batch,) = stored_batches(segment, layout_of(read_manifest(corpus.path).columns), None)
    stored = segment.columns.batches()[0]
    for mine, name in ((batch.content, "content"), (batch.timestamp, "timestamp")):
        assert mine.buffers()[-1].address == stored.column(name).buffers()[-1].address
    assert np.shares_memory(batch.vectors.values, segment.vectors)


def test_columns_and_keys_that_a_segment_lacks_are_null(tmp_path):
    corpus = Corpus.build(table(0, 5).select(["id", "text"]), tmp_path / "index", embedding="none")
    wanted = DocumentLayout(("title", "source", "timestamp", "parent"), ("tier",))
    (batch,) = live_batches(corpus._snapshot.segments, wanted)
    optional = [batch.title, batch.source, batch.timestamp, batch.parent, batch.metadata["tier"]]
    assert [column.null_count for column in optional] == [5] * 5
    assert batch.timestamp.type == pa.timestamp("us", "UTC")
    assert batch.vectors is None
    with pytest.raises(CorpusCorruptError):
        StoredVectors().vectors(batch, batch.content)


def test_batches_end_where_mere_parents_begin_and_are_bounded(tmp_path):
    big = pa.table({"id": [str(n) for n in range(20_000)], "text": ["x"] * 20_000})
    parents = pa.table({"id": ["p", "q"], "text": ["x", "y"]})
    corpus = segmented(tmp_path / "index", [big], [(5,)], [parents], embedding="none")
    batches = list(live_batches(corpus._snapshot.segments, DocumentLayout()))
    sizes = [(len(batch), batch.only_parents) for batch in batches]
    assert sizes == [(16_383, False), (3_616, False), (2, True)]


def test_damage_that_arrow_cannot_bear_is_an_error(tmp_path):
    corpus = segmented(tmp_path / "index", [table(0, 30)], **OPTIONS)
    (segment,) = corpus._snapshot.segments
    path = segment.directory / "documents.arrow"
    content = path.read_bytes()
    path.write_bytes(content.replace("日本".encode(), b"\xff\xff\xff\xff\xff\xff"))
    opened = Corpus.open(corpus.path)._snapshot.segments
    with pytest.raises(CorpusCorruptError, match="00000001: documents"):
        list(live_batches(opened, DocumentLayout()))
