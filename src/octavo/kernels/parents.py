"""A forest as one array of parent rows: how deep each node is, and the children of each."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_UNKNOWN = -1
_ON_PATH = -2
_ON_CYCLE = -3


@kernel(types.void(readonly(types.int64), writable(types.int64)))
def _write_depths(parents: NDArray[np.int64], depths: NDArray[np.int64]) -> None:
    """Write the depth of each node; one walk up and one down a path, so O(nodes) in all."""
    path = np.empty(parents.shape[0], np.int64)
    for node in range(parents.shape[0]):
        depths[node] = _UNKNOWN
    for start in range(parents.shape[0]):
        length = 0
        node = start
        while node >= 0 and depths[node] == _UNKNOWN:
            depths[node] = _ON_PATH
            path[length] = node
            length += 1
            node = parents[node]
        while length > 0:
            above = _UNKNOWN if node < 0 else depths[node]
            length -= 1
            node = path[length]
            # Meeting the path itself closes a cycle; what leads into one has no depth either.
            depths[node] = _ON_CYCLE if above < _UNKNOWN else above + 1


@kernel(types.void(readonly(types.int64), writable(types.int64), writable(types.int64)))
def _write_children(
    parents: NDArray[np.int64], offsets: NDArray[np.int64], children: NDArray[np.int64]
) -> None:
    nodes = parents.shape[0]
    for node in range(nodes + 1):
        offsets[node] = 0
    for node in range(nodes):
        if parents[node] >= 0:
            offsets[parents[node] + 1] += 1
    for node in range(nodes):
        offsets[node + 1] += offsets[node]
    free = offsets[:nodes].copy()
    for node in range(nodes):
        parent = parents[node]
        if parent >= 0:
            children[free[parent]] = node
            free[parent] += 1


def node_depths(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many parents are above each node; below 0 where they form a cycle.

    Parameters
    ----------
    parents
        int64, shape ``(n,)``: the row of each node's parent, -1 for a root.

    Returns
    -------
    numpy.ndarray
        int64, shape ``(n,)``: 0 for a root; negative for a node on a cycle or below one. Linear in
        the nodes, whatever the shape of the forest; nothing recurs.

    Examples
    --------
    >>> node_depths(np.array([-1, 0, 1, 4, 3])).tolist()
    [0, 1, 2, -3, -3]
    """
    depths = np.empty(len(parents), np.int64)
    _write_depths(parents, depths)
    return depths


def children_of(parents: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the children of all nodes: node ``i`` has ``children[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    parents
        int64, shape ``(n,)``: the row of each node's parent, -1 for a root.

    Returns
    -------
    offsets, children
        int64, shapes ``(n + 1,)`` and ``(n - roots,)``; children in ascending order of row.

    Examples
    --------
    >>> offsets, children = children_of(np.array([-1, 0, 0, 1]))
    >>> offsets.tolist(), children.tolist()
    ([0, 2, 3, 3, 3], [1, 2, 3])
    """
    offsets = np.empty(len(parents) + 1, np.int64)
    children = np.empty(int(np.count_nonzero(parents >= 0)), np.int64)
    _write_children(parents, offsets, children)
    return offsets, children
