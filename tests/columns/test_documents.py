"""Documents written as Arrow files and read back by row."""

import datetime as dt
import errno
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.documents import DocumentColumns
from octavo.columns.documents_file import BYTES_PER_BATCH, DocumentLayout, DocumentsWriter
from octavo.columns.schema import ColumnChoice
from octavo.errors import CorpusCorruptError, InvalidArgumentError

FULL = DocumentLayout(("title", "source", "timestamp", "parent"), ("tier", "a.b"))
texts = st.text(st.characters(codec="utf-8"), max_size=6)
optional = st.none() | texts
row = st.tuples(
    texts,
    texts,
    optional,
    optional,
    st.none() | st.integers(0, 2**40),
    optional,
    optional,
    optional,
)


def large(values):
    return pa.array(list(values), pa.large_string())


def document_batch(rows):
    columns = list(zip(*rows, strict=True)) if rows else [()] * 8
    ids, contents, titles, sources, ticks, parents, tiers, others = columns
    return DocumentBatch(
        ids=large(ids),
        content=large(contents),
        title=large(titles),
        source=large(sources),
        timestamp=pa.array(ticks, pa.int64()).cast(pa.timestamp("us", "UTC")),
        parent=large(parents),
        metadata={"tier": large(tiers), "a.b": large(others)},
    )


def write(folder, batches, rows_per_batch=3, layout=FULL):
    writer = DocumentsWriter(
        folder / "documents.arrow",
        folder / "dictionaries.arrow",
        layout,
        rows_per_batch=rows_per_batch,
    )
    with writer:
        codes = [writer.write(batch) for batch in batches]
    return writer, codes


def read(folder, rows=None):
    return DocumentColumns(
        folder / "documents.arrow", folder / "dictionaries.arrow", expected_rows=rows
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("documents")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(row, max_size=5), max_size=5), st.integers(1, 7))
def test_what_is_written_is_read_back(folder, batches, rows_per_batch):
    writer, codes = write(folder, [document_batch(rows) for rows in batches], rows_per_batch)
    expected = [row for rows in batches for row in rows]
    columns = read(folder, len(expected))
    assert writer.rows == columns.rows == len(columns) == len(expected)
    assert columns.names == ("id", "content", "title", "source", "parent")
    assert columns.keys == ("tier", "a.b")
    everything = range(len(expected))
    order = [*everything, *reversed(everything)]
    for position, name in ((0, "id"), (1, "content"), (2, "title"), (3, "source"), (5, "parent")):
        values = [row[position] for row in expected]
        assert columns.texts(name, everything) == values
        assert columns.texts(name, np.array(order, np.int64)) == [values[i] for i in order]
        assert columns.column(name).to_pylist() == values
    for position, key in ((6, "tier"), (7, "a.b")):
        values = [row[position] for row in expected]
        assert columns.metadata(key, order) == [values[i] for i in order]
        assert columns.dictionary(key).to_pylist() == list(
            dict.fromkeys(value for value in values if value is not None)
        )
        stored = np.concatenate([np.zeros(0, np.int32), *columns.codes(key)])
        assert stored.tolist() == [code for batch in codes for code in batch[key].tolist()]
        nulls = columns.column(f"metadata.{key}").is_null().to_pylist()
        assert nulls == (stored < 0).tolist()
    ticks, present = columns.timestamps(np.array(order, np.int64))
    assert ticks.tolist() == [expected[i][4] or 0 for i in order]
    assert present.tolist() == [expected[i][4] is not None for i in order]
    sizes = [len(chunk) for chunk in columns.column("id").chunks]
    assert all(0 < size <= rows_per_batch for size in sizes)


@settings(deadline=None, max_examples=60)
@given(st.lists(row, max_size=12), st.lists(st.integers(0, 12), max_size=4), st.integers(1, 5))
def test_the_files_depend_on_the_documents_alone(folder, rows, cuts, rows_per_batch):
    names = ("documents.arrow", "dictionaries.arrow")
    write(folder, [document_batch(rows)] if rows else [], rows_per_batch)
    expected = [(folder / name).read_bytes() for name in names]
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    pieces = [rows[start:stop] for start, stop in pairwise(bounds)]
    write(folder, [document_batch(piece) for piece in pieces], rows_per_batch)
    assert [(folder / name).read_bytes() for name in names] == expected


def test_a_record_batch_ends_with_the_row_that_reaches_a_bound(tmp_path):
    """Whether documents come one by one, all at once, or as slices of an array."""
    sizes = [3, BYTES_PER_BATCH - 13, 5, 5, 0, BYTES_PER_BATCH, 1, BYTES_PER_BATCH + 9, 2, 2]
    content = large("x" * size for size in sizes)
    ids = large(str(row) for row in range(10))  # a byte each
    found = []
    for step in (1, 3, 10):
        with DocumentsWriter(tmp_path / "documents.arrow", tmp_path / "dictionaries.arrow",
                             DocumentLayout()) as writer:  # fmt: skip
            for start in range(0, 10, step):
                pair = ids.slice(start, step), content.slice(start, step)
                writer.write(DocumentBatch(ids=pair[0], content=pair[1]))
        found.append((tmp_path / "documents.arrow").read_bytes())
        chunks = read(tmp_path, 10).column("id").chunks
        # 3 + 1, then enough for 8 bytes less, 5 + 1, and 2 more bytes
        assert [len(chunk) for chunk in chunks] == [4, 2, 2, 2]
    assert found[0] == found[1] == found[2]


def test_the_layout_follows_the_choice():
    choice = ColumnChoice("i", "t", source="s", parent="p", metadata=("m",))
    assert DocumentLayout.of(choice) == DocumentLayout(("source", "parent"), ("m",))
    assert DocumentLayout.of(ColumnChoice("i", "t")) == DocumentLayout()


def test_columns_that_are_not_there(tmp_path):
    ids = large(["a", "b"])
    write(tmp_path, [DocumentBatch(ids=ids, content=ids)], layout=DocumentLayout())
    columns = read(tmp_path)
    assert columns.texts("title", [1, 0]) == [None, None]
    assert columns.text("source", 0) is None
    assert columns.metadata("tier", [0]) == [None]
    assert not columns.has_timestamps
    assert columns.timestamps(np.array([1]))[1].tolist() == [False]
    for call in (columns.codes, columns.column):
        with pytest.raises(InvalidArgumentError, match="tier"):
            call("tier")


@pytest.mark.parametrize("row", [-1, 2, 10**9])
def test_rows_out_of_range(tmp_path, row):
    write(tmp_path, [document_batch([("a", "b", None, None, 1, None, "x", None)] * 2)])
    columns = read(tmp_path)
    for call in (
        lambda: columns.text("id", row),
        lambda: columns.metadata("tier", [0, row]),
        lambda: columns.timestamps(np.array([row])),
    ):
        with pytest.raises(IndexError, match=str(row)):
            call()


def test_an_empty_corpus(tmp_path):
    writer, _ = write(tmp_path, [])
    assert writer.rows == 0
    columns = read(tmp_path, 0)
    assert columns.texts("id", []) == []
    assert columns.codes("tier") == []
    assert columns.column("id").to_pylist() == []
    assert columns.dictionary("tier").to_pylist() == []


def test_a_large_dictionary_is_read_by_row(tmp_path):
    values = large(str(i) for i in range(70_000))
    batch = DocumentBatch(ids=values, content=values, metadata={"n": values})
    write(tmp_path, [batch], 65_536, DocumentLayout(metadata=("n",)))
    columns = read(tmp_path, 70_000)
    assert columns.metadata("n", [69_999, 0, 65_536]) == ["69999", "0", "65536"]


def test_reading_needs_no_writable_directory(tmp_path):
    write(tmp_path, [document_batch([("a", "b", None, None, 1, None, "x", None)])])
    before = {path: path.stat().st_mtime_ns for path in [tmp_path, *tmp_path.iterdir()]}
    assert read(tmp_path).text("id", 0) == "a"
    assert {path: path.stat().st_mtime_ns for path in [tmp_path, *tmp_path.iterdir()]} == before


def test_open_files_may_be_unlinked(tmp_path):
    write(tmp_path, [document_batch([("a", "b", None, None, 1, None, "x", None)])])
    columns = read(tmp_path)
    for path in tmp_path.iterdir():
        path.unlink()
    assert columns.metadata("tier", [0]) == ["x"]
    assert columns.text("content", 0) == "b"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_an_oserror(tmp_path):
    batch = document_batch([("a" * 10_000, "b", None, None, 1, None, "x", None)] * 100)
    for documents, dictionaries in (("/dev/full", tmp_path / "v"), (tmp_path / "d", "/dev/full")):
        with (
            pytest.raises(OSError, match="No space left") as error,
            DocumentsWriter(documents, dictionaries, FULL) as writer,
        ):
            writer.write(batch)
        assert error.value.errno == errno.ENOSPC


def test_an_error_while_writing_leaves_the_files_closed(tmp_path):
    def interrupted():
        with DocumentsWriter(tmp_path / "d", tmp_path / "v", FULL) as writer:
            writer.write(document_batch([("a", "b", None, None, 1, None, "x", None)]))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    assert not (tmp_path / "v").exists()
    with pytest.raises(CorpusCorruptError):
        DocumentColumns(tmp_path / "d", tmp_path / "v")


def test_an_unwritable_place(tmp_path):
    with pytest.raises(OSError, match="none"):
        DocumentsWriter(tmp_path / "none" / "d", tmp_path / "v", FULL)
    with pytest.raises(InvalidArgumentError, match="rows_per_batch"):
        DocumentsWriter(tmp_path / "d", tmp_path / "v", FULL, rows_per_batch=0)


ROWS = [
    (f"id{i}", f"content {i}", f"title {i}", None, i, None, f"tier{i % 3}", None) for i in range(20)
]


@pytest.mark.parametrize("name", ["documents.arrow", "dictionaries.arrow"])
@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[: len(d) // 2], lambda d: b"x" * 99])
def test_structural_damage_is_named(tmp_path, name, damage):
    write(tmp_path, [document_batch(ROWS)])
    path = tmp_path / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorpusCorruptError, match=name):
        read(tmp_path)
    path.unlink()
    with pytest.raises(CorpusCorruptError, match=name):
        read(tmp_path)


def test_rows_and_columns_must_be_as_promised(tmp_path):
    write(tmp_path, [document_batch(ROWS)])
    with pytest.raises(CorpusCorruptError, match="expected 21 rows, found 20"):
        read(tmp_path, 21)
    other = tmp_path / "other"
    other.mkdir()
    write(other, [document_batch(ROWS)], layout=DocumentLayout(("title",), ("tier",)))
    with pytest.raises(CorpusCorruptError, match=r"dictionaries.arrow.*expected one row"):
        DocumentColumns(tmp_path / "documents.arrow", other / "dictionaries.arrow")
    table = pa.ipc.open_file(tmp_path / "documents.arrow").read_all()
    changed = table.drop_columns(["content"])
    with pa.ipc.new_file(tmp_path / "documents.arrow", changed.schema) as writer:
        writer.write_table(changed)
    with pytest.raises(CorpusCorruptError, match="column 'content' is missing"):
        read(tmp_path)


def test_batches_of_long_documents_hold_fewer_rows(tmp_path):
    long = "x" * (BYTES_PER_BATCH // 3)
    texts = [long if row % 4 else "short" for row in range(40)]
    values = pa.array(texts, pa.large_string())
    ids = pa.array([str(row) for row in range(40)], pa.large_string())
    with DocumentsWriter(tmp_path / "documents.arrow", tmp_path / "dictionaries.arrow",
                         DocumentLayout()) as writer:  # fmt: skip
        for row in range(40):
            writer.write(DocumentBatch(ids=ids.slice(row, 1), content=values.slice(row, 1)))
    columns = read(tmp_path, 40)
    sizes = [len(chunk) for chunk in columns.column("content").chunks]
    assert len(sizes) > 5
    assert max(sizes) <= 8
    assert columns.texts("content", range(40)) == texts


def value_spans(data):
    """Return (start, size) of each buffer of values in an Arrow file."""
    whole = pa.py_buffer(data)
    reader = pa.ipc.open_file(whole)
    batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    buffers = [buffer for batch in batches for column in batch for buffer in column.buffers()]
    return [(each.address - whole.address, each.size) for each in buffers if each and each.size]


def test_changed_values_change_results_and_nothing_else(tmp_path):
    write(tmp_path, [document_batch(ROWS)])
    path = tmp_path / "documents.arrow"
    whole = path.read_bytes()
    spans = value_spans(whole)
    random = np.random.default_rng(5)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(20):
            start, size = spans[random.integers(len(spans))]
            data[start + random.integers(size)] = random.integers(256)
        path.write_bytes(data)
        columns = read(tmp_path, 20)
        for name in columns.names:
            found = columns.texts(name, range(20))
            assert len(found) == 20
            assert all(value is None or isinstance(value, str) for value in found)
        for key in columns.keys:
            assert set(columns.metadata(key, range(20))) <= {None, "tier0", "tier1", "tier2"}
        assert len(columns.timestamps(np.arange(20))[0]) == 20


def test_a_damaged_dictionary_is_named_when_it_is_used(tmp_path):
    write(tmp_path, [document_batch(ROWS)])
    path = tmp_path / "dictionaries.arrow"
    data = path.read_bytes().replace(b"tier1", b"tier\xff")
    path.write_bytes(data)
    columns = read(tmp_path)
    assert columns.metadata("tier", [1]) == ["tier\ufffd"]
    with pytest.raises(CorpusCorruptError, match=r"dictionaries.arrow.*UTF8"):
        columns.dictionary("tier")


def test_timestamps_are_instants(tmp_path):
    moment = dt.datetime(2024, 1, 31, 9, 30, tzinfo=dt.UTC)
    batch = DocumentBatch(
        ids=large(["a"]),
        content=large([""]),
        timestamp=pa.array([moment], pa.timestamp("us", "UTC")),
    )
    write(tmp_path, [batch], layout=DocumentLayout(("timestamp",)))
    assert read(tmp_path).column("timestamp").to_pylist() == [moment]
