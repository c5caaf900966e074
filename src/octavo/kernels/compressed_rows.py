"""Edges to compressed sparse rows: a counting sort by head that keeps the order of equal heads."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_NUMBERS = readonly(types.int32)


@kernel(types.void(_NUMBERS, writable(types.int64)))
def count_heads(heads: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Add the number of edges of each head to its count."""
    for edge in range(heads.shape[0]):
        counts[heads[edge]] += 1


@kernel(
    types.void(
        _NUMBERS,
        _NUMBERS,
        _NUMBERS,
        readonly(types.float64),
        _NUMBERS,
        _NUMBERS,
        writable(types.int64),
        writable(types.int32),
        writable(types.int32),
        writable(types.float64),
    )
)
def place_edges(
    heads: NDArray[np.int32],
    tails: NDArray[np.int32],
    relations: NDArray[np.int32],
    weights: NDArray[np.float64],
    nodes: NDArray[np.int32],
    relation_codes: NDArray[np.int32],
    places: NDArray[np.int64],
    targets: NDArray[np.int32],
    target_relations: NDArray[np.int32],
    target_weights: NDArray[np.float64],
) -> None:
    """Write some edges where they belong.

    Parameters
    ----------
    heads, tails, relations, weights
        The edges; no weights where each is 1.
    nodes, relation_codes
        What each number of an end, and of a relation, is in the graph.
    places
        Where the next edge of each head, by its number in ``heads``, goes; moved on.
    targets, target_relations, target_weights
        Written; no weights where all of the graph are 1.
    """
    weighted = weights.shape[0] > 0
    for edge in range(heads.shape[0]):
        place = places[heads[edge]]
        places[heads[edge]] = place + 1
        targets[place] = nodes[tails[edge]]
        target_relations[place] = relation_codes[relations[edge]]
        if target_weights.shape[0] > 0:
            target_weights[place] = weights[edge] if weighted else 1.0
