"""What a walk over arrays needs to know of nodes, which it has by row alone."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.columns.stored_document import StoredDocument
from octavo.spi import GraphNode

if TYPE_CHECKING:
    from octavo.storage.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Home:
    """The corpus whose documents nodes are, one each.

    Parameters
    ----------
    store
        One state of the corpus.
    rows
        The row of each node's document there, -1 where there is none.
    """

    store: "Snapshot"
    rows: NDArray[np.int32]


class WalkNodes(Protocol):
    """Nodes by row; as documents, what results are where a node yields itself (S24)."""

    @property
    def rows(self) -> int:
        """The number of rows; there may be some without a node."""
        ...

    @property
    def home(self) -> Home | None:
        """Where nodes are the documents of a corpus, which; ``None`` for other nodes."""
        ...

    def node(self, row: int) -> GraphNode:
        """Return the node at ``row``."""
        ...

    def nodes(self, rows: NDArray[np.int64]) -> list[GraphNode]:
        """Return the nodes of ``rows``."""
        ...

    def row_of(self, node_id: str) -> int:
        """Return the row of a node, -1 where there is none."""
        ...

    def node_ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the nodes' own ids."""
        ...

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the entry ids."""
        ...

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the hierarchy ids, else the entry ids."""
        ...

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the nodes as documents."""
        ...

    def linked(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """Return how many documents each of ``rows`` links to, and the ids of all in turn."""
        ...

    def matching(self, rows: NDArray[np.int64], filters: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return which of ``rows`` match every filter now (S7)."""
        ...

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which rows are nodes from an allowed source; ``None`` where all are."""
        ...
