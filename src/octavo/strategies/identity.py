"""One row a document, where documents of several queries meet."""

import numpy as np
from numpy.typing import NDArray

from octavo.strategies.document_list import DocumentList
from octavo.strategies.joined import JoinedDocuments
from octavo.strategies.returned import ReturnedDocuments
from octavo.strategies.sources import Documents


def canonical_rows(rows: NDArray[np.int64], documents: Documents) -> NDArray[np.int64]:
    """Return rows in which the same document has the same number for every query.

    Rows of a store are so already. What a user's strategy returned has a row for each time that it
    came: the first stands for all that are the same (S15).
    """
    if isinstance(documents, JoinedDocuments):
        second = rows >= documents.first.rows
        if not second.any():
            return rows
        canonical = rows.copy()
        start = documents.first.rows
        canonical[second] = start + canonical_rows(rows[second] - start, documents.second)
        return canonical
    if not isinstance(documents, ReturnedDocuments) or isinstance(documents, DocumentList):
        return rows
    first: dict[object, int] = {}
    same = [first.setdefault(key, row) for row, key in enumerate(documents.keys())]
    return np.array(same, np.int64)[rows]
