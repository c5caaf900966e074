"""The counting sort of edges against Python's stable sort."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.compressed_rows import count_heads, place_edges

NODES = 5
EDGES = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.integers(0, 2)), max_size=30
)


@given(EDGES, st.permutations(range(NODES)), st.integers(0, 30), st.booleans(), st.booleans())
def test_edges_by_head_in_their_order(edges, ranks, cut, weighted, compiled):
    count, place = count_heads, place_edges
    if not compiled:
        count, place = (getattr(each, "py_func", each) for each in (count, place))
    heads, tails, relations = (
        np.array([edge[field] for edge in edges], np.int32) for field in range(3)
    )
    nodes = np.array(ranks, np.int32)
    codes = np.array([2, 0, 1], np.int32)
    counts = np.zeros(NODES, np.int64)
    count(heads[:cut].copy(), counts)
    count(heads[cut:].copy(), counts)
    assert counts.tolist() == [heads.tolist().count(node) for node in range(NODES)]
    starts = np.zeros(NODES + 1, np.int64)
    starts[nodes + 1] = counts
    places = np.cumsum(starts)[nodes]
    weights = np.arange(len(edges)) + 0.5
    targets, found = np.empty(len(edges), np.int32), np.empty(len(edges), np.int32)
    reals = np.empty(len(edges) if weighted else 0)
    # The weights of the second part are all 1.
    for part, own in ((slice(0, cut), weights[:cut] if weighted else weights[:0]),
                      (slice(cut, None), weights[:0])):  # fmt: skip
        place(
            heads[part].copy(), tails[part].copy(), relations[part].copy(), own.copy(),
            nodes, codes, places, targets, found, reals,
        )  # fmt: skip
    given_weights = [weight if number < cut else 1.0 for number, weight in enumerate(weights)]
    ordered = sorted(
        ((ranks[head], ranks[tail], int(codes[relation]), weight)
         for (head, tail, relation), weight in zip(edges, given_weights, strict=True)),
        key=lambda edge: edge[0],
    )  # fmt: skip
    assert targets.tolist() == [edge[1] for edge in ordered]
    assert found.tolist() == [edge[2] for edge in ordered]
    if weighted:
        assert reals.tolist() == [edge[3] for edge in ordered]
