"""From ids to the numbers of a graph's nodes."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import text_buffers
from octavo.columns.graph_columns import GraphColumns
from octavo.kernels.find_texts import find_texts


def node_numbers(graph: GraphColumns, ids: pa.LargeStringArray) -> NDArray[np.int32]:
    """Return the number of each id's node, -1 where there is none; int32, shape ``(ids,)``.

    Exact: ids are compared by their bytes. O(log nodes) an id, which touches a few pages of a
    mapped graph; whatever a damaged graph holds, the answer is -1 or below the number of nodes.

    Parameters
    ----------
    graph
        The graph.
    ids
        Slices are fine; null has no node.

    Examples
    --------
    >>> from octavo.columns.edge_list import read_edges
    >>> graph = read_edges(pa.table({"head": ["b"], "tail": ["a"]}))
    >>> node_numbers(graph, pa.array(["a", "x", "b"], pa.large_string())).tolist()
    [0, -1, 1]
    """
    nodes, wanted = text_buffers(graph.node_ids), text_buffers(ids)
    numbers = np.empty(len(ids), np.int32)
    find_texts(nodes.offsets, nodes.data, wanted.offsets, wanted.data, numbers)
    if ids.null_count:
        numbers[ids.is_null().to_numpy(zero_copy_only=False)] = -1
    return numbers
