"""One space of rows for documents that come from two places, joined by identity (S23)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits, RowPart
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.strategies.sources import Documents, DocumentSource

Value = TypeVar("Value", str, StoredDocument)


class JoinedDocuments:
    """The documents of a store, then those of another place that the store does not know.

    Parameters
    ----------
    first
        The store; its rows are the joined rows.
    second
        Other documents; row ``r`` of theirs is the joined row ``first.rows + r``.
    """

    def __init__(self, first: DocumentSource, second: Documents) -> None:
        self.first = first
        self.second = second
        self._start = first.rows

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of joined rows."""
        return self._gather(rows, self.first.ids, self.second.ids)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents of joined rows by."""
        return self._gather(rows, self.first.identities, self.second.identities)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of joined rows."""
        return self._gather(rows, self.first.documents, self.second.documents)

    def _gather(
        self,
        rows: NDArray[np.int64],
        first: Callable[[NDArray[np.int64]], list[Value]],
        second: Callable[[NDArray[np.int64]], list[Value]],
    ) -> list[Value]:
        ours = rows < self._start
        found = iter(first(rows[ours]))
        others = iter(second(rows[~ours] - self._start))
        return [next(found) if own else next(others) for own in ours.tolist()]


class JoinedStores(JoinedDocuments):
    """Two stores as one: what both know has the row that it has in the first.

    Parameters
    ----------
    first, second
        The stores.
    """

    def __init__(self, first: DocumentSource, second: DocumentSource) -> None:
        super().__init__(first, second)
        self._stores = (first, second)

    @property
    def rows(self) -> int:
        """The number of joined rows; not each of them is used."""
        return sum(store.rows for store in self._stores)

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the joined rows that match every filter."""
        first, second = (admitted(store.select(filters), store.rows) for store in self._stores)
        return Selection.of(np.concatenate((first, second)), filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which joined rows come from an allowed source."""
        if not allowed_sources:
            return None
        fences = [store.fence(allowed_sources) for store in self._stores]
        return np.concatenate([fence for fence in fences if fence is not None])

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the joined row of each identity, -1 where neither store has it."""
        first, second = self._stores
        known, other = first.rows_of(identities), second.rows_of(identities)
        return np.where((known < 0) & (other >= 0), first.rows + other, known)


def admitted(selection: Selection, rows: int) -> NDArray[np.bool_]:
    """Return the admitted rows as booleans, also where all are."""
    return np.ones(rows, np.bool_) if selection.admitted is None else selection.admitted


def join(hits: Hits, documents: Documents, store: DocumentSource) -> tuple[Hits, Documents]:
    """Express hits in the rows of ``store``, and after them for documents it does not know.

    Where the hits are the store's own, nothing is done. Rows only change their numbers: each
    query's hits keep their order and scores.

    Parameters
    ----------
    hits, documents
        A ranking's.
    store
        The space to join into.
    """
    if documents is store or (isinstance(store, JoinedDocuments) and documents is store.first):
        return hits, store
    rows = joined_rows(hits.rows, documents, store)
    parts = {
        name: replace(part, values=joined_rows(part.values, documents, store))
        if isinstance(part, RowPart)
        else part
        for name, part in hits.parts.items()
    }
    if isinstance(documents, JoinedDocuments) and documents.first is store:
        documents = documents.second
    within = isinstance(store, JoinedDocuments) and documents is store.second
    return Hits(hits.offsets, rows, hits.scores, parts), (
        store if within else JoinedDocuments(store, documents)
    )


def joined_rows(
    rows: NDArray[np.int64], documents: Documents, store: DocumentSource
) -> NDArray[np.int64]:
    """Return the joined row of each row of ``documents``."""
    if isinstance(documents, JoinedDocuments) and documents.first is store:
        joined = rows.copy()
        others = rows >= store.rows
        joined[others] = joined_rows(rows[others] - store.rows, documents.second, store)
        return joined
    identities = documents.identities(rows)
    known = store.rows_of(identities)
    return np.where(known >= 0, known, store.rows + rows)
