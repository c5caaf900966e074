"""The traversal hop by hop where its arrays must grow; its laws are in test_graph_traversal."""

import numpy as np

from octavo.graph.best_first import best_first
from octavo.graph.bounds import WalkBounds
from octavo.kernels.graph_levels import walk_levels


def test_large_random_graphs_give_what_a_heap_gives():  # S24
    random = np.random.default_rng(7)
    number, degree, queries, width = 5000, 6, 8, 40
    offsets = np.arange(0, number * degree + 1, degree)
    targets = random.integers(0, number, number * degree, np.int32)
    targets[: degree * 50] = random.integers(0, 50, degree * 50)  # a dense corner
    starts = np.arange(0, queries * width + 1, width)
    nodes = np.concatenate([random.choice(number, width, replace=False) for _ in range(queries)])
    scores = np.sort(random.random((queries, width)).round(2))[:, ::-1].ravel()
    allowed = random.random(number) < 0.9
    allowed[nodes] = True
    place = np.zeros(number, np.int64)
    for depth, most in ((0, 9), (2, 100), (3, 2000), (4, number), (9, 300), (30, number)):
        found, visited, score, hops, seeds = walk_levels(
            offsets, targets, allowed, starts, nodes, scores.copy(), depth, 0.85, most, most, place
        )
        assert not place.any()
        for query in range(queries):
            mine = slice(found[query], found[query + 1])
            chosen = slice(starts[query], starts[query + 1])
            expected = best_first(
                list(zip(nodes[chosen].tolist(), scores[chosen].tolist(), strict=True)),
                lambda node: targets[offsets[node] : offsets[node + 1]].tolist(),
                lambda node: bool(allowed[node]),
                WalkBounds(depth, 0.85, most),
            )
            got = zip(
                visited[mine].tolist(), score[mine].tolist(), hops[mine].tolist(),
                scores[seeds[mine]].tolist(), strict=True,
            )  # fmt: skip
            assert sorted(got) == sorted(map(tuple, expected))


def test_more_seeds_than_first_room():
    number = 3000
    found, visited, *_ = walk_levels(
        np.zeros(number + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.bool_),
        np.array([0, number, number + 1]), np.append(np.arange(number), 5), np.ones(number + 1),
        2, 0.5, number, number, np.zeros(number, np.int64),
    )  # fmt: skip
    assert found.tolist() == [0, number, number + 1]
    assert visited.tolist() == [*range(number), 5]


def test_many_small_levels():
    """Each level that looked at all labels would take this 10 s in place of 10 ms."""
    number = 50_000
    offsets = np.minimum(np.arange(number + 1), number - 1)
    chain = (offsets, np.arange(1, number, dtype=np.int32), np.zeros(0, np.bool_))
    for most in (10, number // 2, number):
        found, visited, score, hops, _ = walk_levels(
            *chain, np.array([0, 1]), np.array([0]), np.ones(1), number, 1.0, most, 10,
            np.zeros(number, np.int64),
        )  # fmt: skip
        assert found.tolist() == [0, most]
        assert sorted(visited.tolist()) == list(range(most))
        assert (hops == visited).all()
        assert (score == 1.0).all()
