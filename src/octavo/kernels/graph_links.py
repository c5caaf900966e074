"""From visited nodes to the documents that they link to, each at its best node (S24)."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable

_INTEGERS = types.Array(types.int64, 1, "C")


@kernel(
    types.Tuple((_INTEGERS, _INTEGERS, _INTEGERS))(  # type: ignore[no-untyped-call]
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.float64),
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.boolean),
        types.int64,
        writable(types.int64),
    )
)
def _best_linked(
    offsets: NDArray[np.int64],
    nodes: NDArray[np.int64],
    scores: NDArray[np.float64],
    link_offsets: NDArray[np.int64],
    links: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    most: int,
    owner: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    found_offsets = np.zeros(offsets.shape[0], np.int64)
    positions = np.empty(most, np.int64)
    documents = np.empty(most, np.int64)
    found = 0
    for query in range(offsets.shape[0] - 1):
        start = found
        for position in range(offsets[query], offsets[query + 1]):
            node = nodes[position]
            for link in range(link_offsets[node], link_offsets[node + 1]):
                document = links[link]
                if not admitted[document]:
                    continue
                known = owner[document] - 1
                if known < 0:
                    known = found
                    documents[known] = document
                    positions[known] = position
                    found += 1
                    owner[document] = found
                    continue
                other = positions[known]
                if scores[position] > scores[other] or (
                    scores[position] == scores[other] and node < nodes[other]
                ):
                    positions[known] = position
        for known in range(start, found):
            owner[documents[known]] = 0
        found_offsets[query + 1] = found
    return found_offsets, positions[:found].copy(), documents[:found].copy()


def best_linked(
    offsets: NDArray[np.int64],
    nodes: NDArray[np.int64],
    scores: NDArray[np.float64],
    link_offsets: NDArray[np.int64],
    links: NDArray[np.int64],
    admitted: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each query's admitted documents, once, with the best node that links to each.

    Parameters
    ----------
    offsets, nodes, scores
        Ragged hits: query ``i`` visited ``nodes[offsets[i]:offsets[i + 1]]``, each once.
    link_offsets, links
        Node ``n`` links to the documents ``links[link_offsets[n]:link_offsets[n + 1]]``.
    admitted
        One boolean a document.

    Returns
    -------
    offsets, positions, documents
        int64: query ``i`` has ``documents[offsets[i]:offsets[i + 1]]``, in no promised order;
        ``positions`` says which hit is the best, by (score descending, node ascending), that links
        to it. O(links of all hits).

    Examples
    --------
    >>> best_linked(
    ...     np.array([0, 2]),
    ...     np.array([0, 1]),
    ...     np.array([0.5, 0.9]),
    ...     np.array([0, 2, 3]),
    ...     np.array([0, 1, 1]),
    ...     np.array([True, True]),
    ... )
    (array([0, 2]), array([0, 1]), array([0, 1]))
    """
    most = int(np.diff(link_offsets)[nodes].sum())
    owner = np.zeros(len(admitted), np.int64)
    return _best_linked(offsets, nodes, scores, link_offsets, links, admitted, most, owner)
