"""Where a walk over a corpus goes: the nodes of its graph, then the documents without edges."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.storage.stored_graph import StoredGraph


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
    linked
        The number of nodes of the graph.
    """

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    present: NDArray[np.bool_] | None
    linked: int

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
        columns, nodes = graph.columns, graph.node_of_row
        if len(nodes) and int(nodes.max()) >= columns.nodes:
            raise IndexError(f"expected nodes below {columns.nodes}, found {int(nodes.max())}")
        known = nodes >= 0
        rows = np.flatnonzero(known if live is None else known & live)
        others = np.flatnonzero(~known if live is None else ~known & live)
        documents = np.full(columns.nodes + len(others), -1, np.int32)
        documents[nodes[rows]] = rows
        documents[columns.nodes :] = others
        present = documents >= 0
        ends = np.full(len(others), columns.edges, np.int64)
        return CorpusSpace(
            np.concatenate((columns.offsets, ends)) if len(others) else columns.offsets,
            documents,
            None if bool(present.all()) else present,
            columns.nodes,
        )

    def nodes_of(self, graph: StoredGraph, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the nodes of live rows; O(log) of the documents without edges for each."""
        nodes = graph.node_of_row[rows].astype(np.int64)
        alone = nodes < 0
        others = self.documents[self.linked :]
        nodes[alone] = self.linked + np.searchsorted(others, rows[alone].astype(np.int32))
        return nodes
