"""A hint to the processor must change nothing, wherever it points."""

import numpy as np
import pytest
from numba import types

from octavo.kernels.compile import kernel, readonly
from octavo.kernels.prefetch import fetch, fetch_row


@pytest.mark.parametrize("dimensions", [1, 16, 100])
def test_any_row_may_be_asked_for(dimensions):
    vectors = np.random.default_rng(1).random((5, dimensions), np.float32)
    before = vectors.copy()
    for row in (0, 4, 5, -1, 10**6):
        fetch_row(vectors, row)
    assert (vectors == before).all()


@kernel(types.int64(readonly(types.int64), types.int64))
def fetched(values, place):
    fetch(values, place)
    return values[0]


def test_any_place_may_be_asked_for():
    values = np.array([7, 8])
    assert [fetched(values, place) for place in (0, 1, 2, -5, 10**9)] == [7] * 5
