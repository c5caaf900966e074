"""Canonical text of metadata (S11) against Python's own formatting."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.metadata import DictionaryEncoder, canonical_text
from octavo.columns.place import Place
from octavo.errors import InvalidArgumentError
from tests.columns.arrow_layouts import optional_texts, string_arrays

PLACE = Place("meta")
UTC = dt.UTC


def text_of(values, dtype=None):
    return canonical_text(pa.array(values, dtype), PLACE).to_pylist()


@settings(max_examples=50)
@given(st.data(), optional_texts)
def test_strings_stay_in_every_layout(data, values):  # S11
    assert canonical_text(data.draw(string_arrays(values)), PLACE).to_pylist() == values


def test_booleans_integers_decimals():  # S11
    assert text_of([True, None, False]) == ["true", None, "false"]
    assert text_of([-5, 0, None]) == ["-5", "0", None]
    assert text_of([2**64 - 1], pa.uint64()) == ["18446744073709551615"]
    assert text_of([Decimal("1.50"), None]) == ["1.50", None]


@settings(max_examples=50)
@given(st.lists(st.floats(allow_nan=False)))
def test_float64_reads_back_and_is_as_short_as_pythons(values):  # S11
    for value, text in zip(values, text_of(values, pa.float64()), strict=True):
        assert float(text) == value
        digits = "".join(c for c in text.lower().split("e")[0] if c.isdigit()).strip("0")
        python = "".join(c for c in repr(value).split("e")[0] if c.isdigit()).strip("0")
        assert digits == python


@settings(max_examples=50)
@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_float32_reads_back_in_its_own_width(values):  # S11
    for value, text in zip(values, text_of(values, pa.float32()), strict=True):
        assert np.float32(text) == np.float32(value)


@settings(max_examples=50)
@given(st.lists(st.floats(width=16, allow_nan=False)))
def test_float16_reads_back_in_its_own_width(values):  # S11
    array = np.array(values, np.float16)
    for value, text in zip(array, text_of(array, pa.float16()), strict=True):
        assert np.float16(text) == value


@pytest.mark.parametrize("dtype", [pa.float16(), pa.float32(), pa.float64()])
def test_known_floats(dtype):  # S11
    values = np.array([0.1, 2023.0, -0.0, 0.5, math.inf, math.nan], dtype.to_pandas_dtype())
    expected = ["0.1", "2023", "0", "0.5", "inf", None]
    assert text_of(values, dtype) == expected


@settings(max_examples=50)
@given(st.lists(st.integers(-(2**53), 2**53) | st.none()))
def test_whole_float64_have_the_text_of_the_integer(values):  # S11
    """pandas makes floats of a column of integers that lacks one."""
    floats = [None if value is None else float(value) for value in values]
    assert text_of(floats, pa.float64()) == text_of(values, pa.int64())


@settings(max_examples=50)
@given(st.lists(st.floats(-(2.0**53), 2.0**53, width=32).map(int)))
def test_whole_float32_have_the_text_of_the_integer(values):  # S11
    values += [10**10, 123_456_792]
    floats = [float(value) for value in values]
    assert text_of(floats, pa.float32()) == text_of(values, pa.int64())


def test_nan_and_null_are_missing_keys():  # S11
    assert text_of([math.nan, None, 1.5], pa.float64()) == [None, None, "1.5"]
    assert text_of(np.array([math.nan, 1.5], np.float16), pa.float16()) == [None, "1.5"]
    assert text_of([None, None]) == [None, None]


def test_blank_strings_stay():  # S11
    assert text_of(["", " "]) == ["", " "]


@settings(max_examples=50)
@given(st.lists(st.none() | st.dates()))
def test_dates_are_iso(values):  # S11
    expected = [None if value is None else value.isoformat() for value in values]
    assert text_of(values, pa.date32()) == expected


EARLIEST = dt.datetime(1700, 1, 1)  # noqa: DTZ001 - without a zone on purpose
LATEST = dt.datetime(2200, 1, 1)  # noqa: DTZ001 - likewise


@settings(max_examples=50)
@given(st.lists(st.datetimes(EARLIEST, LATEST)))
def test_timestamps_are_iso_with_the_shortest_fraction(values):  # S11
    expected = []
    for value in values:
        fraction = f".{value.microsecond:06d}".rstrip("0") if value.microsecond else ""
        expected.append(value.strftime("%Y-%m-%dT%H:%M:%S") + fraction)
    assert text_of(values, pa.timestamp("us")) == expected
    zoned = pa.array(values, pa.timestamp("us", "UTC"))
    assert canonical_text(zoned, PLACE).to_pylist() == [text + "Z" for text in expected]
    nanos = pa.array(values, pa.timestamp("us")).cast(pa.timestamp("ns"))
    assert canonical_text(nanos, PLACE).to_pylist() == expected


@settings(max_examples=50)
@given(st.lists(st.none() | st.times()))
def test_times_are_iso_with_the_shortest_fraction(values):  # S11
    expected = []
    for value in values:
        text = None if value is None else value.isoformat()
        expected.append(text.rstrip("0") if text and "." in text else text)
    assert text_of(values, pa.time64("us")) == expected


def test_timestamps_of_other_zones_are_told_in_utc():  # S11
    noon = dt.datetime(2024, 1, 31, 12, tzinfo=UTC)
    array = pa.array([noon], pa.timestamp("s", "Europe/Berlin"))
    assert canonical_text(array, PLACE).to_pylist() == ["2024-01-31T12:00:00Z"]


@pytest.mark.parametrize("values", [[["a"]], [{"a": 1}], [b"x"]])
def test_lists_structs_and_bytes_are_refused(values):  # S11
    with pytest.raises(InvalidArgumentError, match=r"column 'meta' of table: expected metadata"):
        text_of(values)


@settings(max_examples=50)
@given(st.lists(optional_texts, max_size=5))
def test_codes_are_stable_over_batches(batches):
    encoder = DictionaryEncoder()
    oracle: dict[str, int] = {}
    for values in batches:
        codes = encoder.encode(pa.array(values, pa.large_string()))
        assert codes.dtype == np.int32
        expected = [
            -1 if value is None else oracle.setdefault(value, len(oracle)) for value in values
        ]
        assert codes.tolist() == expected
    assert encoder.dictionary().to_pylist() == list(oracle)
    assert len(encoder) == len(oracle)
