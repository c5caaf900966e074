"""Documents in a list as a store: what an index is built from outside a corpus."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.spi import RetrievedDocument
from octavo.strategies.returned import ReturnedDocuments


class DocumentList(ReturnedDocuments):
    """Documents by their place in a list.

    Parameters
    ----------
    documents
        Documents with metadata, such as :class:`~octavo.RetrievedDocument`; kept, not copied.
    """

    def __init__(self, documents: Sequence[RetrievedDocument]) -> None:
        super().__init__(tuple(documents))
        everything = np.arange(len(self._documents))
        self._rows = {
            identity: row for row, identity in enumerate(self.identities(everything)) if identity
        }

    @property
    def rows(self) -> int:
        """The number of documents."""
        return len(self._documents)

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the documents whose metadata match every filter now; linear in the documents."""
        if not filters:
            return Selection.everything(self.rows)
        matching = [
            all(document.metadata.get(key) == value for key, value in filters.items())
            for document in self._documents
        ]
        return Selection.of(np.array(matching, np.bool_), filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which documents come from an allowed source."""
        if not allowed_sources:
            return None
        return np.array([each.source in allowed_sources for each in self._documents], np.bool_)

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each identity, -1 where there is none."""
        return np.array([self._rows.get(each, -1) for each in identities], np.int64)
