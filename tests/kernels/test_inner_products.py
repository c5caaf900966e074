"""Inner products against exact sums, and against themselves asked differently."""

import numpy as np
import pytest

from octavo.kernels.inner_products import inner_products


def asked(queries, vectors):
    products = np.empty((len(queries), len(vectors)), np.float32)
    inner_products(queries, vectors, products)
    return products


@pytest.mark.parametrize("dimensions", [1, 3, 31, 32, 33, 100])
def test_products_are_within_the_error_of_float32(dimensions):
    random = np.random.default_rng(1)
    queries = random.standard_normal((3, dimensions), np.float32)
    vectors = random.standard_normal((7, dimensions), np.float32)
    exact = queries.astype(np.float64) @ vectors.astype(np.float64).T
    bound = np.abs(queries.astype(np.float64)) @ np.abs(vectors.astype(np.float64)).T
    error = np.abs(asked(queries, vectors) - exact)
    assert (error <= dimensions * 2.0**-23 * bound).all()


def test_the_documented_order_of_summation():
    random = np.random.default_rng(2)
    query, vector = random.standard_normal((2, 70), np.float32)
    sums = np.zeros(32, np.float32)
    for place, product in enumerate(query * vector):
        sums[place % 32] += product
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    assert asked(query[np.newaxis], vector[np.newaxis])[0, 0] == sums[0]


def test_a_batch_is_a_loop():  # S5
    random = np.random.default_rng(3)
    queries = random.standard_normal((9, 40), np.float32)
    vectors = random.standard_normal((11, 40), np.float32)
    together = asked(queries, vectors)
    for number in range(len(queries)):
        assert (asked(queries[number : number + 1], vectors) == together[number]).all()
