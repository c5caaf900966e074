"""The graph of an index as one state of its documents sees it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.columns.graph_columns import GraphColumns


@dataclass(frozen=True, slots=True, eq=False)
class StoredGraph:
    """Nodes and edges, and which document each row's node is.

    Parameters
    ----------
    columns
        Nodes and edges, memory-mapped. A node without a document of its id is dangling.
    node_of_row
        int32, one a row of the index, live or not: the node that has the document's id, or -1
        where the document has no edge.
    """

    columns: GraphColumns
    node_of_row: NDArray[np.int32]
