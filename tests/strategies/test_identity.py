"""One row a document within a query (S15)."""

import numpy as np

from octavo import RetrievedDocument
from octavo.strategies.document_list import DocumentList
from octavo.strategies.identity import canonical_rows
from octavo.strategies.joined import JoinedDocuments
from octavo.strategies.returned import ReturnedDocuments


def documents(*names):
    return [RetrievedDocument("same text", "s", 0.0, {"entryId": name}) for name in names]


def one_query(rows):
    return np.zeros(len(rows), np.int64)


def test_the_first_of_the_same_stands_for_all():  # S15
    returned = ReturnedDocuments(documents("a", "b", "a", "c", "b"))
    rows = np.array([4, 3, 2, 1, 0])
    assert canonical_rows(rows, returned, one_query(rows)).tolist() == [1, 3, 0, 1, 0]
    nothing = np.zeros(0, np.int64)
    assert canonical_rows(nothing, returned, nothing).tolist() == []


def test_other_queries_change_nothing():  # S5 S15
    returned = ReturnedDocuments(documents("a", "b", "a", "b", "a"))
    rows, queries = np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1, 1])
    assert canonical_rows(rows, returned, queries).tolist() == [0, 1, 2, 3, 2]


def test_rows_of_a_store_are_so_already(corpus):
    rows = np.array([3, 1, 3])
    listed = DocumentList(documents("a", "a", "b", "c"))
    assert canonical_rows(rows, listed, one_query(rows)) is rows
    assert canonical_rows(rows, corpus.keyword_index, one_query(rows)) is rows


def test_what_is_joined_behind_a_store():
    store = DocumentList(documents("x", "y"))
    joined = JoinedDocuments(store, ReturnedDocuments(documents("a", "b", "a")))
    rows = np.array([4, 1, 3, 2, 0])
    assert canonical_rows(rows, joined, one_query(rows)).tolist() == [2, 1, 3, 2, 0]
    apart = np.array([0, 0, 0, 1, 0])
    assert canonical_rows(rows, joined, apart).tolist() == [4, 1, 3, 2, 0]
    inside = np.array([1, 0])
    assert canonical_rows(inside, joined, one_query(inside)) is inside
