"""Where a walk over a corpus goes: the nodes of its graph, then the documents without edges."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.storage.snapshot.stored_graph import StoredGraph


@dataclass(frozen=True, slots=True, eq=False)
class CorpusSpace:
    """Nodes by row: those of the graph by number, then one for each live document without edges.

    Parameters
    ----------
    offsets
        int64: the edges of each node.
    documents
        int32: the row of each node's document in the corpus; -1 where none is live.
    present
        Which nodes have a document; ``None`` where all have.
    nodes
        int32: the node of each live row of the corpus; no view of a file, which could change.
    """

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    present: NDArray[np.bool_] | None
    nodes: NDArray[np.int32]

    @staticmethod
    def of(graph: StoredGraph, live: NDArray[np.bool_] | None) -> "CorpusSpace":
        """Return the space of a graph; O(nodes + rows).

        Parameters
        ----------
        graph
            The stored graph.
        live
            Which rows of the corpus are live; ``None`` where all are.

        Raises
        ------
        IndexError
            A row says that it is a node that the graph does not have.
        """
        columns, nodes = graph.columns, np.array(graph.node_of_row)
        if len(nodes) and int(nodes.max()) >= columns.nodes:
            raise IndexError(f"expected nodes below {columns.nodes}, found {int(nodes.max())}")
        known = nodes >= 0
        rows = np.flatnonzero(known if live is None else known & live)
        others = np.flatnonzero(~known if live is None else ~known & live)
        documents = np.full(columns.nodes + len(others), -1, np.int32)
        documents[nodes[rows]] = rows
        documents[columns.nodes :] = others
        nodes[others] = np.arange(columns.nodes, len(documents))
        present = documents >= 0
        ends = np.full(len(others), columns.edges, np.int64)
        return CorpusSpace(
            np.concatenate((columns.offsets, ends)) if len(others) else columns.offsets,
            documents,
            None if bool(present.all()) else present,
            nodes,
        )
