"""8-bit codes: what they stand for, and that no vector is further from its code than stated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors


def rest_lengths(vectors, codes, bounds):
    """How far each vector is from what its code stands for, in float64."""
    levels = codes[:, : vectors.shape[1]].astype(np.float64) - 128
    decoded = bounds[:, :1].astype(np.float64) * levels
    return np.linalg.norm(vectors.astype(np.float64) - decoded, axis=1)


@settings(max_examples=60)
@given(
    st.integers(1, 200),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1e-3, 1.0]),
)
def test_no_vector_is_further_from_its_code_than_its_bound(dimensions, seed, spread):
    random = np.random.default_rng(seed)
    values = 1.0 + spread * random.standard_normal((20, dimensions))
    values[:7] *= random.random((7, dimensions)) < 0.1
    vectors = unit_length(values)
    codes, bounds = encode_vectors(vectors, dimensions + 5)
    rests = rest_lengths(vectors, codes, bounds)
    assert (rests <= bounds[:, 1]).all()
    # And of use: within a step of 1/512 of a level, and half a percent, of the truth.
    step = bounds[:, 0] / 512 * np.sqrt(dimensions)
    assert (bounds[:, 1] <= 1.005 * rests + 2 * step).all()
    assert (codes[:, dimensions:] == 128).all()
    assert codes.min() >= 1


@pytest.mark.parametrize("dimensions", [1000, 16_384])
def test_long_vectors_do_not_overflow(dimensions):
    # Half a level from each code: the largest sum of squares there is.
    levels = np.full((1, dimensions), 0.4999 + 63)
    levels[0, 0] = 127
    vectors = unit_length(levels)
    codes, bounds = encode_vectors(vectors, dimensions)
    rest = rest_lengths(vectors, codes, bounds)[0]
    assert rest <= bounds[0, 1] <= 1.01 * rest


def test_codes_are_the_nearest_of_255_levels():
    vectors = np.array([[0.6, -0.8, 0.0], [0.0, 0.0, 0.0]], np.float32)
    codes, bounds = encode_vectors(vectors, 4)
    assert codes.tolist() == [[128 + 95, 1, 128, 128], [128] * 4]
    assert bounds[0, 0] == np.float32(np.float32(0.8) / np.float32(127))
    assert bounds[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 1e-30])
def test_what_is_no_unit_vector_has_no_bound(value):
    vectors = np.full((1, 40), value, np.float32)
    codes, bounds = encode_vectors(vectors, 64)
    assert bounds[0].tolist() == [0.0, np.inf]
    assert (codes == 128).all()


def test_a_view_and_no_rows():
    matrix = unit_length(np.random.default_rng(1).standard_normal((9, 50)))
    whole = encode_vectors(matrix, 64)
    part = encode_vectors(matrix[::2], 64)
    assert part[0].tobytes() == whole[0][::2].tobytes()
    assert part[1].tobytes() == whole[1][::2].tobytes()
    assert encode_vectors(matrix[:0], 64)[0].shape == (0, 64)
