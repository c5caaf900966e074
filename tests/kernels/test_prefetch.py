"""A hint to the processor must change nothing, wherever it points."""

import numpy as np
import pytest

from octavo.kernels.prefetch import fetch_row


@pytest.mark.parametrize("dimensions", [1, 16, 100])
def test_any_row_may_be_asked_for(dimensions):
    vectors = np.random.default_rng(1).random((5, dimensions), np.float32)
    before = vectors.copy()
    for row in (0, 4, 5, -1, 10**6):
        fetch_row(vectors, row)
    assert (vectors == before).all()
