"""Input columns become documents, or an error that names origin, column and rows."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.document_batch import DocumentBatch, normalise, searchable_text
from octavo.columns.schema import ColumnChoice
from octavo.columns.sources import InputBatch, open_inputs
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError

CHOICE = ColumnChoice(id="id", text="text")


def batch(columns, first_row=100):
    return InputBatch(pa.RecordBatch.from_pydict(columns), "docs.parquet", first_row)


def test_every_part():
    columns = {
        "id": pa.array([7, 8]),
        "text": pa.array(["one", None], pa.string_view()),
        "title": pa.array(["A", None]).dictionary_encode(),
        "url": ["u", None],
        "date": pa.array([dt.date(2024, 1, 1), None]),
        "up": pa.array(["", "7"]),
        "tier": pa.array([1.5, None]),
        "vector": pa.array([[3.0, 4.0], None], pa.list_(pa.float32(), 2)),
    }
    choice = ColumnChoice(
        "id", "text", "title", "url", "date", "UTC", "up", "vector", ("tier", "url")
    )
    documents = normalise(batch(columns), choice)
    assert len(documents) == 2
    assert documents.ids.to_pylist() == ["7", "8"]
    assert documents.content.to_pylist() == ["one", ""]  # S16: null text is empty
    assert documents.title.to_pylist() == ["A", None]
    assert documents.source.to_pylist() == ["u", None]
    midnight = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    assert documents.timestamp.to_pylist() == [midnight, None]
    assert documents.parent.to_pylist() == [None, "7"]
    assert {key: text.to_pylist() for key, text in documents.metadata.items()} == {
        "tier": ["1.5", None],  # S11
        "url": ["u", None],
    }
    assert documents.vectors.present.tolist() == [True, False]  # S16
    for column in (documents.ids, documents.content, documents.title, documents.source):
        assert column.type == pa.large_string()


def test_a_column_that_an_input_lacks_is_null():
    choice = ColumnChoice("id", "text", "title", "url", "date", None, "up", "vector", ("tier",))
    documents = normalise(batch({"id": ["a"]}), choice)
    assert documents.content.to_pylist() == [""]
    for column in (documents.title, documents.source, documents.timestamp, documents.parent):
        assert column.to_pylist() == [None]
    assert documents.metadata["tier"].to_pylist() == [None]
    assert documents.vectors.present.tolist() == [False]


def test_what_was_not_chosen_is_not_there():
    documents = normalise(batch({"id": ["a"], "text": ["t"], "title": ["x"]}), CHOICE)
    assert documents.title is None
    assert documents.vectors is None
    assert documents.metadata == {}


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", None, "b", None], r"found null in rows 101, 103"),
        ([None] * 5, r"found null in rows 100, 101, 102, \.\.\."),
        (["a", ""], r"found blank in row 101"),
        ([" \t\u2003\u3000\x1f"], r"found blank in row 100"),
        ([1.5], r"expected strings or integers, found double"),
        ([b"a"], r"expected strings or integers, found binary"),
    ],
)
def test_bad_ids_are_named(ids, message):
    with pytest.raises(InvalidArgumentError, match=message) as error:
        normalise(batch({"id": ids, "text": ["t"] * len(ids)}), CHOICE)
    assert "column 'id' of docs.parquet" in str(error.value)


@given(st.text(st.characters(codec="utf-8"), max_size=4))
def test_blank_is_what_python_calls_blank(identifier):
    one = batch({"id": [identifier], "text": ["t"]})
    if identifier.strip():
        assert normalise(one, CHOICE).ids.to_pylist() == [identifier]
    else:
        with pytest.raises(InvalidArgumentError, match="blank"):
            normalise(one, CHOICE)


def test_every_white_space_character_is_blank():
    spaces = [chr(c) for c in range(0x110000) if chr(c).isspace()]
    for space in spaces:
        with pytest.raises(InvalidArgumentError, match="blank"):
            normalise(batch({"id": [space], "text": ["t"]}), CHOICE)


@pytest.mark.parametrize("column", ["id", "text", "tier"])
def test_text_of_a_parquet_file_that_is_not_utf8_is_refused(tmp_path, column):
    offsets = pa.py_buffer(np.array([0, 1, 3], np.int32))
    bad = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"a\xff\xfe")])
    columns = dict.fromkeys(["id", "text", "tier"], pa.array(["a", "b"])) | {column: bad}
    path = tmp_path / "latin.parquet"
    pq.write_table(pa.table(columns), path)
    choice = ColumnChoice("id", "text", metadata=("tier",))
    with pytest.raises(InvalidArgumentError, match=rf"column '{column}' of .*latin.parquet.*UTF8"):
        [normalise(each, choice) for each in open_inputs(path)]


def test_an_input_without_the_id_column():
    with pytest.raises(InvalidArgumentError, match=r"docs.parquet: no column 'id'.*'text'"):
        normalise(batch({"text": ["t"]}), CHOICE)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("text", [1], "expected strings, found int64"),
        ("title", [[1]], "expected strings, found list"),
        ("tier", [["a"]], "expected metadata"),
        ("date", ["2024-01-01T00:00:00"], "--timestamp-zone"),
        ("date", ["soon"], r"'soon' \(row 100\)"),
        ("vector", [[1]], "found list<.*int64>"),
    ],
)
def test_mistyped_columns_are_named(column, values, message):
    choice = ColumnChoice("id", "text", "title", None, "date", None, None, "vector", ("tier",))
    columns = {"id": ["a"], "text": ["t"], column: values}
    with pytest.raises(InvalidArgumentError, match=message) as error:
        normalise(batch(columns), choice)
    assert f"column '{column}' of docs.parquet" in str(error.value)


def test_bad_vectors_are_named():  # S20
    choice = ColumnChoice("id", "text", embedding="vector")
    ids = {"id": ["a", "b"], "text": ["", ""]}
    with pytest.raises(InvalidArgumentError, match=r"1 in row 101"):
        normalise(batch({**ids, "vector": [[1.0, 2.0], [1.0]]}), choice)
    with pytest.raises(NonFiniteVectorError, match=r"row 101"):
        normalise(batch({**ids, "vector": [[1.0], [np.nan]]}), choice)
    with pytest.raises(DimensionMismatchError, match=r"'vector' of docs.parquet"):
        normalise(batch({**ids, "vector": [[1.0], [2.0]]}), choice, 3)


@given(
    st.lists(
        st.tuples(
            st.none() | st.text(st.characters(codec="utf-8"), max_size=4),
            st.text(st.characters(codec="utf-8"), max_size=4),
        ),
        max_size=6,
    )
)
def test_searchable_text(rows):  # S16
    titles = pa.array([title for title, _ in rows], pa.large_string())
    contents = pa.array([content for _, content in rows], pa.large_string())
    expected = [
        f"{title}\n{content}" if title and content else title or content for title, content in rows
    ]
    documents = DocumentBatch(ids=contents, content=contents, title=titles)
    assert searchable_text(documents).to_pylist() == expected
    assert searchable_text(documents).type == pa.large_string()
    untitled = DocumentBatch(ids=contents, content=contents)
    assert searchable_text(untitled).to_pylist() == contents.to_pylist()
