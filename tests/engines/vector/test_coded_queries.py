"""Coded queries: the thresholds never exclude a vector that reaches the score."""

import numpy as np
import pytest

from octavo.engines.vector.coded_queries import CodedQueries
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors


@pytest.mark.parametrize("dimensions", [36, 129, 4096])
@pytest.mark.parametrize("count", [1, 20])
def test_the_bound_is_never_below_the_cosine(family, random, cosines, dimensions, count):
    rows = 400 if dimensions < 1000 else 40
    vectors = unit_length(family(random, rows, dimensions))
    vectors[5] = 0
    queries = unit_length(family(random, count, dimensions))
    queries[0] = unit_length(random.standard_normal((1, dimensions)))
    queries = queries[queries.any(axis=1)]
    width = -(-dimensions // 64) * 64
    codes, bounds = encode_vectors(vectors, width)
    coded = CodedQueries.of(queries)
    dots = coded.levels.astype(np.int64) @ codes.astype(np.int64).T
    dots += coded.starts[: len(queries), np.newaxis]
    exact = cosines(queries, vectors)
    # As a tile compares them: in float32, against the threshold for the exact score.
    slopes = coded.slopes[: len(queries), np.newaxis]
    highest = dots.astype(np.float32) * bounds[:, 0] + slopes * bounds[:, 1]
    first, second, third = (coded.cuts[:, column, np.newaxis] for column in range(3))
    assert (highest >= ((exact - first) * second).astype(np.float32)).all()
    # As candidates hold them: in float64, from both sides.
    value = dots * bounds[:, 0].astype(np.float64) / second
    reach = first + bounds[:, 1].astype(np.float64) * third
    assert (value - reach <= exact).all()
    assert (exact <= value + reach).all()
    assert reach.max() < 0.05 + 4e-3 * np.sqrt(dimensions)


def test_queries_that_fill_up_reach_nothing():
    coded = CodedQueries.of(unit_length(np.arange(1.0, 121.0).reshape(3, 40)))
    assert coded.thresholds[:3].tolist() == [-np.inf] * 3
    assert coded.thresholds[3:].tolist() == [np.inf] * 61
    assert len(coded.packed) == 64 * 64
    group = coded.packed.reshape(4, 16, 16, 4)
    assert group[0, :, 1].ravel().tolist() == coded.levels[1].tolist()


def test_one_query_is_packed_as_vectors_are():
    coded = CodedQueries.of(unit_length(np.arange(1.0, 41.0)[np.newaxis]))
    assert coded.packed.tolist() == coded.levels[0].tolist()
    assert coded.packed.max() == 127
