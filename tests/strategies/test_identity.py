"""One row a document across queries (S15)."""

import numpy as np

from octavo import RetrievedDocument
from octavo.strategies.document_list import DocumentList
from octavo.strategies.identity import canonical_rows
from octavo.strategies.joined import JoinedDocuments
from octavo.strategies.returned import ReturnedDocuments


def documents(*names):
    return [RetrievedDocument("same text", "s", 0.0, {"entryId": name}) for name in names]


def test_the_first_of_the_same_stands_for_all():
    returned = ReturnedDocuments(documents("a", "b", "a", "c", "b"))
    assert canonical_rows(np.array([4, 3, 2, 1, 0]), returned).tolist() == [1, 3, 0, 1, 0]
    assert canonical_rows(np.zeros(0, np.int64), returned).tolist() == []


def test_rows_of_a_store_are_so_already(corpus):
    rows = np.array([3, 1, 3])
    assert canonical_rows(rows, DocumentList(documents("a", "a", "b", "c"))) is rows
    assert canonical_rows(rows, corpus.keyword_index) is rows


def test_what_is_joined_behind_a_store():
    store = DocumentList(documents("x", "y"))
    joined = JoinedDocuments(store, ReturnedDocuments(documents("a", "b", "a")))
    assert canonical_rows(np.array([4, 1, 3, 2, 0]), joined).tolist() == [2, 1, 3, 2, 0]
    inside = np.array([1, 0])
    assert canonical_rows(inside, joined) is inside
