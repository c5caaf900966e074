"""What time it is, as a strategy may ask (S27)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from octavo.errors import ExecutionError, OctavoError, TemporalError, shown, told

Clock = Callable[[], datetime]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def system_clock() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


def read_clock(clock: Clock) -> datetime:
    """Return what a clock says, in UTC.

    Raises
    ------
    TemporalError
        It is no datetime, one without a zone, or one outside the years 1 to 9999 in UTC.
    ExecutionError
        The clock, or the zone of its datetime, raised something that is no error of octavo.
    """
    try:
        now = clock()
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"clock: raised {told(error)}") from error
    if not isinstance(now, datetime):
        raise TemporalError(f"clock: expected a datetime with a zone, found {shown(now)}")
    try:
        if now.utcoffset() is not None:
            return now.astimezone(UTC)
    except OctavoError:
        raise
    except OverflowError as error:
        raise TemporalError(
            f"clock: expected an instant in the years 1 to 9999 in UTC, found {shown(now)}"
        ) from error
    except Exception as error:
        raise ExecutionError(f"clock: the zone of its datetime raised {told(error)}") from error
    raise TemporalError(f"clock: expected a datetime with a zone, found {shown(now)}")


def microseconds(instant: datetime) -> int:
    """Return microseconds since 1970 UTC of a datetime with a zone, exactly."""
    return (instant - EPOCH) // _MICROSECOND


def whole_microseconds(duration: timedelta) -> int:
    """Return a duration in microseconds, exactly."""
    return duration // _MICROSECOND


def instant_text(ticks: int) -> str:
    """Return microseconds since 1970 UTC in ISO 8601, between the years 1 and 9999."""
    return (EPOCH + timedelta(microseconds=ticks)).isoformat().replace("+00:00", "Z")
