"""What a clock may say (S27)."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

from octavo import CancelledError, ExecutionError, TemporalError
from octavo.strategies.clock import read_clock

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


class Zone(tzinfo):
    """Answers with what it is given, or raises it."""

    def __init__(self, answer):
        self.answer = answer

    def utcoffset(self, moment):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_reading_is_in_utc():  # S27
    for zone in (UTC, timezone(timedelta(hours=-9)), Zone(timedelta(hours=5, minutes=45))):
        said = (NOON + (zone.utcoffset(None))).replace(tzinfo=zone)
        assert read_clock(lambda said=said: said) == NOON
        assert read_clock(lambda said=said: said).tzinfo is UTC


@pytest.mark.parametrize("said", [None, 0, "now", NOON.date(), NOON.replace(tzinfo=None)])
def test_what_is_no_datetime_with_a_zone(said):  # S27
    with pytest.raises(TemporalError, match="clock: expected a datetime with a zone"):
        read_clock(lambda: said)
    with pytest.raises(TemporalError, match="clock: expected a datetime with a zone"):
        read_clock(lambda: NOON.replace(tzinfo=Zone(None)))


@pytest.mark.parametrize(
    "said",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))),
    ],
)
def test_years_outside_of_1_to_9999(said):  # S27
    with pytest.raises(TemporalError, match="clock: expected an instant in the years 1 to 9999"):
        read_clock(lambda: said)


@pytest.mark.parametrize("answer", [RuntimeError("lost"), timedelta(hours=40), "an hour"])
def test_a_zone_that_fails(answer):  # S27 S43
    with pytest.raises(ExecutionError, match="clock: the zone of its datetime raised"):
        read_clock(lambda: NOON.replace(tzinfo=Zone(answer)))


def test_an_error_of_octavos_keeps_its_type():  # S43
    with pytest.raises(CancelledError):
        read_clock(lambda: NOON.replace(tzinfo=Zone(CancelledError("stop"))))
