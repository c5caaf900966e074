"""Filters of other frameworks as octavo's."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
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
    ],
)
def test_values_are_written_as_metadata_are(value, text):  # S11
    assert mapped_filters({"key": value}) == {"key": text}


@given(st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans())
def test_what_an_index_holds_is_found(value):  # S7, S11
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        table = pa.table({"id": ["a"], "text": ["word"], "key": pa.array([value])})
        corpus = Corpus.build(
            table, f"{directory}/index", metadata=["key"], embedding="none", threads=1
        )
        assert len(corpus.search("word", filters=mapped_filters({"key": value}))) == 1


@pytest.mark.parametrize(
    "value", [None, ["a"], {"$gt": 3}, float("nan"), b"a", 2**70, "\ud800", object()]
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
