"""Bounded best-first traversal against every path there is (S24)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.graph.best_first import best_first
from octavo.graph.bounds import WalkBounds
from octavo.kernels import graph_traversal
from octavo.kernels.graph_traversal import TooManyPaths, Workspace, traverse

DECAY = st.sampled_from([0.0, 0.5, 0.85, 1.0, 1e-200])
ABOVE = st.sampled_from([0.0, 1e-320, 0.25, 0.3, 0.5, 0.7225, 0.85, 1.0, 3.0])
BELOW = st.sampled_from([-1e-320, -0.5, -0.85, -1.0, -7.0])


@st.composite
def graphs(draw, scores, most_nodes=7):
    number = draw(st.integers(1, most_nodes))
    node = st.integers(0, number - 1)
    edges = draw(st.lists(st.tuples(node, node), min_size=number, max_size=3 * number))
    seeds = draw(st.lists(st.dictionaries(node, scores, max_size=number), min_size=1, max_size=3))
    fence = draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=number, max_size=number)))
    return number, edges, seeds, fence


def walked(graph, depth, decay, most, **options):
    """Walk in the kernel; return {node: (score, hops, seed's score)} of each query."""
    number, edges, seeds, fence = graph
    admitted = [best_first_seeds(each, fence) for each in seeds]
    visits = traverse(
        *csr(number, edges),
        np.cumsum([0, *map(len, admitted)], dtype=np.int64),
        np.array([node for each in admitted for node, _ in each], np.int64),
        np.array([score for each in admitted for _, score in each], np.float64),
        max_depth=depth,
        decay=decay,
        max_nodes=most,
        allowed=None if fence is None else np.array(fence, np.bool_),
        **options,
    )
    scores = [score for each in admitted for _, score in each]
    flat = [
        (node, (score, hops, scores[seed]))
        for node, score, hops, seed in zip(*map(np.ndarray.tolist, visits[1:]), strict=True)
    ]
    assert len(visits.offsets) == len(seeds) + 1
    starts = zip(visits.offsets.tolist(), visits.offsets.tolist()[1:], strict=False)
    found = [dict(flat[start:stop]) for start, stop in starts]
    assert sum(map(len, found)) == len(flat)
    return found


def best_first_seeds(seeds, fence):
    return sorted(
        ((node, score) for node, score in seeds.items() if fence is None or fence[node]),
        key=lambda seed: (-seed[1], seed[0]),
    )


def csr(number, edges):
    ordered = sorted(edges, key=lambda edge: edge[0])
    offsets = np.zeros(number + 1, np.int64)
    for source, _ in edges:
        offsets[source + 1 :] += 1
    return offsets, np.array([target for _, target in ordered], np.int32)


def every_path(graph, query, depth, decay):
    """The best (-score, hops, seed) of each node over all paths that pass no node twice."""
    _, edges, seeds, fence = graph
    best = {}

    def follow(path, score, seed):
        key = (-score, len(path) - 1, seed)
        best[path[-1]] = min(key, best.get(path[-1], key))
        if len(path) <= depth:
            for source, target in edges:
                allowed = fence is None or fence[target]
                if source == path[-1] and target not in path and allowed:
                    follow([*path, target], score * decay, seed)

    ranked = best_first_seeds(seeds[query], fence)
    for seed, (node, score) in enumerate(ranked):
        follow([node], score, seed)
    return best, [score for _, score in ranked]


def expected(graph, query, depth, decay, most=100):
    """The bound counts nodes, taken best first: by score, fewer hops, better seed, node."""
    best, seeds = every_path(graph, query, depth, decay)
    kept = sorted(best, key=lambda node: (*best[node], node))[:most]
    return {node: (-best[node][0], best[node][1], seeds[best[node][2]]) for node in kept}


@given(graphs(ABOVE), st.integers(0, 5), DECAY, st.integers(1, 8))
@settings(max_examples=300, deadline=None)
def test_the_best_path_of_each_node_and_the_best_nodes(graph, depth, decay, most):  # S24
    for query, found in enumerate(walked(graph, depth, decay, most)):
        assert found == expected(graph, query, depth, decay, most)


@given(graphs(ABOVE), st.integers(0, 5), DECAY, st.integers(1, 8), st.integers(1, 8))
@settings(max_examples=300, deadline=None)
def test_the_best_are_there_where_only_they_are_wanted(graph, depth, decay, most, wanted):  # S12
    for query, found in enumerate(walked(graph, depth, decay, most, wanted=wanted)):
        everything = expected(graph, query, depth, decay, most)
        order = sorted(everything, key=lambda node: (-everything[node][0], node))[:wanted]
        assert sorted(found, key=lambda node: (-found[node][0], node))[:wanted] == order
        assert all(found[node] == everything[node] for node in order)


@given(graphs(ABOVE | BELOW), st.integers(0, 5), DECAY)
@settings(max_examples=300, deadline=None)
def test_scores_below_zero_take_the_longest_path(graph, depth, decay):  # S24
    for query, found in enumerate(walked(graph, depth, decay, 100)):
        assert found == expected(graph, query, depth, decay)


@given(graphs(ABOVE | BELOW), st.integers(0, 4), DECAY, st.integers(1, 8))
@settings(max_examples=300, deadline=None)
def test_asking_a_store_node_by_node_gives_the_same_bits(graph, depth, decay, most):  # S5 S24
    number, edges, seeds, fence = graph
    names = [f"node {node}" for node in range(number)]
    offsets, targets = csr(number, edges)
    for query, found in enumerate(walked(graph, depth, decay, most)):
        admitted = [(names[node], score) for node, score in best_first_seeds(seeds[query], fence)]
        visits = best_first(
            admitted,
            lambda name: [
                names[target]
                for target in targets[
                    offsets[names.index(name)] : offsets[names.index(name) + 1]
                ].tolist()
            ],
            lambda name: fence is None or fence[names.index(name)],
            WalkBounds(depth, decay, most),
        )
        assert {visit.node: visit[1:] for visit in visits} == {
            names[node]: label for node, label in found.items()
        }
        assert len(visits) == len(found)


@given(graphs(ABOVE), st.integers(0, 5), DECAY, st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_both_kernels_give_the_same_bits(graph, depth, decay, most):
    # A query below zero takes the whole batch to the heap.
    number, edges, seeds, _ = graph
    beside = (number, edges, [*seeds, {0: -1.0}], None)
    assert (
        walked((number, edges, seeds, None), depth, decay, most)
        == walked(beside, depth, decay, most)[:-1]
    )


@given(graphs(ABOVE | BELOW), st.integers(0, 4), DECAY, st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_without_a_compiler_the_bits_are_the_same(graph, depth, decay, most):
    compiled = walked(graph, depth, decay, most)
    kept = graph_traversal._walk, graph_traversal.walk_levels
    graph_traversal._walk, graph_traversal.walk_levels = (
        getattr(kernel, "py_func", kernel) for kernel in kept
    )
    try:
        assert walked(graph, depth, decay, most) == compiled
    finally:
        graph_traversal._walk, graph_traversal.walk_levels = kept


@given(graphs(ABOVE | BELOW), st.integers(0, 4), DECAY, st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_a_query_owes_nothing_to_the_others_of_its_batch(graph, depth, decay, most):  # S5
    number, edges, seeds, fence = graph
    workspace = Workspace(number)
    together = walked(graph, depth, decay, most, workspace=workspace)
    assert not workspace.state.any()
    alone = [
        walked((number, edges, [each], fence), depth, decay, most, workspace=workspace)[0]
        for each in seeds
    ]
    assert together == alone


@given(graphs(ABOVE), st.integers(0, 4), DECAY, st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_looser_bounds_lose_nothing(graph, depth, decay, most):
    for tight, deeper, wider in zip(
        walked(graph, depth, decay, 100),
        walked(graph, depth + 1, decay, 100),
        walked(graph, depth, decay, most + 1),
        strict=True,
    ):
        assert all(deeper[node][0] >= score for node, (score, *_) in tight.items())
        assert wider.items() <= tight.items()
    narrow = walked(graph, depth, decay, most)
    wider = walked(graph, depth, decay, most + 1)
    assert all(few.items() <= more.items() for few, more in zip(narrow, wider, strict=True))


def test_a_node_reached_again_with_fewer_hops_is_expanded_again():  # S24
    # 0 -> 1 -> 2 is the better way to 2, but only seed 3 -> 2 leaves a hop to reach 4.
    graph = (5, [(0, 1), (1, 2), (3, 2), (2, 4)], [{0: 1.0, 3: 0.1}], None)
    (found,) = walked(graph, 2, 0.5, 10)
    assert found == {
        0: (1.0, 0, 1.0), 1: (0.5, 1, 1.0), 2: (0.25, 2, 1.0), 3: (0.1, 0, 0.1), 4: (0.025, 2, 0.1),
    }  # fmt: skip


def test_a_shorter_path_that_waits_does_not_hold_back_a_better_one():  # S24
    # 2 is reached over 0 -> 1 with 0.25, and then, before its turn, from 3 with 0.15.
    links = [(0, 1), (1, 2), (3, 2), (2, 4), (4, 5)]
    for below in ({}, {6: -1.0}):
        (found,) = walked((7, links, [{0: 1.0, 3: 0.3, **below}], None), 3, 0.5, 10)
        assert found[4] == (0.125, 3, 1.0)
        assert found[5] == (0.0375, 3, 0.3)


def test_what_seeds_of_equal_scores_reach_is_settled_by_node():  # S6 S12
    # By the time that seed 4 is followed, enough nodes have come from seed 3, but none before 0.
    graph = (5, [(3, 1), (3, 2), (4, 0)], [{3: 1.0, 4: 1.0}], None)
    (found,) = walked(graph, 1, 1.0, 10, wanted=2)
    assert sorted(found)[:2] == [0, 1]


def test_levels_are_left_where_better_seeds_fill_the_bound():  # S24
    # Seed 0 reaches more nodes than may be visited; nothing of seed 1's is, though 9 is a hub.
    links = [(0, 2), (0, 3), (0, 4), (1, 9), *((9, node) for node in range(5, 9))]
    (found,) = walked((10, links, [{0: 1.0, 1: 0.9}], None), 2, 0.5, 4)
    assert found == {
        0: (1.0, 0, 1.0), 1: (0.9, 0, 0.9), 2: (0.5, 1, 1.0), 3: (0.5, 1, 1.0),
    }  # fmt: skip


def test_a_fenced_node_is_not_walked_through():  # S24
    graph = (3, [(0, 1), (1, 2)], [{0: 1.0}], [True, False, True])
    assert walked(graph, 5, 1.0, 10) == [{0: (1.0, 0, 1.0)}]


def test_a_seed_is_no_better_for_a_cycle():  # S24
    graph = (2, [(0, 0), (0, 1), (1, 0)], [{0: -1.0}], None)
    assert walked(graph, 4, 0.5, 10) == [{1: (-0.5, 1, -1.0), 0: (-1.0, 0, -1.0)}]


def test_nothing_in_gives_nothing_out():
    assert walked((1, [], [{}, {}], None), 2, 0.5, 10) == [{}, {}]
    visits = traverse(
        np.zeros(1, np.int64), np.zeros(0, np.int32),
        np.zeros(3, np.int64), np.zeros(0, np.int64), np.zeros(0),
        max_depth=2**31 - 1, decay=1.0, max_nodes=2**31 - 1,
    )  # fmt: skip
    assert visits.offsets.tolist() == [0, 0, 0]


def test_a_chain_of_100_000_nodes():
    number = 100_000
    edges = [(node, node + 1) for node in range(number - 1)]
    offsets = np.minimum(np.arange(number + 1), number - 1)
    visits = traverse(
        offsets, np.array([target for _, target in edges], np.int32),
        np.array([0, 1]), np.array([0]), np.array([1.0]),
        max_depth=2**31 - 1, decay=1.0, max_nodes=2**31 - 1,
    )  # fmt: skip
    assert visits.hops.tolist() == list(range(number))


def test_a_node_with_many_edges_and_a_small_bound():
    number = 200_000
    offsets = np.concatenate(([0], np.full(number, number - 1)))
    visits = traverse(
        offsets, np.arange(1, number, dtype=np.int32),
        np.array([0, 1]), np.array([0]), np.array([2.0]),
        max_depth=2, decay=0.5, max_nodes=3,
    )  # fmt: skip
    assert sorted(visits.nodes.tolist()) == [0, 1, 2]
    assert sorted(visits.scores.tolist()) == [1.0, 1.0, 2.0]


@pytest.mark.parametrize("score", [1.0, -1.0])
def test_targets_that_are_no_nodes_are_passed_over(score):
    targets = np.array([2**31 - 1, -1, 1, 3, -(2**31)], np.int32)
    workspace = Workspace(3)
    visits = traverse(
        np.array([0, 4, 5, 5]), targets,
        np.array([0, 1]), np.array([0]), np.array([score]),
        max_depth=3, decay=0.5, max_nodes=9, workspace=workspace,
    )  # fmt: skip
    assert visits.nodes.tolist() == [0, 1]
    assert not workspace.state.any()


def test_paths_from_below_zero_have_an_end():
    complete = (8, [(a, b) for a in range(8) for b in range(8)], [{0: 1.0}, {0: -1.0}], None)
    workspace = Workspace(8)
    with pytest.raises(TooManyPaths) as raised:
        walked(complete, 7, 0.5, 100, most_paths=1000, workspace=workspace)
    assert raised.value.query == 1
    assert not workspace.state.any()
    assert walked(complete, 7, 0.5, 100)[1][3] == (-(0.5**7), 7, -1.0)
