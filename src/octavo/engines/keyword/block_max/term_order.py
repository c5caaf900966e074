"""The order of terms in block-max postings: by hash, then by bytes."""

import numpy as np
from numpy.typing import NDArray

from octavo.kernels.merge_postings import mark_new_texts


def order_terms(
    hashes: NDArray[np.uint64],
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Sort terms ``text[starts[i]:stops[i]]`` by (hash, bytes), and equal ones by position.

    Returns
    -------
    order, new
        The positions in order; and, for each of them, whether its term is not that before it.
    """
    order = np.argsort(hashes, kind="stable")
    new = np.empty(len(order), np.bool_)
    mark_new_texts(text, starts[order], stops[order], new)
    ordered = hashes[order]
    alike = np.zeros(len(order), np.bool_)
    alike[1:] = ordered[1:] == ordered[:-1]
    if np.any(new & alike):
        _order_collisions(order, alike, text, starts, stops)
        mark_new_texts(text, starts[order], stops[order], new)
    return order, new


def _order_collisions(
    order: NDArray[np.int64],
    alike: NDArray[np.bool_],
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> None:
    """Sort by bytes within each group of equal hashes. Hardly ever needed, so slow is fine."""
    groups = np.cumsum(~alike)
    for group in np.unique(groups[alike]).tolist():
        first, last = np.searchsorted(groups, (group, group + 1))
        items = order[first:last].tolist()
        items.sort(key=lambda item: (text[starts[item] : stops[item]].tobytes(), item))
        order[first:last] = items
