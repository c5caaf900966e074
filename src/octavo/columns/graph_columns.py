"""A graph as columns: nodes by number, and their edges in compressed sparse rows."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class GraphColumns:
    """Nodes and directed, named edges; read-only, in memory or mapped from files.

    Nodes are numbered in the order of their ids by UTF-8 bytes, so that a graph depends on its
    edges alone.

    Parameters
    ----------
    node_ids
        The distinct ids, ascending.
    offsets
        int64, shape ``(nodes + 1,)``: the edges of node ``n`` are ``offsets[n]`` to
        ``offsets[n + 1]``, in the order in which they were given.
    targets
        int32, shape ``(edges,)``: the node to which each edge leads.
    relations
        int32, shape ``(edges,)``: the number of each edge's relation.
    relation_names
        The distinct relations, ascending.
    weights
        float64, shape ``(edges,)``; ``None`` where every weight is 1.
    """

    node_ids: pa.LargeStringArray
    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    relations: NDArray[np.int32]
    relation_names: pa.LargeStringArray
    weights: NDArray[np.float64] | None = None

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.node_ids)

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.targets)
