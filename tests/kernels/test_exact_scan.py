"""The exact cosine of stored vectors, against exact arithmetic; the engine's tests cover the scan."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.kernels.exact_scan import SUMS, cosine, score_rows, squared_lengths

NUMBERS = st.floats(-2, 2, width=32) | st.sampled_from([0.0, -0.0, 1e-20, 2.0**-149])


def vectors_of(dimensions):
    row = st.lists(NUMBERS, min_size=dimensions, max_size=dimensions)
    return st.lists(row, min_size=2, max_size=4).map(lambda rows: np.array(rows, np.float32))


def exact_cosine(left, right):
    """The cosine of two float32 vectors to about 100 bits, from fractions."""
    one = [Fraction(float(value)) for value in left]
    two = [Fraction(float(value)) for value in right]
    product = sum(a * b for a, b in zip(one, two, strict=True))
    square = sum(a * a for a in one) * sum(b * b for b in two)
    if not square:
        return 0.0
    scaled = product * product * (1 << 200) / square
    size = Fraction(math.isqrt(int(scaled)), 1 << 100)
    return math.copysign(float(size), product)


def squares_of(vectors):
    squares = np.empty(len(vectors))
    squared_lengths(vectors, squares)
    return squares


@settings(max_examples=60)
@given(st.integers(1, 70).flatmap(vectors_of))
def test_cosine_is_that_of_exact_arithmetic(vectors):  # S20
    squares, sums = squares_of(vectors), np.empty(SUMS)
    for query in range(len(vectors)):
        for row in range(len(vectors)):
            found = cosine(vectors, query, squares[query], vectors, row, sums)
            assert found == pytest.approx(exact_cosine(vectors[query], vectors[row]), abs=1e-13)
            assert -1.0 <= found <= 1.0


@given(st.integers(1, 70).flatmap(vectors_of))
def test_a_vector_has_cosine_one_with_itself(vectors):  # S20
    squares, sums = squares_of(vectors), np.empty(SUMS)
    for row, vector in enumerate(vectors):
        found = cosine(vectors, row, squares[row], vectors, row, sums)
        assert found == (1.0 if squares[row] else 0.0)
        assert bool(squares[row]) == bool(vector.any())


def test_only_rows_of_the_segment_are_scored():
    vectors = np.eye(4, 8, dtype=np.float32)
    queries = np.ones((2, 8), np.float32)
    rows = np.array([9, 10, 13, 14, 10, 0], np.int64)
    scores = np.full(6, -7.0)
    score_rows(queries, squares_of(queries), np.array([0, 4, 6]), rows, vectors, 10, scores)
    expected = 1 / math.sqrt(8)
    assert scores.tolist() == pytest.approx([-7.0, expected, expected, -7.0, expected, -7.0])
