"""Which input column plays which part: named by the user or found among common names."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

import pyarrow as pa

from octavo.columns.arrow_types import (
    has_canonical_text,
    is_id_like,
    is_text_like,
    is_time_like,
    is_vector_like,
)
from octavo.columns.naming import (
    check_column,
    check_exists,
    check_unique_names,
    find_column,
    none_found,
)
from octavo.columns.timestamps import check_zone
from octavo.errors import InvalidArgumentError

TEXT_NAMES: Final = ("text", "content", "contents", "body", "passage", "document", "page_content")
ID_NAMES: Final = ("id", "_id", "doc_id", "docid", "docno", "document_id", "key")
TITLE_NAMES: Final = ("title", "headline")

VECTOR_TYPES: Final = "lists of float16/32/64"
CANONICAL_TYPES: Final = "text, numbers, booleans or dates"
RESERVED_KEYS: Final = ("entryId",)
RESERVED_PREFIXES: Final = (
    "hybrid.", "multiQuery.", "hierarchy.", "temporal.", "graph.", "tnsai.",
)  # fmt: skip


class NoTitle(Enum):
    """The one value that asks for no title, also where a title column would be found."""

    NO_TITLE = "no title"


NO_TITLE: Final = NoTitle.NO_TITLE


@dataclass(frozen=True, slots=True)
class ColumnRequest:
    """What the user said about columns; ``None`` is unset.

    Parameters
    ----------
    id, text
        Column names; unset ones are found among :data:`ID_NAMES` and :data:`TEXT_NAMES`.
    title
        A column name, ``NO_TITLE``, or unset (found among :data:`TITLE_NAMES`, else none).
    source, timestamp, parent, embedding, metadata
        Column names; never guessed, since a wrong guess would change results silently.
    timestamp_zone
        IANA zone or offset for timestamps that carry none, such as ``"UTC"``.
    """

    id: str | None = None
    text: str | None = None
    title: str | Literal[NoTitle.NO_TITLE] | None = None
    source: str | None = None
    timestamp: str | None = None
    timestamp_zone: str | None = None
    parent: str | None = None
    embedding: str | None = None
    metadata: tuple[str, ...] = ()

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return (option, column) for every column that was named."""
        options = ("id", "text", "title", "source", "timestamp", "parent", "embedding")
        given = ((option, getattr(self, option)) for option in options)
        named = tuple((option, name) for option, name in given if isinstance(name, str))
        return named + tuple(("metadata", name) for name in self.metadata)


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The input column for each part of a document; ``None`` means there is none."""

    id: str
    text: str
    title: str | None = None
    source: str | None = None
    timestamp: str | None = None
    timestamp_zone: str | None = None
    parent: str | None = None
    embedding: str | None = None
    metadata: tuple[str, ...] = ()

    def columns(self) -> tuple[str, ...]:
        """Return the distinct input columns that are read, in a fixed order."""
        single = (
            self.id,
            self.text,
            self.title,
            self.source,
            self.timestamp,
            self.parent,
            self.embedding,
        )
        return tuple(dict.fromkeys(name for name in (*single, *self.metadata) if name is not None))


def choose_columns(schema: pa.Schema, requested: ColumnRequest) -> ColumnChoice:
    """Decide which column of ``schema`` is the id, the text and so on.

    Named columns must exist. Only id, text and title are found by themselves, in the order of the
    lists of common names, exactly spelled first and then without regard to case, and only where
    the type fits. A column may play several parts.

    Parameters
    ----------
    schema
        The schema of the input; of several inputs, the union (``sources.input_schema``).
    requested
        What the user said.

    Raises
    ------
    InvalidArgumentError
        A named column is missing or of a wrong type, no id or text column is found, a metadata
        name is reserved (S11), blank or repeated, or column names repeat in the schema.

    Examples
    --------
    >>> schema = pa.schema({"docno": pa.int64(), "body": pa.string(), "year": pa.int16()})
    >>> choice = choose_columns(schema, ColumnRequest(metadata=("year",)))
    >>> choice.id, choice.text, choice.title, choice.metadata
    ('docno', 'body', None, ('year',))
    """
    check_unique_names(schema.names, "the input")
    for option, name in requested.named():
        check_exists(option, name, schema.names)
    _check_metadata_names(requested.metadata)
    title_name = None if isinstance(requested.title, NoTitle) else requested.title
    check_column(schema, "id", requested.id, is_id_like, "strings or integers")
    check_column(schema, "text", requested.text, is_text_like, "strings")
    check_column(schema, "title", title_name, is_text_like, "strings")
    check_column(schema, "source", requested.source, is_text_like, "strings")
    check_column(
        schema, "timestamp", requested.timestamp, is_time_like, "timestamps, dates or text"
    )
    if requested.timestamp_zone is not None:
        check_zone(requested.timestamp_zone)
    check_column(schema, "parent", requested.parent, is_id_like, "strings or integers")
    check_column(schema, "embedding", requested.embedding, is_vector_like, VECTOR_TYPES)
    for name in requested.metadata:
        check_column(schema, "metadata", name, has_canonical_text, CANONICAL_TYPES)
    identifier = requested.id or find_column(schema, ID_NAMES, is_id_like)
    if identifier is None:
        raise none_found("id", ID_NAMES, schema.names)
    text = requested.text or find_column(schema, TEXT_NAMES, is_text_like, (identifier,))
    if text is None:
        raise none_found("text", TEXT_NAMES, schema.names)
    title: str | None
    if requested.title is NO_TITLE:
        title = None
    else:
        title = requested.title or find_column(
            schema, TITLE_NAMES, is_text_like, (identifier, text)
        )
    return ColumnChoice(
        id=identifier,
        text=text,
        title=title,
        source=requested.source,
        timestamp=requested.timestamp,
        timestamp_zone=requested.timestamp_zone,
        parent=requested.parent,
        embedding=requested.embedding,
        metadata=requested.metadata,
    )


def _check_metadata_names(names: tuple[str, ...]) -> None:
    for name in names:
        if name in RESERVED_KEYS or name.startswith(RESERVED_PREFIXES):
            raise InvalidArgumentError(
                f"metadata: {name!r} is a reserved name ({', '.join(RESERVED_KEYS)}, "
                f"{'*, '.join(RESERVED_PREFIXES)}*); rename the column"
            )
        if not name.strip():
            raise InvalidArgumentError(f"metadata: expected a non-blank name, found {name!r}")
    check_unique_names(names, "metadata")
