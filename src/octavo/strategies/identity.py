"""One row a document, where documents of several variants of a query meet (S15)."""

import numpy as np
from numpy.typing import NDArray

from octavo.strategies.document_list import DocumentList
from octavo.strategies.joined import JoinedDocuments
from octavo.strategies.returned import ReturnedDocuments
from octavo.strategies.sources import Documents


def canonical_rows(
    rows: NDArray[np.int64], documents: Documents, groups: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return rows in which the same document has the same number within its group.

    Rows of a store are so already. What a user's strategy returned has a row for each time that it
    came: the first of the group stands for all that are the same. Other groups, which are other
    queries of the batch, change nothing.

    Parameters
    ----------
    rows, documents
        A ranking's.
    groups
        For each row the query that it was found for.
    """
    if isinstance(documents, JoinedDocuments):
        start = documents.first.rows
        second = rows >= start
        if not second.any():
            return rows
        canonical = rows.copy()
        canonical[second] = start + canonical_rows(
            rows[second] - start, documents.second, groups[second]
        )
        return canonical
    if not isinstance(documents, ReturnedDocuments) or isinstance(documents, DocumentList):
        return rows
    keys = documents.keys()
    first: dict[tuple[int, object], int] = {}
    # In the order of rows, which is that of variants and of places within a query.
    same = {}
    for row, group in sorted(zip(rows.tolist(), groups.tolist(), strict=True)):
        same[row, group] = first.setdefault((group, keys[row]), row)
    pairs = zip(rows.tolist(), groups.tolist(), strict=True)
    return np.array([same[pair] for pair in pairs], np.int64)
