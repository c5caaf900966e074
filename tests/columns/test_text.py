"""Strings in every layout give the same large_string; anything else is refused."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.place import Place
from octavo.columns.text import as_ids, as_text
from octavo.errors import InvalidArgumentError
from tests.columns.arrow_layouts import optional_texts, string_arrays

PLACE = Place("body", "docs.parquet", 100)


@given(st.data(), optional_texts)
def test_every_layout_gives_the_same_text(data, values):
    array = data.draw(string_arrays(values))
    for read in (as_text, as_ids):
        result = read(array, PLACE)
        assert result.type == pa.large_string()
        assert result.to_pylist() == values


def test_only_nulls():
    assert as_text(pa.nulls(3), PLACE).to_pylist() == [None] * 3
    assert as_text(pa.chunked_array([], pa.string()), PLACE).to_pylist() == []


@settings(max_examples=50)
@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_integer_ids_become_their_digits(values):
    expected = [None if value is None else str(value) for value in values]
    array = pa.array(values, pa.int64())
    assert as_ids(array, PLACE).to_pylist() == expected
    assert as_ids(array.dictionary_encode(), PLACE).to_pylist() == expected


def test_the_largest_unsigned_id():
    assert as_ids(pa.array([2**64 - 1], pa.uint64()), PLACE).to_pylist() == [str(2**64 - 1)]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([b"bytes"]),
        pa.array([b"bytes"], pa.large_binary()),
        pa.array([1.5]),
        pa.array([True]),
        pa.array([["a"]]),
        pa.array([{"a": "b"}]),
    ],
)
def test_other_types_are_refused_with_column_and_types(array):
    for read in (as_text, as_ids):
        with pytest.raises(InvalidArgumentError, match=r"column 'body' of docs.parquet") as error:
            read(array, PLACE)
        assert str(array.type) in str(error.value)


def test_numbers_are_no_text():
    with pytest.raises(InvalidArgumentError, match=r"expected strings, found int64"):
        as_text(pa.array([1]), PLACE)


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string()])
def test_invalid_utf8_is_refused(dtype):
    offsets = np.array([0, 2], np.int32 if dtype == pa.string() else np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"\xff\xfe")]
    with pytest.raises(InvalidArgumentError, match="UTF8"):
        as_text(pa.Array.from_buffers(dtype, 1, buffers), PLACE)


def test_damaged_offsets_are_refused():
    offsets = np.array([0, 1_000_000, 2], np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"ab")]
    with pytest.raises(InvalidArgumentError, match="valid Arrow data"):
        as_text(pa.Array.from_buffers(pa.string(), 2, buffers), PLACE)
