"""Weights as numbers in any layout."""

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.place import Place
from octavo.columns.weights import as_weights
from octavo.errors import InvalidArgumentError

PLACE = Place("weight", "edges.csv", 100)
LARGE = 2**63 - 1


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0.5, None, 2.0]),
        pa.array([0.5, None, 2.0], pa.float32()),
        pa.array([np.float16(0.5), None, np.float16(2)], pa.float16()),
        pa.array(["0.5", None, "2"]),
        pa.array(["5e-1", None, "+2.0"], pa.string_view()),
        pa.array(["0.5", None, "2"]).dictionary_encode(),
        pa.array([decimal.Decimal("0.5"), None, decimal.Decimal(2)]),
        pa.chunked_array([[0.5], [None, 2.0]]),
        pa.array([9.0, 0.5, None, 2.0, 9.0]).slice(1, 3),
    ],
)
def test_numbers_in_any_layout(column):
    assert as_weights(column, PLACE).tolist() == [0.5, 1.0, 2.0]


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=9))
def test_null_is_one_and_text_reads_as_its_number(values):
    expected = [1.0 if value is None else value for value in values]
    texts = [None if value is None else repr(value) for value in values]
    for column in (pa.array(values, pa.float64()), pa.array(texts, pa.string())):
        found = as_weights(column, PLACE)
        if all(value == 1.0 for value in expected):
            assert found is None
        else:
            assert found.tolist() == expected


@pytest.mark.parametrize("column", [pa.nulls(3), pa.array([1, 1]), pa.array([]), pa.array(["1.0"])])
def test_only_ones_are_no_weights(column):
    assert as_weights(column, PLACE) is None


def test_integers_beyond_float64_are_rounded():
    assert as_weights(pa.array([LARGE, -3]), PLACE).tolist() == [float(LARGE), -3.0]
    assert as_weights(pa.array([2**64 - 1], pa.uint64()), PLACE).tolist() == [float(2**64)]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1.0, float("nan")]), "expected finite numbers, found nan in row 101"),
        (pa.array([float("inf")]), "expected finite numbers, found inf in row 100"),
        (pa.array(["1", "-inf", "nan"]), "expected finite numbers, found -inf in rows 101, 102"),
        (pa.array(["1", None, "one"]), "expected numbers, found 'one' in row 102"),
        (pa.array(["", "0.5"]), "expected numbers, found '' in row 100"),
        (pa.array([True]), "expected numbers, found bool"),
        (pa.array([[1.0]]), "expected numbers, found list"),
    ],
)
def test_everything_else_is_refused(column, message):
    with pytest.raises(InvalidArgumentError, match=message) as raised:
        as_weights(column, PLACE)
    assert str(raised.value).startswith("column 'weight' of edges.csv: ")
