"""From the nodes that a walk visited to the documents that they stand for (S24)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, Part
from octavo.graph.walk_nodes import Home, WalkNodes
from octavo.graph.walked import Walked
from octavo.kernels.graph_links import best_linked
from octavo.strategies.joined import JoinedDocuments, admitted
from octavo.strategies.sources import Documents, DocumentSource


class Linking:
    """What the nodes that walks visit stand for: their documents, the filters applied.

    Parameters
    ----------
    store
        Where documents live. A linked id that it does not know counts for nothing. A node without
        any known document is the document that has its id; where there is none, or no store, the
        node yields itself. Nodes that are documents of this very store need not be looked up.
    filters
        Exact values of metadata: a document's, or the node's where it yields itself.
    walks
        How many walks over the same nodes are to come: where they visit most nodes more than once,
        the documents of all nodes are looked up at once.
    """

    def __init__(
        self, store: DocumentSource | None, filters: Mapping[str, str], walks: int
    ) -> None:
        self._store = store
        self._filters = filters
        self._walks = walks
        self._whole: _Links | None = None

    def documents(self, walked: Walked) -> tuple[Hits, Documents]:
        """Return the matching documents of visited nodes, each at its best node's score.

        Returns
        -------
        Hits
            Each document once a query, in no promised order; the part ``node`` is the row of the
            best node among ``walked.nodes``.
        Documents
            What the rows stand for: the store's documents, then the nodes.
        """
        hits = walked.hits.with_parts(node=Part(walked.hits.rows))
        store, nodes = self._store, walked.nodes
        home = nodes.home
        if is_at_home(home, store):
            return self._at_home(hits, home), home.store
        if store is None and not self._filters:
            return hits, nodes
        if store is None:
            visited, place = _distinct(hits.rows, nodes.rows)
            return hits.keep(nodes.matching(visited, self._filters)[place]), nodes

        links, place = self._links(hits.rows, nodes, store)
        offsets, positions, found = best_linked(
            hits.offsets, place, hits.scores, links.offsets, links.places, links.matching
        )
        rows = links.documents[found]
        parts = {name: part.take(positions) for name, part in hits.parts.items()}
        return (
            Hits(offsets, rows, hits.scores[positions], parts),
            JoinedDocuments(store, nodes) if bool((rows >= store.rows).any()) else store,
        )

    def _at_home(self, hits: Hits, home: Home) -> Hits:
        """Return the hits as rows of the store that the nodes live in: one document each."""
        rows = home.rows[hits.rows].astype(np.int64)
        found = Hits(hits.offsets, rows, hits.scores, hits.parts)
        admitted = home.store.select(self._filters).admitted if self._filters else None
        return found if admitted is None else found.keep(admitted[rows])

    def _links(
        self, rows: NDArray[np.int64], nodes: WalkNodes, store: DocumentSource
    ) -> "tuple[_Links, NDArray[np.int64]]":
        """Return links of nodes, and which of these nodes each of ``rows`` is."""
        if self._whole is not None:
            return self._whole, rows
        visited, place = _distinct(rows, nodes.rows)
        if self._walks > 1 and len(visited) * self._walks >= nodes.rows:
            self._whole = _links(nodes, np.arange(nodes.rows), store, self._filters)
            return self._whole, rows
        return _links(nodes, visited, store, self._filters), place


def is_at_home(home: Home | None, store: DocumentSource | None) -> TypeGuard[Home]:
    """Whether nodes are documents of ``store``, or of a corpus where no store was given."""
    return home is not None and (store is None or store is home.store)


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """The documents of some nodes, ragged by offsets."""

    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    """Of each node's documents among ``documents``."""
    documents: NDArray[np.int64]
    """Distinct rows; from ``store.rows`` on those of the nodes that yield themselves."""
    matching: NDArray[np.bool_]


def _distinct(rows: NDArray[np.int64], number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows, ascending, and where each of ``rows`` stands among them."""
    if len(rows) < number // 8:
        distinct, place = np.unique(rows, return_inverse=True)
        return distinct, place
    seen = np.zeros(number, np.bool_)
    seen[rows] = True
    return np.flatnonzero(seen), (np.cumsum(seen, dtype=np.int64) - 1)[rows]


def _links(
    nodes: WalkNodes,
    visited: NDArray[np.int64],
    store: DocumentSource,
    filters: Mapping[str, str],
) -> _Links:
    """Look up the documents of nodes: at least one each."""
    counts, ids = nodes.linked(visited)
    rows = store.rows_of(ids)
    owners = np.repeat(np.arange(len(visited)), counts)
    owners, rows = owners[rows >= 0], rows[rows >= 0]
    alone = np.flatnonzero(np.bincount(owners, minlength=len(visited)) == 0)
    own = store.rows_of(nodes.identities(visited[alone]))
    own = np.where(own >= 0, own, store.rows + visited[alone])
    owners, rows = np.concatenate((owners, alone)), np.concatenate((rows, own))
    offsets = np.zeros(len(visited) + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=len(visited)), out=offsets[1:])
    documents, places = np.unique(rows[np.argsort(owners, kind="stable")], return_inverse=True)
    return _Links(offsets, places, documents, _matching(documents, nodes, store, filters))


def _matching(
    documents: NDArray[np.int64],
    nodes: WalkNodes,
    store: DocumentSource,
    filters: Mapping[str, str],
) -> NDArray[np.bool_]:
    """Return which documents match every filter (S7)."""
    themselves = documents >= store.rows
    matching = np.empty(len(documents), np.bool_)
    matching[themselves] = nodes.matching(documents[themselves] - store.rows, filters)
    selected = admitted(store.select(filters), store.rows)
    matching[~themselves] = selected[documents[~themselves]]
    return matching
