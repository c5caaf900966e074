"""Timestamps in every form, as microseconds of UTC."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray, compute, is_string
from octavo.columns.place import Place
from octavo.columns.text import large_string, plain
from octavo.errors import InvalidArgumentError

UTC_MICROSECONDS: Final = pa.timestamp("us", "UTC")
_NAIVE = pa.timestamp("us")
_FIRST = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z
_LAST = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DATE = r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TIME = r"[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"
_ZONED = _DATE + _TIME + r"(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$"
_LOCAL = _DATE + "(?:" + _TIME + ")?$"


def as_timestamps(column: Array | ChunkedArray, place: Place, zone: str | None = None) -> Array:
    """Read timestamps, dates or ISO-8601 text as timestamp[us, UTC]; nulls stay.

    - timestamps with a zone in any unit; nanoseconds are rounded down to microseconds
    - ISO-8601 text with ``Z`` or an offset, such as ``2024-01-31T09:30:00.25+01:00``; digits
      after the sixth of a fraction are dropped
    - timestamps and text without a zone, and dates (midnight), only where ``zone`` says in which
      zone they are meant: an instant is never guessed (S27)

    Parameters
    ----------
    zone
        IANA name or offset such as ``"+02:00"``.

    Raises
    ------
    InvalidArgumentError
        The column holds anything else, or a value that is no instant between the years 1 and 9999
        (a leap second, a local time that the zone skips or has twice, ...); names the rows.

    Examples
    --------
    >>> as_timestamps(pa.array(["2024-01-31T09:30:00+01:00"]), Place("date")).to_pylist()
    [datetime.datetime(2024, 1, 31, 8, 30, tzinfo=zoneinfo.ZoneInfo(key='UTC'))]
    """
    array = plain(column, place)
    dtype = array.type
    if pa.types.is_null(dtype):
        return array.cast(UTC_MICROSECONDS)
    if is_string(dtype):
        return _from_text(large_string(array), place, zone)
    if pa.types.is_timestamp(dtype):
        instants = _microseconds(array, dtype.unit, place)
        if dtype.tz is not None:
            return instants.cast(UTC_MICROSECONDS)
        return _in_zone(instants, place, zone)
    if pa.types.is_date32(dtype):
        return _in_zone(_microseconds(array.cast(pa.timestamp("s")), "s", place), place, zone)
    if pa.types.is_date64(dtype):
        milliseconds = array.view(pa.timestamp("ms"))
        return _in_zone(_microseconds(milliseconds, "ms", place), place, zone)
    raise InvalidArgumentError(
        f"{place}: expected timestamps, dates or ISO-8601 text, found {column.type}"
    )


def check_zone(zone: str) -> None:
    """Raise InvalidArgumentError where ``zone`` is no known zone or offset."""
    try:
        compute.assume_timezone(pa.array([0], _NAIVE), zone)
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidArgumentError(
            f"timestamp_zone: expected a zone such as 'UTC' or 'Europe/Berlin', found {zone!r}"
        ) from error


def _microseconds(array: Array, unit: str, place: Place) -> Array:
    """Convert the unit, rounding down, and check the range; the result has no zone."""
    ticks = compute.fill_null(array.view(pa.int64()), 0).to_numpy(zero_copy_only=False)
    per_second = _PER_SECOND[unit]
    seconds = ticks // per_second
    present = array.is_valid().to_numpy(zero_copy_only=False)
    outside = (seconds < _FIRST // 1_000_000) | (seconds > _LAST // 1_000_000)
    _refuse(outside & present, place, "an instant between the years 1 and 9999", "another")
    rest = ticks - seconds * per_second
    micros = rest // 1_000 if unit == "ns" else rest * (1_000_000 // per_second)
    with np.errstate(over="ignore"):
        values = seconds * 1_000_000 + micros
    return pa.array(values, _NAIVE, mask=~present)


def _in_zone(local: Array, place: Place, zone: str | None) -> Array:
    if local.null_count == len(local):
        return local.cast(UTC_MICROSECONDS)
    if zone is None:
        raise InvalidArgumentError(
            f"{place}: expected timestamps with a zone, found none in "
            f"{place.rows(_true(local.is_valid()))}; say which zone they are in with "
            "timestamp_zone= or --timestamp-zone, such as UTC"
        )
    check_zone(zone)
    try:
        instants: Array = compute.assume_timezone(local, zone)
    except pa.ArrowInvalid as error:
        raise InvalidArgumentError(
            f"{place}: expected local times that exist once in {zone}, found one that a change of "
            f"the clocks leaves out or repeats: {' '.join(str(error).split())}; give times with "
            "their offset, or in UTC"
        ) from error
    return _in_range(instants.cast(UTC_MICROSECONDS), place)


def _from_text(text: pa.LargeStringArray, place: Place, zone: str | None) -> Array:
    zoned = _matching(text, _ZONED)
    local = _matching(text, _LOCAL)
    wrong = compute.and_(text.is_valid(), compute.invert(compute.or_(zoned, local)))
    _refuse_text(text, wrong, place)
    # At most six digits of a fraction, and the one spelling that Arrow reads.
    text = compute.replace_substring_regex(text, r"(\.\d{6})\d+", r"\1")
    text = compute.replace_substring_regex(text, r"[t ]", "T")
    text = compute.replace_substring(text, "z", "Z")
    nothing = pa.scalar(None, pa.large_string())
    instants = _parsed(compute.if_else(zoned, text, nothing), UTC_MICROSECONDS, place)
    if not compute.any(local).as_py():
        return _in_range(instants, place)
    days = _parsed(compute.if_else(local, text, nothing), _NAIVE, place)
    both: Array = compute.coalesce(_in_range(instants, place), _in_zone(days, place, zone))
    return both


def _parsed(text: pa.LargeStringArray, dtype: pa.DataType, place: Place) -> Array:
    try:
        return text.cast(dtype)
    except pa.ArrowInvalid:
        bad = [position for position, value in enumerate(text) if not _readable(value, dtype)]
        mask = np.zeros(len(text), np.bool_)
        mask[bad] = True
        _refuse_text(text, pa.array(mask), place)
        raise


def _readable(value: "pa.Scalar[Any]", dtype: pa.DataType) -> bool:
    try:
        value.cast(dtype)
    except pa.ArrowInvalid:
        return False
    return True


def _in_range(instants: Array, place: Place) -> Array:
    ticks = compute.fill_null(instants.view(pa.int64()), 0).to_numpy(zero_copy_only=False)
    outside = (ticks < _FIRST) | (ticks > _LAST)
    _refuse(outside, place, "an instant between the years 1 and 9999", "another")
    return instants


def _refuse(mask: NDArray[np.bool_], place: Place, expected: str, found: str) -> None:
    if mask.any():
        rows = place.rows(np.flatnonzero(mask))
        raise InvalidArgumentError(f"{place}: expected {expected}, found {found} in {rows}")


def _refuse_text(text: pa.LargeStringArray, wrong: pa.BooleanArray, place: Place) -> None:
    positions = _true(wrong)
    if len(positions):
        raise InvalidArgumentError(
            f"{place}: expected ISO-8601 timestamps such as 2024-01-31T09:30:00Z, found "
            f"{text[int(positions[0])].as_py()[:60]!r} ({place.rows(positions)})"
        )


def _matching(text: pa.LargeStringArray, pattern: str) -> pa.BooleanArray:
    matches: pa.BooleanArray = compute.fill_null(
        compute.match_substring_regex(text, pattern), fill_value=False
    )
    return matches


def _true(mask: pa.BooleanArray) -> NDArray[np.uint64]:
    positions: NDArray[np.uint64] = compute.indices_nonzero(mask).to_numpy()
    return positions
