"""Entries as documents: what is read and what filters see."""

import numpy as np
import pytest

from octavo.memory import MemoryTier
from tests.memory.stores import entry, keyword_store, vector_store

ENTRIES = [
    entry("a", "red fox", MemoryTier.WORKING, "notes.md"),
    entry("b", "red whale", MemoryTier.SEMANTIC),
    entry("tier", "owl", MemoryTier.WORKING),
]


@pytest.fixture(params=[keyword_store, vector_store])
def store(request):
    return request.param(ENTRIES)


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({"tier": "WORKING"}, [0, 2]),
        ({"tier": "working"}, []),
        ({"tier": "PROCEDURAL"}, []),
        ({"entryId": "b"}, [1]),
        ({"entryId": "B"}, []),
        ({"entryId": "a", "tier": "WORKING"}, [0]),
        ({"entryId": "a", "tier": "SEMANTIC"}, []),
        ({"tenant": "x"}, []),
        ({"tier": "WORKING", "source": "notes.md"}, []),
        ({"id": "a"}, []),
    ],
)
def test_filters_see_tier_and_entry_id_only(store, filters, rows):
    # S7, S11
    selection = store.select(filters)
    assert np.flatnonzero(selection.admitted).tolist() == rows
    assert selection.count == len(rows)
    assert selection.filters == filters


def test_no_filter_admits_everything(store):
    assert store.select({}).admitted is None
    assert store.select({}).count == 3


def test_documents_carry_their_fields(store):
    # S11, S31
    first, second = store.documents(np.array([0, 1]))
    assert first == ("a", "red fox", "notes.md", {"tier": "WORKING", "entryId": "a"}, None)
    assert second == ("b", "red whale", "b", {"tier": "SEMANTIC", "entryId": "b"}, None)
    first.metadata["tier"] = "mine"
    assert store.documents(np.array([0]))[0].metadata["tier"] == "WORKING"


def test_rows_are_found_by_id(store):
    assert store.rows_of(["tier", "nobody", "a"]).tolist() == [2, -1, 0]
    assert store.ids(np.array([2, 0])) == store.identities(np.array([2, 0])) == ["tier", "a"]
    assert store.rows_of([]).dtype == np.int64


def test_fences_go_by_source(store):
    assert store.fence(()) is None
    assert store.fence({"notes.md", "b"}).tolist() == [True, True, False]
    assert store.fence(["elsewhere"]).tolist() == [False] * 3
