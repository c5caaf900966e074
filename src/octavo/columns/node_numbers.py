"""From ids to the numbers of a graph's nodes."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import text_buffers
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.text_numbers import TextNumbers
from octavo.errors import CorpusCorruptError
from octavo.kernels.find_texts import find_texts

_FEW: Final = 16
"""A table of all nodes costs about as much as searching for one in so many of them."""


def node_numbers(graph: GraphColumns, ids: pa.LargeStringArray) -> NDArray[np.int32]:
    """Return the number of each id's node, -1 where there is none; int32, shape ``(ids,)``.

    Exact: ids are compared by their bytes. Few ids are searched for, and touch a few pages of a
    mapped graph each; for many, a table of all nodes is made: O(nodes + ids).

    Parameters
    ----------
    graph
        The graph.
    ids
        Slices are fine; null has no node.

    Raises
    ------
    CorpusCorruptError
        The ids of the graph's nodes are no text.

    Examples
    --------
    >>> from octavo.columns.edge_list import read_edges
    >>> graph = read_edges(pa.table({"head": ["b"], "tail": ["a"]}))
    >>> node_numbers(graph, pa.array(["a", "x", "b"], pa.large_string())).tolist()
    [0, -1, 1]
    """
    if graph.nodes == 0 or len(ids) * _FEW < graph.nodes:
        numbers = _searched(graph.node_ids, ids)
    else:
        numbers = _looked_up(graph.node_ids, ids)
    if ids.null_count:
        numbers[ids.is_null().to_numpy(zero_copy_only=False)] = -1
    return numbers


def _searched(node_ids: pa.LargeStringArray, ids: pa.LargeStringArray) -> NDArray[np.int32]:
    nodes, wanted = text_buffers(node_ids), text_buffers(ids)
    numbers = np.empty(len(ids), np.int32)
    find_texts(nodes.offsets, nodes.data, wanted.offsets, wanted.data, numbers)
    return numbers


def _looked_up(node_ids: pa.LargeStringArray, ids: pa.LargeStringArray) -> NDArray[np.int32]:
    try:
        node_ids.validate(full=True)  # reading all of a damaged file must not leave it
    except pa.ArrowInvalid as error:
        raise CorpusCorruptError(f"graph: expected ids of nodes, found damage: {error}") from error
    table = TextNumbers()
    table.add(node_ids)
    numbers = table.add(ids)
    numbers[numbers >= len(node_ids)] = -1
    return numbers
