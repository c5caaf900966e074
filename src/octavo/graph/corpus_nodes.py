"""Nodes that are the documents of a corpus: rows, read only where they are results."""

from collections.abc import Collection, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from octavo.columns.stored_document import StoredDocument
from octavo.graph.corpus_space import CorpusSpace
from octavo.graph.walk_nodes import Home
from octavo.spi import GraphNode
from octavo.storage.snapshot.snapshot import Snapshot


class CorpusNodes:
    """The documents of one state of a corpus as nodes.

    Parameters
    ----------
    snapshot
        The documents.
    space
        Which node is which document.
    """

    def __init__(self, snapshot: Snapshot, space: CorpusSpace) -> None:
        self._snapshot = snapshot
        self._space = space

    @property
    def rows(self) -> int:
        """The number of rows, those of dangling nodes too."""
        return len(self._space.documents)

    @cached_property
    def home(self) -> Home:
        """The corpus, and the row of each node there."""
        return Home(self._snapshot, self._space.documents)

    def node(self, row: int) -> GraphNode:
        """Return the node at ``row``."""
        return self.nodes(np.array([row]))[0]

    def nodes(self, rows: NDArray[np.int64]) -> list[GraphNode]:
        """Return the nodes of ``rows``: ids, contents, sources and metadata of their documents."""
        return [
            GraphNode(document.id, document.content, document.source, document.metadata)
            for document in self.documents(rows)
        ]

    def row_of(self, node_id: str) -> int:
        """Return the row of a live document, -1 where there is none."""
        if not isinstance(node_id, str):
            return -1
        document = self._snapshot.rows_of([node_id])
        return -1 if document[0] < 0 else int(self.rows_at(document)[0])

    def rows_at(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of live documents, which are given by their rows in the corpus."""
        return self._space.nodes[documents].astype(np.int64)

    def node_ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of the documents."""
        return self._snapshot.ids(self._documents(rows))

    ids = identities = node_ids

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents."""
        return self._snapshot.documents(self._documents(rows))

    def linked(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """Return that ``rows`` link to no documents: they are documents."""
        return np.zeros(len(rows), np.int64), []

    def matching(self, rows: NDArray[np.int64], filters: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return which of ``rows`` match every filter (S7)."""
        admitted = self._snapshot.select(filters).admitted
        if admitted is None:
            return np.ones(len(rows), np.bool_)
        return admitted[self._documents(rows)]

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which rows are documents from an allowed source; ``None`` where all are."""
        inside = self._snapshot.fence(allowed_sources)
        return self._space.present if inside is None else self.within(inside)

    def within(self, admitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows are documents that are admitted, one boolean a row of the corpus."""
        documents, present = self._space.documents, self._space.present
        if present is None:
            return admitted[documents]
        inside = present.copy()
        inside[present] = admitted[documents[present]]
        return inside

    def _documents(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._space.documents[rows].astype(np.int64)
