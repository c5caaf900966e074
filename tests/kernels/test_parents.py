"""Depths and children of forests against walking in plain Python (S26)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.compile import jit_disabled
from octavo.kernels.parents import children_of, node_depths


@st.composite
def graphs(draw):
    """Any array of parents, cycles and self-parents among them."""
    nodes = draw(st.integers(0, 12))
    return draw(st.lists(st.integers(-1, nodes - 1), min_size=nodes, max_size=nodes))


def walked_depth(parents, node):
    """The number of parents above, ``None`` where the walk does not end."""
    for depth in range(len(parents) + 1):
        if parents[node] < 0:
            return depth
        node = parents[node]
    return None


@given(graphs())
def test_depths_are_those_of_a_walk(parents):  # S26
    depths = node_depths(np.array(parents, np.int64))
    for node, depth in enumerate(depths.tolist()):
        assert (depth if depth >= 0 else None) == walked_depth(parents, node)


@given(graphs())
def test_children_are_in_order_of_row(parents):  # S26 S28
    offsets, children = children_of(np.array(parents, np.int64))
    for node in range(len(parents)):
        expected = [child for child, parent in enumerate(parents) if parent == node]
        assert children[offsets[node] : offsets[node + 1]].tolist() == expected


def test_a_deep_chain_needs_no_recursion():  # S26
    nodes = 2_000 if jit_disabled() else 1_000_000
    chain = np.arange(-1, nodes - 1)
    assert np.array_equal(node_depths(chain), np.arange(nodes))
    backwards = np.append(np.arange(1, nodes), -1)
    assert np.array_equal(node_depths(backwards), np.arange(nodes)[::-1])
    backwards[-1] = nodes // 2
    assert (node_depths(backwards) < 0).all()
