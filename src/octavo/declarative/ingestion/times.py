"""When a document is from: what it declares, else the time of its file."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from octavo.errors import SourceLoadingError, shown
from octavo.spi import TemporalMetadata

DATE_KEYS: Final = (
    *("timestamp", "updated", "updated_at", "modified", "modified_at", "lastmod", "last_modified"),
    *("date", "published", "published_at", "created", "created_at"),
)
"""Names under which files declare a date, the latest in meaning first."""

_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?"
)


def declared_instant(fields: Mapping[str, object], label: str) -> str | None:
    """Return the instant that the fields declare, as ISO-8601 text in UTC.

    A date is midnight, and a time without a zone is, in UTC. The key ``temporal.timestamp`` comes
    first and must hold an instant; of :data:`DATE_KEYS` the first with a readable date counts.

    Parameters
    ----------
    label
        The file, for messages.

    Raises
    ------
    SourceLoadingError
        ``temporal.timestamp`` is there and is no instant (S27).

    Examples
    --------
    >>> declared_instant({"date": "2024-05-01"}, "guide.md")
    '2024-05-01T00:00:00Z'
    """
    exact = fields.get(TemporalMetadata.TIMESTAMP)
    if exact is not None:
        instant = instant_text(exact)
        if instant is None:
            raise SourceLoadingError(
                f"{label}: {TemporalMetadata.TIMESTAMP}: expected an ISO-8601 instant, "
                f"found {shown(exact)}"
            )
        return instant
    for key in DATE_KEYS:
        if key in fields:
            instant = instant_text(fields[key])
            if instant is not None:
                return instant
    return None


def instant_text(value: object) -> str | None:
    """Return a date, a time or ISO-8601 text as an instant in UTC; ``None`` for all else.

    Examples
    --------
    >>> instant_text("2024-05-01T10:00:00+02:00"), instant_text("in spring")
    ('2024-05-01T08:00:00Z', None)
    """
    if isinstance(value, str):
        stripped = value.strip()
        if not _ISO.fullmatch(stripped):
            return None
        try:
            value = datetime.fromisoformat(stripped.upper().replace(" ", "T"))
        except ValueError:
            return None
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime):
        return None
    try:
        zoned = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:  # the first or last day of time, in another zone
        return None
    return zoned.replace(tzinfo=None).isoformat() + "Z"


def file_instant(modified_ns: int) -> str | None:
    """Return a file's time as an instant; ``None`` outside the years 1 to 9999."""
    try:
        moment = datetime.fromtimestamp(modified_ns // 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    micros = modified_ns % 1_000_000_000 // 1_000
    return instant_text(moment.replace(microsecond=micros))


def http_instant(value: str | None) -> str | None:
    """Return the date of an HTTP header as an instant; ``None`` where it is none."""
    if value is None:
        return None
    try:
        return instant_text(parsedate_to_datetime(value))
    except (TypeError, ValueError, IndexError):
        return None
