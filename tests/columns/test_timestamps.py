"""Timestamps in every form against the standard library's datetime."""

import datetime as dt
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.columns.place import Place
from octavo.columns.timestamps import UTC_MICROSECONDS, as_timestamps
from octavo.errors import InvalidArgumentError

PLACE = Place("date", "docs.csv", 5)
UTC = dt.UTC
EPOCH = dt.datetime(1970, 1, 1, tzinfo=UTC)
offsets = st.timedeltas(
    dt.timedelta(hours=-23, minutes=-59), dt.timedelta(hours=23, minutes=59)
).map(lambda delta: dt.timezone(dt.timedelta(minutes=delta // dt.timedelta(minutes=1))))
EARLIEST = dt.datetime(2, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone
LATEST = dt.datetime(9998, 12, 31)  # noqa: DTZ001 - likewise
instants = st.datetimes(EARLIEST, LATEST, timezones=offsets)


def micros(moment):
    return (moment - EPOCH) // dt.timedelta(microseconds=1)


def ticks(array, zone=None):
    result = as_timestamps(array, PLACE, zone)
    assert result.type == UTC_MICROSECONDS
    return result.cast(pa.int64()).to_pylist()


@settings(max_examples=50)
@given(st.lists(st.none() | instants), st.sampled_from(["T", "t", " "]))
def test_iso_text_equals_datetime(values, separator):  # S27
    texts = [None if value is None else value.isoformat(separator) for value in values]
    expected = [None if value is None else micros(value) for value in values]
    for dtype in (pa.string(), pa.large_string(), pa.string_view()):
        assert ticks(pa.array(texts, dtype)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00Z", 0),
        ("1970-01-01 00:00:00.5z", 500_000),
        ("1970-01-01T01:00:00+0100", 0),
        ("1970-01-01T01:00:00.25+01", 250_000),
        ("1970-01-01T00:00:00.1234569Z", 123_456),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("2024-02-29T12:00:00Z", micros(dt.datetime(2024, 2, 29, 12, tzinfo=UTC))),
    ],
)
def test_spellings(text, expected):
    assert ticks(pa.array([text])) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "2016-12-31T23:59:60Z",  # a leap second
        "0000-01-01T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01Z",
        "yesterday",
        "",
        " 2024-01-01T00:00:00Z",
        "1700000000",
        "٢٠٢٤-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",  # in UTC before the year 1
    ],
)
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_what_is_no_instant_is_refused_with_its_row(text, zone):  # S27
    array = pa.array(["2024-01-01T00:00:00Z", text])
    with pytest.raises(InvalidArgumentError, match=r"column 'date' of docs.csv.*row 6"):
        as_timestamps(array, PLACE, zone)


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["2024-01-01T00:00:00"]),
        pa.array(["2024-01-01"]),
        pa.array([dt.date(2024, 1, 1)]),
        pa.array([dt.date(2024, 1, 1)], pa.date64()),
        pa.array([dt.datetime(2024, 1, 1)]),  # noqa: DTZ001 - without a zone on purpose
    ],
)
def test_without_a_zone_one_must_be_told(array):  # S27
    with pytest.raises(InvalidArgumentError, match=r"row 5.*--timestamp-zone"):
        as_timestamps(array, PLACE)
    midnight = dt.datetime(2024, 1, 1, tzinfo=ZoneInfo("America/New_York"))
    assert ticks(array, "America/New_York") == [micros(midnight)]
    assert ticks(array, "+02:00") == [
        micros(dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))))
    ]


def test_a_zone_does_not_move_what_has_one():
    texts = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00", None]
    berlin = dt.datetime(2024, 1, 1, tzinfo=ZoneInfo("Europe/Berlin"))
    moment = micros(dt.datetime(2024, 1, 1, tzinfo=UTC))
    assert ticks(pa.array(texts), "Europe/Berlin") == [moment, micros(berlin), None]


@pytest.mark.parametrize("local", ["2024-03-31T02:30:00", "2024-10-27T02:30:00"])
def test_local_times_that_do_not_exist_once(local):
    with pytest.raises(InvalidArgumentError, match="exist once in Europe/Berlin"):
        as_timestamps(pa.array([local]), PLACE, "Europe/Berlin")


def test_an_unknown_zone():
    with pytest.raises(InvalidArgumentError, match=r"timestamp_zone: .*'Mars/Base'"):
        as_timestamps(pa.array(["2024-01-01"]), PLACE, "Mars/Base")


@settings(max_examples=50)
@given(st.lists(st.none() | st.integers(-(2**62), 2**62)))
def test_nanoseconds_round_down(values):
    expected = [None if value is None else value // 1000 for value in values]
    assert ticks(pa.array(values, pa.timestamp("ns", "UTC"))) == expected
    assert ticks(pa.array(values, pa.timestamp("ns")), "UTC") == expected


@pytest.mark.parametrize(("unit", "factor"), [("s", 1_000_000), ("ms", 1_000), ("us", 1)])
def test_units(unit, factor):
    for zone in ("UTC", "Asia/Tokyo"):
        array = pa.array([-1, None, 5], pa.timestamp(unit, zone))
        assert ticks(array) == [-factor, None, 5 * factor]


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_out_of_range(unit, value):
    for dtype in (pa.timestamp(unit, "UTC"), pa.timestamp(unit)):
        with pytest.raises(InvalidArgumentError, match=r"years 1 and 9999.*row 6"):
            as_timestamps(pa.array([0, value], dtype), PLACE, "UTC")


def test_dates_out_of_range():
    with pytest.raises(InvalidArgumentError, match="years 1 and 9999"):
        as_timestamps(pa.array([2**31 - 1], pa.int32()).view(pa.date32()), PLACE, "UTC")


def test_only_nulls():
    assert ticks(pa.nulls(2)) == [None, None]
    for dtype in (pa.string(), pa.date32(), pa.timestamp("s")):
        assert ticks(pa.array([None], dtype)) == [None]


@pytest.mark.parametrize("array", [pa.array([1]), pa.array([1.5]), pa.array([[1]])])
def test_other_types_are_refused(array):
    with pytest.raises(InvalidArgumentError, match="expected timestamps, dates or ISO-8601 text"):
        as_timestamps(array, PLACE)
