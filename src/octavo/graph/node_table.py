"""Graph nodes as documents: one row a node, in the order of their ids."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.errors import InvalidArgumentError
from octavo.spi import GraphNode, HierarchyMetadata
from octavo.spi.metadata import ENTRY_ID


class NodeTable:
    """Nodes by row.

    Rows follow the ids (by code point), so that equal scores are settled in the same way however
    the nodes came together.

    Parameters
    ----------
    nodes
        Nodes with distinct ids; kept, not copied.

    Raises
    ------
    InvalidArgumentError
        An id repeats.
    """

    def __init__(self, nodes: Iterable[GraphNode]) -> None:
        self._nodes = sorted(nodes, key=lambda node: node.id)
        self._rows = {node.id: row for row, node in enumerate(self._nodes)}
        if len(self._rows) < len(self._nodes):
            repeated = next(
                first.id
                for first, second in zip(self._nodes, self._nodes[1:], strict=False)
                if first.id == second.id
            )
            raise InvalidArgumentError(
                f"nodes: expected distinct ids, found {repeated!r} more than once"
            )

    home: Final = None
    """Nodes of their own, not those of a corpus."""

    @property
    def rows(self) -> int:
        """The number of nodes."""
        return len(self._nodes)

    def node(self, row: int) -> GraphNode:
        """Return the node at ``row``."""
        return self._nodes[row]

    def row_of(self, node_id: str) -> int:
        """Return the row of a node, -1 where there is none."""
        return self._rows.get(node_id, -1)

    def nodes(self, rows: NDArray[np.int64]) -> list[GraphNode]:
        """Return the nodes of ``rows``."""
        return [self._nodes[row] for row in rows.tolist()]

    def node_ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the nodes' own ids."""
        return [node.id for node in self.nodes(rows)]

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the entry ids: a node's own id, unless its metadata names another."""
        return [node.metadata.get(ENTRY_ID) or node.id for node in self.nodes(rows)]

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the hierarchy ids, else the entry ids."""
        return [
            node.metadata.get(HierarchyMetadata.ID) or node.metadata.get(ENTRY_ID) or node.id
            for node in self.nodes(rows)
        ]

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the nodes as documents."""
        return [
            StoredDocument(
                node.metadata.get(ENTRY_ID) or node.id, node.content, node.source, _metadata(node)
            )
            for node in self.nodes(rows)
        ]

    def linked(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """Return how many documents each of ``rows`` links to, and the ids of all in turn."""
        counts = self._link_counts[rows]
        linking = self.nodes(rows[counts > 0])
        return counts, [document for node in linking for document in node.documents]

    def matching(self, rows: NDArray[np.int64], filters: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return which of ``rows`` match every filter now (S7)."""
        if not filters:
            return np.ones(len(rows), np.bool_)
        return np.array([_matches(node, filters) for node in self.nodes(rows)], np.bool_)

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the nodes that match every filter now; linear in the nodes."""
        if not filters:
            return Selection.everything(self.rows)
        return Selection.of(self.matching(np.arange(self.rows), filters), filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which nodes come from an allowed source; ``None`` where nothing is fenced out."""
        if not allowed_sources:
            return None
        return np.array([node.source in allowed_sources for node in self._nodes], np.bool_)

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each node id, -1 where there is none."""
        return np.array([self._rows.get(identity, -1) for identity in identities], np.int64)

    @cached_property
    def _link_counts(self) -> NDArray[np.int64]:
        return np.array([len(node.documents) for node in self._nodes], np.int64)


def _metadata(node: GraphNode) -> dict[str, str]:
    return {ENTRY_ID: node.id, **node.metadata}


def _matches(node: GraphNode, filters: Mapping[str, str]) -> bool:
    metadata = _metadata(node)
    return all(metadata.get(key) == value for key, value in filters.items())
