"""Timestamps by identity: what is read, what is refused (S27)."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, RetrievedDocument
from octavo.errors import ConfigurationError, TemporalError
from octavo.strategies.temporal_index import TemporalIndex


def document(identifier, timestamp=None, key="entryId", **metadata):
    metadata[key] = identifier
    if timestamp is not None:
        metadata["temporal.timestamp"] = timestamp
    return RetrievedDocument("text", "source", 0.0, metadata)


def micros(moment):
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def times(index, count):
    ticks, present = index.timestamps(np.arange(count))
    return [
        tick if known else None
        for tick, known in zip(ticks.tolist(), present.tolist(), strict=True)
    ]


@pytest.mark.parametrize(("text", "moment"), [
    ("2024-01-31T09:30:00Z", datetime(2024, 1, 31, 9, 30, tzinfo=UTC)),
    ("2024-01-31T09:30:00.123456789+01:00", datetime(2024, 1, 31, 8, 30, 0, 123456, tzinfo=UTC)),
    ("2024-02-29T23:59:59-05:30", datetime(2024, 3, 1, 5, 29, 59, tzinfo=UTC)),
    ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
    ("9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)),
])  # fmt: skip
def test_instants(text, moment):  # S27
    assert times(TemporalIndex([document("a", text)]), 1) == [micros(moment)]


@pytest.mark.parametrize("text", [
    "", " ", "yesterday", "2024-01-31", "2024-01-31T09:30:00", "2024-01-31 09:30:00",
    "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-32T00:00:00Z", "2024-01-31T24:00:00Z",
    "2016-12-31T23:59:60Z", "0000-12-31T00:00:00Z", "10000-01-01T00:00:00Z", "1706693400",
    "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", " 2024-01-31T09:30:00Z",
    "2024-01-31T09:30:00Z\n", "2024-01-31T09:30:00 Europe/Berlin", "\ud800", 5, "٢٠٢٤-01-31T09:30:00Z",
])  # fmt: skip
def test_what_is_no_instant_is_refused_by_name(text):  # S27
    documents = [document(f"d{number}", "2024-01-31T09:30:00Z") for number in range(9)]
    documents[5:5] = [document("undated"), document("bad", text)]
    with pytest.raises(TemporalError) as raised:
        TemporalIndex(documents)
    assert "'bad'" in str(raised.value)
    assert repr(text) in str(raised.value)
    assert isinstance(raised.value, ConfigurationError)


def test_the_first_of_several_is_named():  # S27
    documents = [document(f"d{number}", "x" if number % 3 == 2 else None) for number in range(40)]
    with pytest.raises(TemporalError, match="'d2'"):
        TemporalIndex(documents)


def test_undated_and_empty():  # S27
    assert times(TemporalIndex([document("a"), document("b", "1970-01-01T00:00:00Z")]), 2) == [
        None,
        0,
    ]
    assert times(TemporalIndex([]), 0) == []


def test_rows_it_does_not_know_are_undated():  # S27
    index = TemporalIndex([document("a", "1970-01-01T00:00:01Z")])
    ticks, present = index.timestamps(np.array([-1, 0, -1]))
    assert present.tolist() == [False, True, False]
    assert ticks[1] == 1_000_000


def test_known_by_the_hierarchy_id_first():
    index = TemporalIndex([document("a", key="hierarchy.id", entryId="b"), document("c")])
    assert index.store.rows_of(["a", "b", "c"]).tolist() == [0, -1, 1]


def test_a_document_without_an_id_is_refused():
    documents = [document("a"), RetrievedDocument("text", "s", 0.0, {})]
    with pytest.raises(TemporalError, match="document 1"):
        TemporalIndex(documents)


def test_one_id_has_one_timestamp():
    same = ["2024-01-31T09:30:00Z", "2024-01-31T10:30:00+01:00"]
    assert len(times(TemporalIndex([document("a", text) for text in same]), 2)) == 2
    for other in ("2024-01-31T09:30:01Z", None):
        with pytest.raises(TemporalError, match="'a'.*2024-01-31T09:30:00Z"):
            TemporalIndex([document("a", same[0]), document("b"), document("a", other)])


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """20,000 documents (several record batches); every seventh without a timestamp."""
    rows = 20_000
    ticks = [None if row % 7 == 0 else row * 10**9 for row in range(rows)]
    table = pa.table({
        "id": [str(row) for row in range(rows)],
        "text": ["word"] * rows,
        "when": pa.array(ticks, pa.timestamp("us", "UTC")),
    })  # fmt: skip
    path = tmp_path_factory.mktemp("dated") / "index"
    return Corpus.build(table, path, timestamp="when", embedding="none"), ticks


def test_of_a_corpus(dated):
    corpus, expected = dated
    index = TemporalIndex.of_corpus(corpus.keyword_index)
    assert times(index, len(corpus)) == expected
    assert index.store is corpus.keyword_index
    rows = np.array([19_999, 0, 7, 1, 19_999])
    assert index.timestamps(rows)[0].tolist() == [expected[row] or 0 for row in rows]


def test_a_corpus_without_timestamps_is_refused(corpus):
    with pytest.raises(TemporalError, match="timestamp"):
        TemporalIndex.of_corpus(corpus.keyword_index)


def test_damaged_timestamps_are_refused(dated, monkeypatch):
    corpus, _ = dated
    snapshot = corpus.keyword_index
    whole = type(snapshot).timestamps

    def damaged(self, rows):
        ticks, present = whole(self, rows)
        return np.where(rows == 12_345, 2**62, ticks), present

    monkeypatch.setattr(type(snapshot), "timestamps", damaged)
    with pytest.raises(TemporalError, match="'12345'"):
        TemporalIndex.of_corpus(snapshot)
