"""Inputs as a stream of record batches: files, directories, globs and in-memory tables."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Final, Protocol, TypeAlias, TypeGuard

import pyarrow as pa

from octavo.columns.files import expand_path, reader_of
from octavo.columns.naming import check_unique_names
from octavo.columns.readers.base import FileSource, metadata_of, present_columns, slices
from octavo.errors import InvalidArgumentError, SourceLoadingError

DEFAULT_BATCH_ROWS: Final = 16_384

Input: TypeAlias = Any  # a path, an Arrow table, or an object with the PyCapsule interface


@dataclass(frozen=True, slots=True, eq=False)
class InputBatch:
    """Some consecutive rows of one input.

    Parameters
    ----------
    batch
        The rows; the schema may differ from input to input.
    origin
        The file's path as found, or ``"table"``.
    first_row
        The number of the first row within the origin, from 0.
    """

    batch: pa.RecordBatch
    origin: str
    first_row: int


class Source(Protocol):
    """One input, read once from start to end."""

    @property
    def origin(self) -> str:
        """What messages call the input."""
        ...

    def schema(self, wanted: Sequence[str]) -> pa.Schema:
        """Return names and types of the columns; formats without a schema look for ``wanted``."""
        ...

    def schema_metadata(self) -> Mapping[bytes, bytes]:
        """Return what the input says of itself; nothing where it has no place for it."""
        ...

    def field_metadata(self, column: str) -> Mapping[bytes, bytes]:
        """Return what the input says of a column; nothing where it has no place for it."""
        ...

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches of at most ``batch_rows`` rows with those of ``columns`` that exist."""
        ...


@dataclass(slots=True, eq=False)
class TableSource:
    """A table, batch, reader or anything else that exports Arrow data."""

    origin: str
    reader: pa.RecordBatchReader
    spent: bool = False

    def schema(self, wanted: Sequence[str]) -> pa.Schema:  # noqa: ARG002 - the protocol's
        """Return the schema of the table."""
        return self.reader.schema

    def schema_metadata(self) -> Mapping[bytes, bytes]:
        """Return the metadata of the schema."""
        return self.reader.schema.metadata or {}

    def field_metadata(self, column: str) -> Mapping[bytes, bytes]:
        """Return the metadata of a field."""
        return metadata_of(self.reader.schema, column)

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows, once.

        Raises
        ------
        InvalidArgumentError
            They were read before: an Arrow stream does not start again.
        """
        if self.spent:
            raise InvalidArgumentError(f"{self.origin}: expected an unread stream; it was read")
        self.spent = True
        names = present_columns(self.reader.schema.names, columns, self.origin)
        while True:
            try:
                batch = self.reader.read_next_batch()
            except StopIteration:
                return
            except (pa.ArrowException, OSError) as error:
                raise SourceLoadingError(f"{self.origin}: reading it failed: {error}") from error
            yield from slices(batch.select(names), batch_rows)


def resolve_inputs(inputs: Input | Sequence[Input], name: str = "inputs") -> tuple[Source, ...]:
    """Find what there is to read, without reading rows.

    Paths keep the order given; a directory is read recursively in the order of its paths, hidden
    files and files of unknown formats left out; a glob likewise.

    Parameters
    ----------
    inputs
        One or several of: path, directory or glob (parquet, arrow, feather, ipc, jsonl, ndjson,
        json, csv, tsv; the text formats also with ``.gz``); pyarrow Table, RecordBatch or
        RecordBatchReader; any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``;
        ``datasets.Dataset``.
    name
        What the caller's argument is called in messages.

    Raises
    ------
    SourceLoadingError
        A path does not exist, or holds no readable file.
    InvalidArgumentError
        An input is of another kind, a file has an unknown ending, or there is no input.
    """
    given = [inputs] if is_input(inputs) else _listed(inputs, name)
    if not given:
        raise InvalidArgumentError(f"{name}: expected at least one file or table, found none")
    tables = sum(_is_table(each) for each in given)
    sources: list[Source] = []
    numbered = 0
    for each in given:
        if _is_source(each):
            sources.append(each)
        elif isinstance(each, str | PathLike):
            sources.extend(reader_of(path) for path in expand_path(fspath(each)))
        else:
            numbered += 1
            origin = "table" if tables == 1 else f"table {numbered}"
            sources.append(TableSource(origin, _stream(each, origin)))
    return tuple(sources)


def input_schema(sources: Sequence[Source], wanted: Sequence[str] = ()) -> pa.Schema:
    """Return the union of the inputs' schemas: each name once, with its first non-null type.

    Parameters
    ----------
    sources
        From :func:`resolve_inputs`.
    wanted
        Column names the user gave. JSON lines have no schema: their first lines are looked at,
        and as many more as it takes to see these.

    Raises
    ------
    InvalidArgumentError
        Column names repeat within one input.
    SourceLoadingError
        A file cannot be read as what its ending says.
    """
    fields: dict[str, pa.Field[Any]] = {}
    for source in sources:
        schema = source.schema(wanted)
        check_unique_names(schema.names, source.origin)
        for field in schema:
            known = fields.get(field.name)
            if known is None or pa.types.is_null(known.type):
                fields[field.name] = field
    return pa.schema(list(fields.values()))


def open_inputs(
    inputs: Input | Sequence[Input],
    *,
    columns: Sequence[str] | None = None,
    batch_rows: int = DEFAULT_BATCH_ROWS,
) -> Iterator[InputBatch]:
    """Stream the inputs, one after the other, in bounded memory.

    Parameters
    ----------
    inputs
        As for :func:`resolve_inputs`, or its result.
    columns
        The columns to read; those that an input lacks are left out of its batches. ``None`` reads
        all.
    batch_rows
        The largest number of rows in a batch; wide rows come in smaller batches.

    Raises
    ------
    SourceLoadingError, InvalidArgumentError
        As :func:`resolve_inputs` at the call; while iterating, where a file turns out damaged,
        with the name of the file and, for text formats, the line.

    Examples
    --------
    >>> table = pa.table({"id": [1, 2, 3]})
    >>> [(one.first_row, one.batch.num_rows) for one in open_inputs(table, batch_rows=2)]
    [(0, 2), (2, 1)]
    """
    if batch_rows < 1:
        raise InvalidArgumentError(f"batch_rows: expected at least 1, found {batch_rows}")
    return _stream_all(resolve_inputs(inputs), columns, batch_rows)


def _stream_all(
    sources: Sequence[Source], columns: Sequence[str] | None, batch_rows: int
) -> Iterator[InputBatch]:
    for source in sources:
        first_row = 0
        for batch in source.batches(columns, batch_rows):
            if batch.num_rows:
                yield InputBatch(batch, source.origin, first_row)
                first_row += batch.num_rows


class RowOrigins:
    """Remembers which global row came from where, so that messages can say it.

    Examples
    --------
    >>> origins = RowOrigins()
    >>> for each in open_inputs(pa.table({"id": [1, 2]})):
    ...     origins.add(each)
    >>> origins.describe(1)
    'row 1 of table'
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._origins: list[str] = []
        self._rows = 0

    def add(self, batch: InputBatch) -> None:
        """Note the next batch of the stream."""
        if not self._origins or batch.first_row == 0:
            self._starts.append(self._rows)
            self._origins.append(batch.origin)
        self._rows += batch.batch.num_rows

    def describe(self, row: int) -> str:
        """Name the origin of a global row, and its number there."""
        last = bisect_right(self._starts, row) - 1
        return f"row {row - self._starts[last]} of {self._origins[last]}"


def _listed(inputs: Iterable[Input], name: str) -> list[Input]:
    """Return several inputs as a list; stops at the first thing that is none."""
    # A mapping of columns is iterable too, and its keys would pass for paths.
    if not isinstance(inputs, Iterable) or isinstance(inputs, Mapping):
        raise _not_an_input(inputs, name)
    given = []
    for each in inputs:
        if not is_input(each):
            raise _not_an_input(each, name)
        given.append(each)
    return given


def _stream(table: Input, origin: str) -> pa.RecordBatchReader:
    try:
        if hasattr(table, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(table)
        if _is_dataset(table):
            arrow = table.with_format("arrow").iter(DEFAULT_BATCH_ROWS)
            batches = (batch for part in arrow for batch in part.to_batches())
            return pa.RecordBatchReader.from_batches(table.features.arrow_schema, batches)
        batch = pa.record_batch(table)
        return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    except (pa.ArrowInvalid, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"{origin}: expected Arrow record batches (a struct of columns), found: {error}"
        ) from error


def is_input(value: object) -> bool:
    """Whether a value is one input: a path, a table, or what was resolved from one."""
    return isinstance(value, str | PathLike) or _is_table(value) or _is_source(value)


def _is_table(value: object) -> bool:
    return (
        hasattr(value, "__arrow_c_stream__")
        or hasattr(value, "__arrow_c_array__")
        or _is_dataset(value)
    )


def _is_dataset(value: object) -> bool:
    """Whether the value is a ``datasets.Dataset``, which holds Arrow but does not export it."""
    return hasattr(value, "with_format") and getattr(value, "features", None) is not None


def _is_source(value: object) -> TypeGuard[Source]:
    return isinstance(value, TableSource | FileSource)


def _not_an_input(value: object, name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{name}: expected paths or tables (anything with __arrow_c_stream__), "
        f"found {type(value).__name__}"
    )
