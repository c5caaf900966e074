"""Parent expansion against following each chain in plain Python (S26)."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.parent_expansion import expand_to_parents


@st.composite
def forests(draw, most=10):
    """Parents of a forest; a node's parent has a smaller number, then all numbers are shuffled."""
    nodes = draw(st.integers(0, most))
    above = [draw(st.integers(-1, node - 1)) for node in range(nodes)]
    names = draw(st.permutations(range(nodes)))
    parents = [-1] * nodes
    for node, parent in enumerate(above):
        parents[names[node]] = -1 if parent < 0 else names[parent]
    return parents


SEVERAL = st.integers(0, 4)
SCORES = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 0.25, -1.0]), st.floats(-10, 10))


@st.composite
def searches(draw, queries=SEVERAL):
    parents = draw(forests())
    hit = st.tuples(st.integers(0, len(parents) + 2), SCORES)
    batch = [
        draw(st.lists(hit, max_size=8, unique_by=lambda pair: pair[0]))
        for _ in range(draw(queries))
    ]
    return parents, batch


DEPTHS = st.integers(0, 12)
DECAYS = st.one_of(st.sampled_from([0.0, 0.5, 0.85, 1.0]), st.floats(0, 1))


def masks(draw, nodes):
    return draw(st.none() | st.lists(st.booleans(), min_size=nodes, max_size=nodes))


def expanded(parents, batch, *, depth=99, decay=0.5, limit=99, admitted=None, allowed=None):
    """The kernel's answer as a list a query of (row, score, level, row of the hit)."""
    flat = [hit for query in batch for hit in query]
    offsets = np.cumsum([0, *map(len, batch)]).astype(np.int64)
    rows = np.array([row for row, _ in flat], np.int64)
    kept, found, scores, levels, positions = expand_to_parents(
        offsets,
        rows,
        np.array([score for _, score in flat], np.float64),
        np.array(parents, np.int64),
        max_depth=depth,
        decay=decay,
        limit=limit,
        admitted=None if admitted is None else np.array(admitted, np.bool_),
        allowed=None if allowed is None else np.array(allowed, np.bool_),
    )
    assert (np.diff(kept) >= 0).all()
    for query, (start, stop) in enumerate(itertools.pairwise(kept)):
        assert (positions[start:stop] >= offsets[query]).all()
        assert (positions[start:stop] < offsets[query + 1]).all()
    columns = (found.tolist(), scores.tolist(), levels.tolist(), rows[positions].tolist())
    hits = list(zip(*columns, strict=True))
    return [hits[start:stop] for start, stop in itertools.pairwise(kept)]


def followed(parents, hits, *, depth, decay, limit, admitted, allowed):
    """The oracle: every chain, one step at a time."""
    best = {}
    for start, child_score in hits:
        node, score = start, child_score
        for level in range(depth + 1):
            if node < len(parents) and allowed is not None and not allowed[node]:
                break
            if level == 0 or admitted is None or admitted[node]:
                candidate = (-score, level, start)
                best[node] = min(best.get(node, candidate), candidate)
            node = parents[node] if node < len(parents) else -1
            if node < 0:
                break
            score = score * decay if decay > 0 else 0.0
    ranked = sorted(best.items(), key=lambda item: (item[1][0], item[0]))
    return [(row, -score, level, start) for row, (score, level, start) in ranked[:limit]]


@given(st.data(), searches(), DEPTHS, DECAYS, st.integers(1, 12))
def test_each_chain_is_followed(data, search, depth, decay, limit):  # S6 S9 S26
    parents, batch = search
    options = {
        "depth": depth,
        "decay": decay,
        "limit": limit,
        "admitted": masks(data.draw, len(parents)),
        "allowed": masks(data.draw, len(parents)),
    }
    expected = [followed(parents, hits, **options) for hits in batch]
    assert expanded(parents, batch, **options) == expected


@given(searches(), DEPTHS, DECAYS)
def test_a_batch_is_its_queries_one_by_one(search, depth, decay):  # S5
    parents, batch = search
    alone = [expanded(parents, [hits], depth=depth, decay=decay)[0] for hits in batch]
    assert expanded(parents, batch, depth=depth, decay=decay) == alone


@given(st.data(), searches(st.just(1)), DEPTHS, DECAYS)
def test_the_order_of_the_hits_does_not_matter(data, search, depth, decay):  # S6
    parents, (hits,) = search
    shuffled = data.draw(st.permutations(hits))
    assert expanded(parents, [hits], depth=depth, decay=decay) == expanded(
        parents, [shuffled], depth=depth, decay=decay
    )


@given(searches(st.just(1)), DECAYS)
def test_expanding_again_changes_no_score(search, decay):  # S26
    parents, (hits,) = search
    once = [(row, score) for row, score, _, _ in expanded(parents, [hits], decay=decay)[0]]
    twice = [(row, score) for row, score, _, _ in expanded(parents, [once], decay=decay)[0]]
    assert twice == once


@given(st.data(), searches(st.just(1)), DEPTHS, DECAYS)
def test_a_higher_child_score_lowers_nothing(data, search, depth, decay):  # S26
    parents, (hits,) = search
    gains = data.draw(st.lists(st.floats(0, 5), min_size=len(hits), max_size=len(hits)))
    higher = [(row, score + gain) for (row, score), gain in zip(hits, gains, strict=True)]
    before = {hit[0]: hit[1] for hit in expanded(parents, [hits], depth=depth, decay=decay)[0]}
    after = {hit[0]: hit[1] for hit in expanded(parents, [higher], depth=depth, decay=decay)[0]}
    assert before.keys() == after.keys()
    assert all(after[row] >= before[row] for row in before)


@given(searches(), DEPTHS, DECAYS, st.integers(1, 5))
def test_a_smaller_limit_gives_a_prefix(search, depth, decay, limit):  # S12
    parents, batch = search
    whole = expanded(parents, batch, depth=depth, decay=decay)
    assert expanded(parents, batch, depth=depth, decay=decay, limit=limit) == [
        hits[:limit] for hits in whole
    ]


def test_levels_are_multiplied_one_by_one():  # S26
    chain = [-1, 0, 1, 2]
    found = {row: score for row, score, _, _ in expanded(chain, [[(3, 1.1)]], decay=0.85)[0]}
    assert found == {3: 1.1, 2: 1.1 * 0.85, 1: 1.1 * 0.85 * 0.85, 0: 1.1 * 0.85 * 0.85 * 0.85}


@pytest.mark.parametrize("score", [math.inf, -math.inf])
def test_an_infinite_score_gives_no_nan(score):  # S13
    hits = expanded([-1, 0], [[(1, score)]], decay=0.0)[0]
    assert {row: found for row, found, _, _ in hits} == {1: score, 0: 0.0}


def test_a_deep_chain_is_climbed_within_its_bound():  # S26
    nodes = 1_000
    chain = np.arange(-1, nodes - 1).tolist()
    assert len(expanded(chain, [[(nodes - 1, 1.0)]], depth=2**31 - 1, limit=2**62)[0]) == nodes
    assert len(expanded(chain, [[(nodes - 1, 1.0)]], depth=7, limit=2**62)[0]) == 8


def test_a_hit_can_be_returned_as_another_row():  # S9
    kept, rows, _, _, _ = expand_to_parents(
        np.array([0, 2]), np.array([1, 1]), np.array([1.0, 0.5]), np.array([-1, 0]),
        max_depth=1, decay=0.5, limit=9,
        admitted=np.array([True, False]), shown=np.array([7, 8]),
    )  # fmt: skip
    assert (kept.tolist(), rows.tolist()) == ([0, 3], [7, 0, 8])
