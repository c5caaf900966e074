"""Vectors in every list layout, and unit length against exact arithmetic."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.place import Place
from octavo.columns.vectors import MAX_DIMENSIONS, as_vectors
from octavo.errors import DimensionMismatchError, InvalidArgumentError, NonFiniteVectorError
from tests.columns.arrow_layouts import vector_arrays

PLACE = Place("vector", "docs.parquet", 10)


@pytest.mark.parametrize("value_type", [pa.float16(), pa.float32(), pa.float64()])
@given(st.data(), st.integers(1, 4))
def test_every_layout_gives_the_same_vectors(value_type, data, dimensions):
    number = st.sampled_from([-2.0, -0.5, 0.0, 1.0, 3.25])
    vector = st.lists(number, min_size=dimensions, max_size=dimensions)
    values = data.draw(st.lists(st.none() | vector, min_size=1, max_size=8))
    array = data.draw(vector_arrays(values, value_type))
    batch = as_vectors(array, PLACE)
    assert batch.present.tolist() == [value is not None for value in values]
    assert batch.values.flags.c_contiguous
    assert batch.values.dtype == (np.float64 if value_type == pa.float64() else np.float32)
    if batch.dimensions:
        assert batch.values.tolist() == [value or [0.0] * batch.dimensions for value in values]


def test_values_under_nulls_are_not_read():  # S16
    offsets = pa.array([0, 2, 5, 7], pa.int32())
    numbers = pa.array([1.0, 2.0, math.nan, math.nan, math.nan, 3.0, 4.0])
    mask = pa.array([False, True, False])
    batch = as_vectors(pa.ListArray.from_arrays(offsets, numbers, mask=mask), PLACE)
    assert batch.values.tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]
    assert batch.present.tolist() == [True, False, True]


def test_overlapping_views():
    view = pa.ListViewArray.from_arrays(
        pa.array([1, 0], pa.int32()), pa.array([2, 2], pa.int32()), pa.array([1.0, 2.0, 3.0])
    )
    assert as_vectors(view, PLACE).values.tolist() == [[2.0, 3.0], [1.0, 2.0]]


def test_only_null_vectors():  # S16
    for array in (pa.nulls(2), pa.array([None, None], pa.list_(pa.float32()))):
        assert as_vectors(array, PLACE).values.shape == (2, 0)
        assert as_vectors(array, PLACE, 3).values.shape == (2, 3)
        assert not as_vectors(array, PLACE, 3).present.any()
    fixed = pa.array([None], pa.list_(pa.float32(), 4))
    assert as_vectors(fixed, PLACE).values.shape == (1, 4)


def test_no_rows():
    assert as_vectors(pa.array([], pa.list_(pa.float32())), PLACE).values.shape == (0, 0)
    assert as_vectors(pa.chunked_array([], pa.list_(pa.float32(), 2)), PLACE).values.shape == (0, 2)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([[1.0, 2.0], None, [1.0]]), r"found 2 values in row 10 and 1 in row 12"),
        (pa.array([[1.0, None]]), r"found null in row 10"),
        (pa.array([[]], pa.list_(pa.float64())), r"found 0"),
        (pa.array([], pa.list_(pa.float32(), 0)), r"found 0"),
        (pa.array([[1, 2]]), r"found list<.*int64>"),
        (pa.array(["1,2"]), r"found string"),
        (pa.array([[["a"]]]), r"found list"),
        (pa.array([1.0]), r"found double"),
    ],
)
def test_what_is_no_vector_is_refused(array, message):
    with pytest.raises(InvalidArgumentError, match=message) as error:
        as_vectors(array, PLACE)
    assert "column 'vector' of docs.parquet" in str(error.value)


def test_too_many_dimensions():
    wide = pa.array([np.zeros(MAX_DIMENSIONS, np.float32)])
    assert as_vectors(wide, PLACE).dimensions == MAX_DIMENSIONS
    with pytest.raises(InvalidArgumentError, match="1 to 16,384"):
        as_vectors(pa.array([np.zeros(MAX_DIMENSIONS + 1, np.float32)]), PLACE)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("value_type", [pa.float16(), pa.float32(), pa.float64()])
def test_values_that_are_not_finite_are_refused_with_their_rows(bad, value_type):  # S20
    rows = np.zeros((5, 2), value_type.to_pandas_dtype())
    rows[[1, 4], [0, 1]] = bad
    array = pa.array(list(rows), pa.list_(value_type))
    with pytest.raises(NonFiniteVectorError, match="rows 11, 14"):
        as_vectors(array, PLACE)


def test_huge_finite_float64_values_are_accepted():
    batch = as_vectors(pa.array([[1.5e308, 1.5e308]]), PLACE)
    assert batch.values.tolist() == [[1.5e308, 1.5e308]]


def test_another_dimension_than_expected():  # S20
    with pytest.raises(DimensionMismatchError, match=r"expected vectors of 3 .* found 2") as error:
        as_vectors(pa.array([[1.0, 2.0]]), PLACE, 3)
    assert (error.value.expected, error.value.found) == (3, 2)
