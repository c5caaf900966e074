"""A loader of SQLite and DuckDB, as an example of what an application installs (S61)."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final
from urllib.parse import quote

from octavo.declarative.ingestion.declared import DeclaredSource, source_type
from octavo.declarative.ingestion.file_loader import chunk_settings
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.record_size import (
    check_column_count,
    check_record_bytes,
    record_bytes,
)
from octavo.declarative.ingestion.recording import record_documents
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Record
from octavo.declarative.ingestion.walk import absolute_path
from octavo.errors import ConfigurationError, SourceLoadingError, shown, told
from octavo.importing import optional
from octavo.spi.source_document import SourceDocument

_READING: Final = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)


class SqlLoader:
    """Makes a document of each row of one query.

    ``connection`` is ``sqlite:PATH`` or ``duckdb:PATH``. The database is opened for reading, and the
    query can only read it: no other statement, no other file. Columns play the parts that fields of
    records do: ``id``, ``text``, ``title``, dates; the others are metadata.

    It is not installed by itself; a distribution names it as an entry point of
    ``octavo.source_loaders``, or an application gives it to ``load_documents``.

    Parameters
    ----------
    limits
        How much a source may ask for.
    """

    def __init__(self, limits: IngestionLimits | None = None) -> None:
        self.limits = limits or IngestionLimits()

    def supports(self, knowledge: DeclaredSource) -> bool:
        """Return whether the declaration is of type DATABASE, with a connection of a known kind."""
        kind = str(knowledge.connection).partition(":")[0]
        return source_type(knowledge) == "DATABASE" and kind in {"sqlite", "duckdb"}

    def load(self, knowledge: DeclaredSource) -> Iterator[SourceDocument]:
        """Yield the documents of the rows, in the order of the query.

        Raises
        ------
        ConfigurationError
            There is no query, or it does more than read.
        SourceLoadingError
            The database is missing or damaged, the query fails, or a row is too large.
        """
        settings = chunk_settings(knowledge, self.limits)
        kind, _, place = str(knowledge.connection).partition(":")
        path = absolute_path(place.removeprefix("//"))
        query = knowledge.query
        if not isinstance(query, str) or not query.strip():
            raise ConfigurationError(f"query: expected a query, found {shown(query)}")
        label = f"{kind}:{path}"
        read = _sqlite_rows if kind == "sqlite" else _duckdb_rows
        identifier = file_id(knowledge.name, "").removesuffix("/")
        resource = Resource(label, kind, identifier, 0, _nothing)
        yield from record_documents(
            read(path, query, label, self.limits), resource, "SQL", settings
        )


def _nothing() -> Any:  # noqa: ANN401 - never called
    raise SourceLoadingError("a database has no bytes to read")


def _sqlite_rows(path: str, query: str, label: str, limits: IngestionLimits) -> Iterator[Record]:
    refused: list[int] = []

    def authorise(action: int, *names: str | None) -> int:
        if action in _READING and "load_extension" not in names:
            return sqlite3.SQLITE_OK
        refused.append(action)
        return sqlite3.SQLITE_DENY

    try:
        uri = f"file:{quote(path)}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.set_authorizer(authorise)
            cursor = connection.execute(query)
            yield from _records(cursor, label, limits)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if refused:
            raise ConfigurationError(
                f"query: expected one that only reads, found {query!r}"
            ) from error
        raise SourceLoadingError(f"{label}: the query failed: {told(error)}") from error


def _duckdb_rows(path: str, query: str, label: str, limits: IngestionLimits) -> Iterator[Record]:
    duckdb = optional("duckdb", "duckdb", "loading from DuckDB")
    try:
        statements = duckdb.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ConfigurationError(f"query: expected one that only reads, found {query!r}")
        settings = {"enable_external_access": "false", "lock_configuration": "true"}
        with closing(duckdb.connect(path, read_only=True, config=settings)) as connection:
            cursor = connection.execute(query)
            yield from _records(cursor, label, limits)
    except duckdb.Error as error:
        raise SourceLoadingError(f"{label}: the query failed: {told(error)}") from error


def _records(
    cursor: Any,  # noqa: ANN401 - two libraries
    label: str,
    limits: IngestionLimits,
) -> Iterator[Record]:
    names = [column[0] for column in cursor.description or ()]
    check_column_count(label, len(names), limits)
    # One by one: of rows that are as large as they may be, many are too many.
    for number, row in enumerate(iter(cursor.fetchone, None), 1):
        fields = {name: value for name, value in zip(names, row, strict=True) if value is not None}
        check_record_bytes(label, number, record_bytes(fields), limits)
        yield Record(number, fields)
