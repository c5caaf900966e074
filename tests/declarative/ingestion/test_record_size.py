"""Records of tables are bounded as those of text files are, in bytes, fields and memory."""

import io
import sqlite3
import tracemalloc
from contextlib import closing

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.declarative.ingestion import FileLoader, IngestionLimits, SqlLoader, load_documents
from octavo.declarative.ingestion.formats import parquet
from octavo.declarative.ingestion.formats.parquet import read_parquet
from octavo.declarative.ingestion.record_size import record_bytes
from octavo.declarative.ingestion.resource import Resource
from octavo.errors import SourceLoadingError

SMALL = IngestionLimits(record_bytes=1_000, record_fields=4)


def resource(table, **options):
    sink = io.BytesIO()
    pq.write_table(pa.table(table), sink, **options)
    data = sink.getvalue()
    return Resource("rows.parquet", "rows.parquet", "docs", len(data), lambda: io.BytesIO(data))


def refusal(*arguments):
    with pytest.raises(SourceLoadingError) as caught:
        list(read_parquet(*arguments))
    return str(caught.value)


@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_row_of_a_parquet_file_is_bounded(use_dictionary, kind):
    texts = pa.array(["a" * 1_000, None, "é" * 501], kind)
    told = refusal(resource({"text": texts}, use_dictionary=use_dictionary), SMALL)
    assert told == "rows.parquet: record 3: expected at most 1,000 bytes, found 1,002"


def test_all_fields_of_a_row_count():
    table = {"a": ["x" * 400] * 2, "b": ["y" * 400, "y" * 601]}
    assert "record 2: expected at most 1,000 bytes, found 1,001" in refusal(resource(table), SMALL)


@pytest.mark.parametrize("value", [["x" * 300] * 4, [{"a": "x" * 600, "b": "y" * 600}]])
def test_so_does_what_is_nested(value):
    assert "record 2: expected at most 1,000" in refusal(resource({"v": [None, value]}), SMALL)


def test_vectors_and_bytes_are_not_read_and_do_not_count():
    table = {
        "text": ["a"],
        "bytes": [b"x" * 5_000],
        "vector": pa.array([[0.5] * 2_000], pa.list_(pa.float32())),
    }
    (record,) = read_parquet(resource(table), SMALL)
    assert record.value == {"text": "a"}


def test_rows_that_cannot_fit_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr(parquet, "_pieces", lambda *_: pytest.fail("read"))
    table = {"text": [f"{number}" * 60_000 for number in range(5)]}
    assert "a row group with" in refusal(resource(table, use_dictionary=False), SMALL)


def test_repeated_text_does_not_fill_the_memory():
    text = "x" * (1 << 20)
    bomb = resource({"text": pa.array([text] * 500).dictionary_encode()})
    assert bomb.size < 1 << 21
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_parquet(bomb, IngestionLimits())) == 500
        assert tracemalloc.get_traced_memory()[1] < 100 << 20, "500 MiB at once"
    finally:
        tracemalloc.stop()


@settings(max_examples=30, deadline=None)
@given(
    texts=st.lists(st.none() | st.text(max_size=40), max_size=60),
    group=st.integers(1, 30),
    size=st.integers(1, 200),
    use_dictionary=st.booleans(),
)
def test_however_many_are_read_at_a_time_all_rows_come_in_order(texts, group, size, use_dictionary):
    table = {"text": pa.array(texts, pa.string()), "n": list(range(len(texts)))}
    source = resource(table, row_group_size=group, use_dictionary=use_dictionary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "_BATCH_BYTES", size)
        records = list(read_parquet(source, IngestionLimits()))
    assert [record.number for record in records] == list(range(1, len(texts) + 1))
    assert [record.value.get("text") for record in records] == texts
    assert [record.value["n"] for record in records] == [str(n) for n in range(len(texts))]


@pytest.mark.parametrize("kind", ["AUTO", "PARQUET"])  # S66
def test_a_declared_format_makes_no_difference(write, declared, kind):
    pq.write_table(pa.table({"text": ["x" * 2_000]}), write({}) / "a.parquet")
    with pytest.raises(SourceLoadingError, match="record 1: expected at most 1,000"):
        list(load_documents(declared(format=kind), [FileLoader(SMALL)]))
    wide = {f"c{number}": ["x"] for number in range(5)}
    pq.write_table(pa.table(wide), write({}) / "a.parquet")
    with pytest.raises(SourceLoadingError, match="at most 4 columns, found 5"):
        list(load_documents(declared(format=kind), [FileLoader(SMALL)]))


@pytest.fixture(params=["sqlite", "duckdb"])
def rows(request, tmp_path, declared):
    path = str(tmp_path / "rows.db")
    connect = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    with closing(connect(path)) as connection:
        connection.execute("CREATE TABLE notes (n INTEGER, body TEXT, picture BLOB)")
        for number, size in ((1, 900), (2, 990), (3, 1_001)):
            values = (number, "x" * size, b"\0" * 5_000)
            connection.execute("INSERT INTO notes VALUES (?, ?, ?)", values)
        connection.commit()

    def load(query):
        connection = f"{request.param}:{path}"
        knowledge = declared("", type="DATABASE", connection=connection, query=query)
        return load_documents(knowledge, [SqlLoader(SMALL)])

    return load


def test_a_row_of_a_database_is_bounded(rows):
    found = rows("SELECT n, body FROM notes ORDER BY n")
    assert [len(next(found).content) for _ in range(2)] == [900, 990]
    with pytest.raises(
        SourceLoadingError, match="record 3: expected at most 1,000 bytes, found 1,009"
    ):
        next(found)


def test_what_a_query_leaves_out_does_not_count(rows):
    assert len(list(rows("SELECT n, body FROM notes WHERE n < 3"))) == 2
    with pytest.raises(SourceLoadingError, match="record 1: expected at most 1,000 bytes"):
        list(rows("SELECT n, picture FROM notes"))


def test_the_columns_of_a_query_are_bounded(rows):
    with pytest.raises(SourceLoadingError, match="at most 4 columns, found 5"):
        list(rows("SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e"))


def test_sizes():
    assert record_bytes(None) == record_bytes(3.5) == 8
    assert record_bytes("\ud800é") == 3
    assert record_bytes([{"a": ("x", b"yz")}, bytearray(4), memoryview(b"12")]) == 9
    deep = "end"
    for _ in range(100_000):
        deep = [deep]
    assert record_bytes(deep) == 3
