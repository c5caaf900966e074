"""The error bound of the approximate scores: no row that belongs among the best is missed."""

import faiss
import numpy as np
import pytest

from octavo.engines.vector.nomination import approximate, bound, one_thread
from octavo.kernels.compile import jit_disabled
from octavo.kernels.unit_length import unit_length


@pytest.mark.parametrize("dimensions", [1, 2, 7, 129, 16_384])
@pytest.mark.parametrize("count", [1, 5, 6, 20])
def test_the_bound_is_never_below_the_cosine(family, random, cosines, dimensions, count):
    rows = 900 if dimensions < 1000 else 6 if jit_disabled() else 70
    vectors = unit_length(family(random, rows, dimensions))
    vectors[5] = 0
    queries = unit_length(family(random, count, dimensions))
    queries[0] = vectors[1]
    queries[-1] = -vectors[2]
    values = np.full((count, rows + 3), np.nan, np.float32)
    with one_thread():
        approximate(queries, vectors, values)
    limits = bound(count, dimensions)
    highest = limits.slope * values[:, :rows].astype(np.float64) + limits.reach
    exact = cosines(queries, vectors)
    assert (highest >= exact).all()
    # And tight enough to be of use: a bound that admits everything would pass the line above.
    whole = vectors.any(axis=1)[np.newaxis] & queries.any(axis=1)[:, np.newaxis]
    assert (highest - exact)[whole].max(initial=0.0) <= 1e-5 + 8 * dimensions * 2.0**-24


def test_the_number_of_threads_is_restored_after_an_error():
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError), one_thread():
            1 // (faiss.omp_get_max_threads() - 1)
        assert faiss.omp_get_max_threads() == 2
    finally:
        faiss.omp_set_num_threads(before)
