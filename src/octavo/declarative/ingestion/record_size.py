"""How large a record is, before anything is made of it."""

from collections.abc import Mapping

from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.errors import SourceLoadingError

_NUMBER = 8


def record_bytes(value: object) -> int:
    """Return how many bytes the texts of a value are, whatever holds them; all else counts eight.

    Examples
    --------
    >>> record_bytes({"id": 1, "text": "a", "tags": ["é", b"xyz"]})
    14
    """
    total, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            total += len(each) if each.isascii() else len(each.encode("utf-8", "replace"))
        elif isinstance(each, bytes | bytearray | memoryview):
            total += len(each)
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
        else:
            total += _NUMBER
    return total


def check_record_bytes(label: str, number: int, size: int, limits: IngestionLimits) -> None:
    """Refuse a record that is larger than one may be.

    Raises
    ------
    SourceLoadingError
        Naming the source and the number of the record.
    """
    if size > limits.record_bytes:
        raise SourceLoadingError(
            f"{label}: record {number:,}: expected at most {limits.record_bytes:,} bytes, found "
            f"{size:,}"
        )


def check_column_count(label: str, count: int, limits: IngestionLimits) -> None:
    """Refuse a table of more columns than a record may have fields.

    Raises
    ------
    SourceLoadingError
        Naming the source.
    """
    if count > limits.record_fields:
        raise SourceLoadingError(
            f"{label}: expected at most {limits.record_fields:,} columns, found {count:,}"
        )
