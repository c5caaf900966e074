"""Weights and norms to the last bit: exact arithmetic, rounded as float32 rounds it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.engines.keyword.block_max.lengths import CODED_LENGTHS, length_codes
from octavo.engines.keyword.block_max.statistics import (
    clause_weights,
    length_norms,
    posting_factors,
)
from tests.engines.keyword.bm25_oracle import quantised_length


def rounded(value):
    """Round a fraction to the nearest float32."""
    near = np.float32(float(value))
    around = (near, np.nextafter(near, np.float32(-1)), np.nextafter(near, np.float32(np.inf)))
    return min(around, key=lambda each: abs(Fraction(float(each)) - value))


def test_every_length_is_rounded_down_as_in_lucene():
    lengths = [*range(5000), 10**6, 2**31]
    found = CODED_LENGTHS[length_codes(np.array(lengths))].tolist()
    assert found == [quantised_length(length) for length in lengths]
    assert CODED_LENGTHS[255] == 2_013_265_944  # the last of tantivy's table


@given(st.integers(1, 10**9), st.integers(1, 10**7), st.integers(0, 255))
def test_norms_are_rounded_operation_by_operation(tokens, rows, code):
    mean = rounded(Fraction(float(np.float32(tokens))) / Fraction(float(np.float32(rows))))
    length = np.float32(CODED_LENGTHS[code])
    product = rounded(Fraction(3, 4) * Fraction(float(length)))
    quotient = rounded(Fraction(float(product)) / Fraction(float(mean)))
    total = rounded(Fraction(1, 4) + Fraction(float(quotient)))
    k1 = Fraction(float(np.float32(1.2)))
    assert length_norms(tokens, rows)[code] == rounded(k1 * Fraction(float(total)))


def test_factors_are_those_of_each_code():
    norms = length_norms(100, 10)
    factors = posting_factors(norms)
    assert factors.dtype == np.float32
    assert factors[0] == 0
    for frequency in (1, 2, 254):
        tf = np.float32(frequency)
        assert factors[frequency * 256 + 9] == tf / (tf + norms[9])
    assert set(factors[255 * 256 :].tolist()) == {1.0}


@given(st.integers(1, 10**6), st.integers(0, 10**7), st.integers(1, 50))
def test_weights_follow_the_formula(frequency, others, repetitions):
    rows = frequency + others
    (weight,) = clause_weights(np.array([frequency]), np.array([repetitions]), rows)
    idf = math.log1p((rows - frequency + 0.5) / (frequency + 0.5))
    expected = repetitions * idf * 2.2
    assert weight == pytest.approx(expected, rel=1e-5, abs=5e-7 * repetitions)
    (once,) = clause_weights(np.array([frequency]), np.array([1]), rows)
    assert weight == once * np.float32(repetitions)


def test_an_index_without_a_token_has_norms_all_the_same():
    assert np.isfinite(length_norms(0, 0)).all()
    assert np.isfinite(length_norms(0, 5)).all()
