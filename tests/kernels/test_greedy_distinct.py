"""Greedy selection of distinct vectors against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.greedy_distinct import greedy_distinct


def kept_of(vectors, threshold, limit=1000):
    kept = np.empty(len(vectors), np.int64)
    count = greedy_distinct(np.asarray(vectors, np.float32), threshold, limit, kept)
    return kept[:count].tolist()


def oracle(vectors, threshold, limit=1000):
    """Cosines compared as squares of exact fractions."""
    exact = [[Fraction(float(value)) for value in vector] for vector in vectors]
    bound = Fraction(threshold)
    kept = []
    for row, vector in enumerate(exact):
        if len(kept) == limit:
            break
        own = sum(value * value for value in vector)
        for other in kept:
            square = sum(value * value for value in exact[other])
            product = sum(a * b for a, b in zip(vector, exact[other], strict=True))
            if own and square and product >= 0 and product**2 >= bound**2 * own * square:
                break
        else:
            kept.append(row)
    return kept


# Small integers: all sums are exact in float64, and cosines are far from the threshold or on it.
VECTORS = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=12)


@given(VECTORS, st.sampled_from([0.0, 0.3, 0.9, 1.0]), st.integers(1, 12))
def test_greedy_by_rank_against_exact_arithmetic(vectors, threshold, limit):  # S64
    assert kept_of(vectors, threshold, limit) == oracle(vectors, threshold, limit)


def test_equal_vectors_are_dropped_at_any_scale_and_zero_vectors_never():  # S64
    vector = np.random.default_rng(0).standard_normal(1536).astype(np.float32)
    vectors = np.stack([0 * vector, vector, 0 * vector, vector * np.float32(2.0**-60), vector])
    assert kept_of(vectors, 1.0) == [0, 1, 2]


def test_a_dropped_vector_drops_none():  # S64
    angles = np.radians([0.0, 20.0, 40.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert kept_of(vectors, np.cos(np.radians(25.0))) == [0, 2]


@pytest.mark.parametrize("shape", [(0, 4), (1, 1)])
def test_nothing_and_one(shape):
    assert kept_of(np.ones(shape), 0.5) == list(range(shape[0]))
