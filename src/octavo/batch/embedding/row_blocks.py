"""The rows of an embedding job, all of one schema, as a stream of equal blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.batch.embedding.text_columns import TextColumns
from octavo.columns.arrow_types import Array, compute
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.columns.place import Place
from octavo.columns.readers.json_lines import JsonLinesSource
from octavo.columns.sources import InputBatch, RowOrigins, Source, input_schema, open_inputs
from octavo.columns.text import as_text
from octavo.columns.vector_notes import noted_model
from octavo.embeddings.vector_model import KEY
from octavo.errors import InvalidArgumentError

BLOCK_ROWS: Final = 1_024
BLOCK_BYTES: Final = 32 << 20
"""A block ends with so many rows or, where rows are wide, the batch that brings it to so many bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """Consecutive rows and their texts to embed, which may be empty.

    The number of the first row counts the rows of all inputs.
    """

    rows: pa.RecordBatch
    texts: pa.LargeStringArray
    first_row: int

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows and of the texts, which may be of columns that are not kept."""
        return int(self.rows.nbytes + self.texts.nbytes)

    def cut(self, start: int, stop: int) -> "RowBlock":
        """Return some of the rows, without copying them."""
        length = stop - start
        return RowBlock(
            self.rows.slice(start, length), self.texts.slice(start, length), self.first_row + start
        )


def rows_schema(
    sources: Sequence[Source], keep: Sequence[str] | None, wanted: Sequence[str]
) -> tuple[pa.Schema, tuple[str, ...]]:
    """Return the columns that are written, and those of JSON lines that cannot be.

    Parameters
    ----------
    sources
        The inputs.
    keep
        The names asked for; ``None``: all.
    wanted
        Names that JSON lines are searched for.

    Raises
    ------
    InvalidArgumentError
        A column is not there, or cannot be written, or holds vectors of several models.
    """
    schema = input_schema(sources, [*wanted, *(keep or ())])
    of_json = any(isinstance(source, JsonLinesSource) for source in sources)
    for field in schema:  # else the file would say of all its rows what holds for those of one
        if field.metadata and KEY in field.metadata:
            noted_model(sources, field.name)
    nested = tuple(field.name for field in schema if of_json and _is_nested(field.type))
    if keep is None:
        return pa.schema([_written(field) for field in schema if field.name not in nested]), nested
    if not keep:
        raise InvalidArgumentError("keep: expected at least one column, found none")
    for name in keep:
        if name not in schema.names or name in nested:
            raise InvalidArgumentError(
                f"keep: expected columns of the input that hold text, numbers or vectors, "
                f"found {name!r}"
            )
    return pa.schema([_written(schema.field(name)) for name in dict.fromkeys(keep)]), ()


def row_blocks(
    sources: Sequence[Source], schema: pa.Schema, columns: TextColumns, origins: RowOrigins
) -> Iterator[RowBlock]:
    """Yield the rows in order, in bounded memory, in blocks that depend on nothing but the rows.

    Parameters
    ----------
    sources
        The inputs.
    schema
        The columns that are written.
    columns
        Those of the texts.
    origins
        Is told where rows come from.

    Raises
    ------
    InvalidArgumentError, SourceLoadingError
        A value does not fit the type of its column, a text is no UTF-8, or an input is damaged;
        the message names the input and the rows.
    """
    pending: list[RowBlock] = []
    for block in _read(sources, schema, columns, origins):
        pending.append(block)
        if sum(map(len, pending)) >= BLOCK_ROWS:
            joined = _joined(pending)
            whole = len(joined) - len(joined) % BLOCK_ROWS
            for start in range(0, whole, BLOCK_ROWS):
                yield joined.cut(start, start + BLOCK_ROWS)
            pending = [joined.cut(whole, len(joined))] if len(joined) > whole else []
        if sum(block.nbytes for block in pending) >= BLOCK_BYTES:
            yield _joined(pending)
            pending = []
    if pending:
        yield _joined(pending)


def _read(
    sources: Sequence[Source], schema: pa.Schema, columns: TextColumns, origins: RowOrigins
) -> Iterator[RowBlock]:
    texts = [name for name in (columns.text, columns.title) if name is not None]
    wanted = list(dict.fromkeys([*schema.names, *texts]))
    done = 0
    for batch in open_inputs(sources, columns=wanted, batch_rows=BLOCK_ROWS):
        origins.add(batch)
        rows = _conformed(batch, schema)
        yield RowBlock(rows, _texts(batch, columns), done)
        done += rows.num_rows


def _texts(batch: InputBatch, columns: TextColumns) -> pa.LargeStringArray:
    content = compute.fill_null(_text(batch, columns.text), "")
    title = None if columns.title is None else _text(batch, columns.title)
    return searchable_text(DocumentBatch(ids=content, content=content, title=title))


def _text(batch: InputBatch, name: str) -> pa.LargeStringArray:
    rows = batch.batch
    column = rows[name] if name in rows.schema.names else pa.nulls(rows.num_rows)
    return as_text(column, Place(name, batch.origin, batch.first_row))


def _conformed(batch: InputBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows with the columns of the output: those missing are null, others are cast."""
    rows = batch.batch
    arrays = []
    for field in schema:
        column = rows[field.name] if field.name in rows.schema.names else pa.nulls(len(rows))
        if column.type != field.type:
            column = _cast(column, field.type, Place(field.name, batch.origin, batch.first_row))
        arrays.append(column)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(column: Array, dtype: pa.DataType, place: Place) -> Array:
    if column.null_count == len(column):  # what JSON lines lack has the type of text
        missing: Array = pa.nulls(len(column), cast("Any", dtype))
        return missing
    told = f"{place}: expected {dtype} as in the first input, found {column.type}"
    lost = _members(column.type) - _members(dtype)
    if lost:  # a cast leaves them out without a word
        raise InvalidArgumentError(f"{told}: the first lacks {min(lost)}")
    try:
        return column.cast(dtype)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidArgumentError(f"{told}: {error}") from error


def _members(dtype: pa.DataType, path: str = "") -> frozenset[str]:
    """Return the paths of all members of structs; what the items of lists are called is all one."""
    named = pa.types.is_struct(dtype)
    found: set[str] = set()
    for number in range(dtype.num_fields):
        member: pa.Field[Any] = cast("Any", dtype).field(number)
        below = f"{path}.{member.name}" if named else f"{path}[]"
        found |= {below} | _members(member.type, below)
    return frozenset(found)


def _joined(blocks: Sequence[RowBlock]) -> RowBlock:
    if len(blocks) == 1:
        return blocks[0]
    rows = pa.Table.from_batches([block.rows for block in blocks]).combine_chunks().to_batches()
    return RowBlock(
        rows[0],
        pa.concat_arrays([block.texts for block in blocks]),
        blocks[0].first_row,
    )


def _written(field: "pa.Field[Any]") -> "pa.Field[Any]":
    """Return how a column is written; null where an input lacks it.

    Categories become their values, since each row group of an input numbers them in its own way.
    """
    dtype = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    written = pa.field(field.name, dtype, metadata=field.metadata)
    try:
        pq.ParquetWriter(pa.BufferOutputStream(), pa.schema([written])).close()
    except pa.ArrowException as error:
        raise InvalidArgumentError(
            f"column {field.name!r}: parquet cannot hold {dtype}; keep only other columns"
        ) from error
    return written


def _is_nested(dtype: pa.DataType) -> bool:
    """Whether the reader of JSON lines gave a column the type of what it does not read."""
    return dtype in (pa.struct([]), pa.list_(pa.large_string()))
