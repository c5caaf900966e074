"""JSON lines: every value independent of its neighbours; every error names file and line."""

import json
import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.place import Place
from octavo.columns.readers.json_lines import JsonLinesSource
from octavo.columns.sources import input_schema
from octavo.columns.vectors import as_vectors
from octavo.errors import SourceLoadingError

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8)
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("json") / "docs.jsonl"


def read(path, columns=None, batch_rows=1000):
    rows = []
    for batch in JsonLinesSource(str(path)).batches(columns, batch_rows):
        rows.extend(batch.to_pylist())
    return rows


@settings(max_examples=50)
@given(st.lists(st.fixed_dictionaries({}, optional={"id": scalars, "b": scalars}), max_size=12))
def test_values_do_not_depend_on_batches(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    whole = read(path, ["id", "b"])
    assert whole == read(path, ["id", "b"], batch_rows=1)
    assert whole == read(path, ["id", "b"], batch_rows=3)
    for record, row in zip(records, whole, strict=True):
        for name in ("id", "b"):
            value, text = record.get(name), row[name]
            if isinstance(value, bool):
                assert text == str(value).lower()
            elif isinstance(value, float):
                assert float(text) == value
            elif isinstance(value, int):
                assert int(text) == value
            else:
                assert text == value


def test_ids_stay_as_written(path):
    path.write_text('{"id": "007"}\n{"id": 7}\n{"id": 7.0}\n{"id": null}\n{}\n')
    assert [row["id"] for row in read(path, ["id"])] == ["007", "7", "7", None, None]


def test_blank_lines_byte_order_mark_and_line_separators(path):
    path.write_bytes('\ufeff{"id": "a\u2028b"}\r\n\r\n  \n{"id": "b", "id": "c"}'.encode())
    assert [row["id"] for row in read(path, ["id"])] == ["a\u2028b", "c"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "a"', "Expecting"),
        (b"[1, 2]", "a JSON list, not an object; write one object a line"),
        (b'"text"', "a JSON str"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "recursion"),
        (b'{"id": ' + b"9" * 5_000 + b"}", "digits"),
        (b'{"id": {"a": 1}}', "'id' holds an object"),
        (b'{"id": ["a"]}', "'id' holds a list"),
        (b'{"id": [true]}', "'id' holds a list"),
    ],
)
def test_bad_lines_are_named(path, line, message):
    path.write_bytes(b'{"id": null}\n\n' + line + b"\n")
    with pytest.raises(SourceLoadingError, match=r"docs.jsonl: expected JSON lines") as error:
        read(path, ["id"])
    assert message in str(error.value)
    assert "(line 3)" in str(error.value)


def test_a_lone_surrogate_is_refused(path):
    path.write_text('{"id": "\\ud800"}\n')
    with pytest.raises(SourceLoadingError, match=r"docs.jsonl.*'id'.*line 1"):
        read(path, ["id"])


def test_what_is_not_asked_for_may_be_anything(path):
    path.write_text('{"id": "a", "other": {"deep": ["\\ud800"]}}\n')
    assert read(path, ["id"]) == [{"id": "a"}]


def test_vectors(path):
    path.write_text('{"v": [1, 2.5]}\n{"v": null}\n{"v": [NaN, 0]}\n')
    batch = next(JsonLinesSource(str(path)).batches(["v"], 2))
    assert as_vectors(batch.column("v"), Place("v")).values.tolist() == [[1.0, 2.5], [0.0, 0.0]]
    assert math.isnan(read(path, ["v"])[2]["v"][0])


def test_a_column_is_either_text_or_vectors(path):
    path.write_text('{"v": "a"}\n{"v": [1.0]}\n')
    with pytest.raises(SourceLoadingError, match=r"'v' holds 'a'.*line 1"):
        read(path, ["v"])


def test_the_schema_looks_until_it_has_seen_what_is_wanted(path):
    lines = ['{"id": null}\n'] * 1_500 + ['{"id": "a", "late": [1.0], "deep": {}}\n']
    path.write_text("".join(lines))
    source = JsonLinesSource(str(path))
    assert source.schema(()).names == ["id"]
    schema = input_schema([source], ["late"])
    assert schema.names == ["id", "late", "deep"]
    assert schema.field("id").type == pa.large_string()
    assert pa.types.is_struct(schema.field("deep").type)
