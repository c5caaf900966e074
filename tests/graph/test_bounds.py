"""The bounds of a walk (S29)."""

import pytest

from octavo import InvalidArgumentError
from octavo.graph.bounds import WalkBounds


def test_the_edges_of_the_bounds_are_legal():  # S29
    assert WalkBounds(0, 0, 1) == WalkBounds(0, 0.0, 1)
    assert WalkBounds(3, 1, 5).depth_decay == 1.0


@pytest.mark.parametrize(
    ("depth", "decay", "most", "named"),
    [
        (-1, 0.5, 1, "max_depth"), (1.0, 0.5, 1, "max_depth"), (True, 0.5, 1, "max_depth"),
        (None, 0.5, 1, "max_depth"), ("2", 0.5, 1, "max_depth"),
        (1, -0.01, 1, "depth_decay"), (1, 1.01, 1, "depth_decay"), (1, True, 1, "depth_decay"),
        (1, float("nan"), 1, "depth_decay"), (1, float("inf"), 1, "depth_decay"),
        (1, "0.5", 1, "depth_decay"), (1, None, 1, "depth_decay"),
        (1, 0.5, 0, "max_visited_nodes"), (1, 0.5, -1, "max_visited_nodes"),
        (1, 0.5, True, "max_visited_nodes"), (1, 0.5, 2.5, "max_visited_nodes"),
        (1, 0.5, float("nan"), "max_visited_nodes"),
    ],
)  # fmt: skip
def test_what_is_no_bound(depth, decay, most, named):  # S29
    with pytest.raises(InvalidArgumentError, match=f"^{named}: expected"):
        WalkBounds(depth, decay, most)
