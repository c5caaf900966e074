"""Oracles and vectors that the tests of the vector engine share."""

from itertools import pairwise

import numpy as np
import pytest

from octavo.kernels.unit_length import unit_length

LANES = 32


def _summed(products):
    """Sum over the last axis: component c to partial sum c mod 32, then by halves."""
    width = -(-products.shape[-1] // LANES) * LANES
    padded = np.zeros((*products.shape[:-1], width))
    padded[..., : products.shape[-1]] = products
    sums = np.zeros((*products.shape[:-1], LANES))
    for start in range(0, width, LANES):
        sums += padded[..., start : start + LANES]
    while sums.shape[-1] > 1:
        half = sums.shape[-1] // 2
        sums = sums[..., :half] + sums[..., half:]
    return sums[..., 0]


def _cosines(queries, vectors):
    """Return the documented score of every pair, float64 of shape (q, n), in plain numpy."""
    left = unit_length(queries).astype(np.float64)
    right = vectors.astype(np.float64)
    squares = _summed(right * right)
    scores = np.zeros((len(left), len(right)))
    for number, query in enumerate(left):
        lengths = np.sqrt(_summed(query * query) * squares)
        np.divide(_summed(query * right), lengths, out=scores[number], where=lengths > 0)
    return np.clip(scores, -1.0, 1.0)


@pytest.fixture(scope="session")
def cosines():
    """The oracle ``cosines(queries, vectors)``."""
    return _cosines


@pytest.fixture(scope="session")
def brute_force():
    """The oracle ``brute_force(queries, vectors, depth, admitted)``: lists of (row, score)."""

    def search(queries, vectors, depth, admitted=None):
        rows = np.arange(len(vectors)) if admitted is None else np.flatnonzero(admitted)
        results = []
        for scores in _cosines(queries, vectors[rows]):
            best = np.lexsort((rows, -scores))[:depth]
            results.append(list(zip(rows[best].tolist(), scores[best].tolist(), strict=True)))
        return results

    return search


@pytest.fixture(scope="session")
def pairs():
    """Turn hits into one list of (row, score) for each query."""

    def listed(hits):
        flat = list(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
        bounds = hits.offsets.tolist()
        return [flat[start:stop] for start, stop in pairwise(bounds)]

    return listed


def _hash_like(random, n, dimensions):
    """Small counts in few slots: thousands of exact ties, zero vectors among them."""
    counts = np.zeros((n, dimensions))
    for _ in range(3):
        counts[np.arange(n), random.integers(0, dimensions, n)] += random.integers(0, 2, n)
    return counts


def _near_ties(random, n, dimensions):
    """One direction, moved by less than float32 can tell apart."""
    centre = random.standard_normal(dimensions)
    return centre + 1e-7 * random.standard_normal((n, dimensions))


def _subnormal(random, n, dimensions):
    """Few large components, the others too small for a normal float32."""
    values = random.standard_normal((n, dimensions)) * 1e-40
    values[np.arange(n), random.integers(0, dimensions, n)] = 1.0
    return values


def _normal(random, n, dimensions):
    return random.standard_normal((n, dimensions))


def _positive(random, n, dimensions):
    """Every product has the same sign, so every rounding error counts."""
    return 1.0 + 0.01 * random.random((n, dimensions))


def _equal(random, n, dimensions):
    return np.tile(random.standard_normal(dimensions), (n, 1))


FAMILIES = {
    "hash-like": _hash_like,
    "near ties": _near_ties,
    "subnormal": _subnormal,
    "normal": _normal,
    "positive": _positive,
    "equal": _equal,
}


@pytest.fixture(params=list(FAMILIES))
def family(request):
    """A maker ``family(random, n, dimensions)`` of float64 vectors of any length."""
    return FAMILIES[request.param]


@pytest.fixture
def random():
    """A random generator with a fixed seed."""
    return np.random.default_rng(20)
