"""Documents as a graph provider presents them (S24), and what a fence looks at instead."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.stored_document import StoredDocument
from octavo.strategies.joined import JoinedDocuments
from octavo.strategies.sources import Documents


class ProvidedDocuments:
    """Documents whose source is the provider that found them.

    Parameters
    ----------
    documents
        The documents with their own sources.
    provider_name
        What every source is replaced by.
    """

    def __init__(self, documents: Documents, provider_name: str) -> None:
        self.own = documents
        self._provider_name = provider_name

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        return self.own.ids(rows)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents by."""
        return self.own.identities(rows)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``, from the provider."""
        return [
            document._replace(source=self._provider_name) for document in self.own.documents(rows)
        ]


def own_sources(documents: Documents, rows: NDArray[np.int64]) -> list[str]:
    """Return the sources that documents have of their own, whoever presents them.

    A fence looks at these, so that it means the same for a graph alone and inside a fusion.
    """
    if isinstance(documents, ProvidedDocuments):
        return own_sources(documents.own, rows)
    if isinstance(documents, JoinedDocuments):
        start = documents.first.rows
        first = iter(own_sources(documents.first, rows[rows < start]))
        second = iter(own_sources(documents.second, rows[rows >= start] - start))
        return [next(first) if row < start else next(second) for row in rows.tolist()]
    return [document.source for document in documents.documents(rows)]
