"""How far a walk over a graph may go."""

from dataclasses import dataclass

from octavo.errors import checked_count, checked_fraction

MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class WalkBounds:
    """The bounds of a walk (S24).

    Parameters
    ----------
    max_depth
        The largest number of edges of a path, at least 0.
    depth_decay
        What a score is multiplied by at each hop, 0 to 1.
    max_visited_nodes
        The largest number of distinct nodes visited for a query, seeds included, at least 1.

    Raises
    ------
    InvalidArgumentError
        A value is out of its range or of another type.
    """

    max_depth: int
    depth_decay: float
    max_visited_nodes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_depth", checked_count("max_depth", self.max_depth, 0, MOST))
        object.__setattr__(self, "depth_decay", checked_fraction("depth_decay", self.depth_decay))
        visited = checked_count("max_visited_nodes", self.max_visited_nodes, 1, MOST)
        object.__setattr__(self, "max_visited_nodes", visited)
