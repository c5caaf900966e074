"""The scan of codes: candidates against brute force, whatever the bounds say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.engines.vector.coded_queries import CodedQueries
from octavo.kernels.candidates import settle_queries
from octavo.kernels.code_scan import scan_codes
from octavo.kernels.code_tiles import supported
from octavo.kernels.exact_scan import cosine, squared_lengths
from octavo.kernels.unit_length import unit_length
from octavo.kernels.vector_codes import encode_vectors

pytestmark = pytest.mark.skipif(not supported(), reason="needs 8-bit dot products of 512 bits")


@settings(max_examples=40)
@given(
    st.integers(1, 90),
    st.sampled_from([1, 2, 16, 17, 33, 70]),
    st.integers(1, 12),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_candidates_hold_the_best_of_every_query(n, count, depth, spare, loose, seed):  # S6
    random = np.random.default_rng(seed)
    vectors = unit_length(random.integers(-1, 2, (n, 40)).astype(float))
    queries = unit_length(random.integers(-1, 2, (count, 40)) + 0.25)
    codes, bounds = encode_vectors(vectors, 64)
    if loose:  # larger bounds are as true
        bounds[:, 1] += random.random(n).astype(np.float32)
    positions = random.permutation(n)[: max(1, n // 2)] if random.random() < 0.5 else np.arange(0)
    admitted = random.random(len(positions) or n) < 0.8
    chosen = positions if len(positions) else np.arange(n)
    coded = CodedQueries.of(queries)
    squares, sums = np.empty(count), np.empty(64)
    squared_lengths(queries, squares)
    capacity = depth + spare
    counts = np.zeros(count, np.int64)
    rows = np.full(count * capacity, -1, np.int64)
    lowest, highest = np.empty(count * capacity), np.empty(count * capacity)
    scored = scan_codes(
        np.ascontiguousarray(codes[chosen]),
        np.ascontiguousarray(bounds[chosen]),
        coded.packed,
        coded.levels,
        coded.starts,
        coded.slopes,
        coded.cuts,
        coded.thresholds,
        queries,
        squares,
        vectors,
        0,
        positions,
        1000,
        admitted,
        depth,
        counts,
        rows,
        lowest,
        highest,
    )
    scored += settle_queries(
        0,
        count,
        queries,
        squares,
        coded.cuts,
        coded.thresholds,
        vectors,
        1000,
        depth,
        counts,
        rows,
        lowest,
        highest,
    )
    for query in range(count):
        exact = sorted(
            (-cosine(queries, query, squares[query], vectors, position, sums), position)
            for position in chosen[admitted].tolist()
        )
        expected = [(position + 1000, -score) for score, position in exact[:depth]]
        own = slice(query * capacity, query * capacity + counts[query])
        assert list(zip(rows[own].tolist(), lowest[own].tolist(), strict=True)) == expected
    assert scored <= count * len(chosen)
