"""The metadata of documents: names, and values as text."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Final

import pyarrow as pa

from octavo.columns.schema import RESERVED_KEYS, RESERVED_PREFIXES


class SourceMetadata:
    """Keys that the bundled loaders write; what a file declares under these names is left out."""

    SOURCE: Final = "source"
    """The absolute path or the URL."""
    PATH: Final = "path"
    """The path below the source's root, with ``/``."""
    FORMAT: Final = "format"
    HEADINGS: Final = "headings"
    """Titles from the document's down to the chunk's own, joined by `` > ``."""
    LINE_START: Final = "line_start"
    LINE_END: Final = "line_end"
    """The lines of the file that the chunk covers, from 1."""
    PAGE: Final = "page"
    RECORD: Final = "record"
    """The number of the record in its file, from 1."""
    CONTEXT: Final = "chunk_context"
    """What is put before the searchable text; only where the declaration asks for it."""


_LONGEST_BITS: Final = 8_192
HEADING_SEPARATOR: Final = " > "
_OWN: Final = frozenset(
    value for name, value in vars(SourceMetadata).items() if not name.startswith("_")
)


def is_reserved(key: str) -> bool:
    """Whether a file's own data must not set a key: it would forge what octavo says (S11).

    Examples
    --------
    >>> is_reserved("tnsai.chat.tenant"), is_reserved("tier")
    (True, False)
    """
    return (
        not key.strip()
        or key in _OWN
        or key in RESERVED_KEYS
        or key.startswith((*RESERVED_PREFIXES, "octavo."))
    )


def value_text(value: object) -> str | None:  # noqa: PLR0911 - one a type
    """Return the canonical text of a value (S11): ``None`` for null and for NaN.

    Examples
    --------
    >>> value_text(True), value_text(1.0), value_text(date(2024, 5, 1)), value_text(["a", {"b": 2}])
    ('true', '1', '2024-05-01', 'a, b: 2')
    """
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bytes) or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = str(pa.scalar(value, pa.float64()).cast(pa.string()))
        return "0" if text == "-0" else text
    if isinstance(value, datetime | date | time):
        return _time_text(value)
    if isinstance(value, int):
        # Longer ones than Python writes, to the base of 10: as files write such.
        return str(value) if value.bit_length() < _LONGEST_BITS else hex(value)
    if isinstance(value, Mapping):
        inside = ((key, value_text(each)) for key, each in flattened(value))
        return ", ".join(f"{key}: {text}" for key, text in inside if text is not None)
    if isinstance(value, list | tuple | set | frozenset):
        texts = [each for each in map(value_text, value) if each is not None]
        return ", ".join(texts if isinstance(value, list | tuple) else sorted(texts))
    return str(value)


def _time_text(value: datetime | date | time) -> str:
    utc = isinstance(value, datetime) and value.tzinfo is not None
    if isinstance(value, datetime) and utc:
        value = value.astimezone(UTC).replace(tzinfo=None)
    text = value.isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z" * utc


def flattened(fields: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the fields, those of mappings inside under dotted names.

    Examples
    --------
    >>> list(flattened({"a": {"b": 1}, "c": [2]}))
    [('a.b', 1), ('c', [2])]
    """
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def declared_metadata(fields: Iterable[tuple[str, object]], longest: int) -> dict[str, str]:
    """Return fields as metadata, without reserved names, nulls, empty and long values."""
    found = {}
    for key, value in fields:
        if not is_reserved(key):
            text = value_text(value)
            if text and len(text) <= longest:
                found[key] = text
    return found
