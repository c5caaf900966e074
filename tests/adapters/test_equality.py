"""Filters of other frameworks as octavo's."""

import tempfile
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import Corpus
from octavo.adapters.equality import equal_filters, mapped_filters
from octavo.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (True, "true"),
        (3, "3"),
        (0.1, "0.1"),
        (2023.0, "2023"),
        (date(2024, 5, 1), "2024-05-01"),
        (datetime(2024, 5, 1, 9, 30, tzinfo=UTC), "2024-05-01T09:30:00Z"),
        (time(9, 30), "09:30:00"),
        (Decimal("1.50"), "1.50"),
        (np.int64(3), "3"),
        (np.float32(0.1), "0.1"),
        (np.bool_(True), "true"),
        (np.datetime64("2024-05-01"), "2024-05-01"),
    ],
)
def test_values_are_written_as_metadata_are(value, text):  # S11
    assert mapped_filters({"key": value}) == {"key": text}


@settings(max_examples=10)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1)
    | st.lists(st.floats(allow_nan=False), min_size=1)
    | st.lists(st.booleans(), min_size=1)
)
def test_what_an_index_holds_is_found(values):  # S7, S11
    ids = [str(row) for row in range(len(values))]
    table = pa.table({"id": ids, "text": ["word"] * len(values), "key": pa.array(values)})
    with tempfile.TemporaryDirectory() as directory:
        corpus = Corpus.build(
            table, f"{directory}/index", metadata=["key"], embedding="none", threads=1
        )
        for value in values:
            wanted = [row for row, other in zip(ids, values, strict=True) if other == value]
            found = corpus.search(
                "word", max_results=len(values), filters=mapped_filters({"key": value})
            )
            assert [hit.metadata["entryId"] for hit in found] == wanted


class NotATime(datetime):
    """As pandas' NaT, which is a datetime that has nothing of one."""

    def utcoffset(self):
        raise ValueError("not a time")


@pytest.mark.parametrize(
    "value",
    [
        *(None, ["a"], {"$gt": 3}, float("nan"), b"a", 2**70, "\ud800", object()),
        *(np.datetime64("NaT", "s"), np.bytes_(b"a"), np.complex128(1), NotATime(2024, 1, 1)),
    ],
)
def test_other_values_are_refused(value):
    with pytest.raises(InvalidArgumentError, match="filters"):
        mapped_filters({"key": value})


def test_keys_and_mappings():
    assert mapped_filters(None) == {}
    assert equal_filters([("a", 1), ("a", "1")]) == {"a": "1"}
    for wrong in ([("a", 1), ("a", 2)], [(3, "a")]):
        with pytest.raises(InvalidArgumentError):
            equal_filters(wrong)
    with pytest.raises(InvalidArgumentError, match="mapping"):
        mapped_filters([("a", 1)])
