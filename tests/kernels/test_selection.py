"""Selection against sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.selection import value_at

FLOATS = st.lists(st.floats(allow_nan=False), min_size=1, max_size=50)
INTEGERS = st.lists(st.one_of(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1)), min_size=1)


@given(st.one_of(FLOATS, INTEGERS), st.integers(0, 10**6))
def test_the_value_is_that_of_the_sorted_list(values, number):
    place = number % len(values)
    array = np.array(values, np.float64 if isinstance(values[0], float) else np.int64)
    assert value_at(array, place) == sorted(values)[place]
    assert sorted(array.tolist()) == sorted(values)


@pytest.mark.parametrize("values", [np.zeros(10_000), np.arange(10_000.0), -np.arange(10_000.0)])
@pytest.mark.parametrize("place", [0, 5_000, 9_999])
def test_long_runs(values, place):
    assert value_at(values.copy(), place) == np.sort(values)[place]
