"""Unit length against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.unit_length import unit_length

FLOATS = st.one_of(
    st.floats(-1e3, 1e3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, -1.7e308, 1e-160, 1e160]),
)


def exact_unit(vector):
    """Return the components of the unit vector to about 60 decimal places."""
    values = [Fraction(float(value)) for value in vector]
    largest = max(abs(value) for value in values)
    values = [value / largest for value in values]
    square = sum(value * value for value in values)
    scale = 10**60
    root = Fraction(int_sqrt(int(square * scale * scale)), scale)
    return [value / root for value in values]


def int_sqrt(number):
    import math

    return math.isqrt(number)


@given(st.lists(FLOATS, min_size=1, max_size=70).filter(any))
def test_components_are_right_to_half_a_unit_in_the_last_place(vector):
    unit = unit_length(np.array([vector]))
    assert unit.dtype == np.float32
    for found, expected in zip(unit[0].tolist(), exact_unit(vector), strict=True):
        spacing = max(2.0**-149, abs(float(expected)) * 2.0**-23)
        # 2**-21 on top where the vector was taken as being of unit length already.
        slack = abs(float(expected)) * 2.0**-20 + spacing * 0.5001
        assert abs(Fraction(found) - expected) <= Fraction(slack)


@given(st.lists(FLOATS, min_size=1, max_size=70))
def test_applied_twice_gives_the_same_bits(vector):
    once = unit_length(np.array([vector]))
    assert unit_length(once).tobytes() == once.tobytes()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [1, 31, 32, 33, 384])
def test_lengths_are_one_and_zero_stays_zero(dtype, dimensions):  # S20
    values = np.random.default_rng(3).standard_normal((20, dimensions)).astype(dtype)
    values[7] = 0
    lengths = np.linalg.norm(unit_length(values).astype(np.float64), axis=1)
    assert lengths[7] == 0.0
    np.testing.assert_allclose(np.delete(lengths, 7), 1.0, atol=2e-7)


def test_layout_and_batch_do_not_matter():
    values = np.random.default_rng(4).standard_normal((6, 40)).astype(np.float32)
    whole = unit_length(values)
    assert unit_length(np.asfortranarray(values)).tobytes() == whole.tobytes()
    assert unit_length(values[::-1])[::-1].tobytes() == whole.tobytes()
    assert unit_length(values[2:3]).tobytes() == whole[2:3].tobytes()
    assert unit_length(values.astype(np.float64)).tobytes() == whole.tobytes()


def test_no_rows_and_no_change_to_the_argument():
    assert unit_length(np.zeros((0, 5))).shape == (0, 5)
    values = np.array([[3.0, 4.0]], np.float32)
    values.flags.writeable = False
    assert unit_length(values).tolist() == [[np.float32(0.6), np.float32(0.8)]]
    assert values.tolist() == [[3.0, 4.0]]
