"""Parquet: a record a row, streamed."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, has_canonical_text
from octavo.columns.metadata import canonical_text
from octavo.columns.place import Place
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.record_size import (
    check_column_count,
    check_record_bytes,
    record_bytes,
)
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Record
from octavo.errors import SourceLoadingError

_BATCH_ROWS: Final = 4_096
_BATCH_BYTES: Final = 32 << 20
"""As Python values; a batch of larger rows has fewer of them."""
_ABOUT_A_PAGE: Final = 16 << 10
"""What is written about a page, its smallest and largest value among it, is part of its size."""


def read_parquet(resource: Resource, limits: IngestionLimits) -> Iterator[Record]:
    """Yield the rows of a parquet file, a few thousand or 32 MiB in memory at a time.

    Vectors and binary columns are left out: they are nothing to read. Repeated text is kept as the
    dictionary that it is in the file until its rows are known to fit.

    Raises
    ------
    DamagedSource
        It is no parquet file, or is damaged.
    SourceLoadingError
        It has too many columns, or a row is too large.
    """
    if resource.size == 0:
        return
    with resource.opened() as file:
        try:
            with pq.ParquetFile(file) as described:
                schema = described.schema_arrow
            columns = [field.name for field in schema if _is_readable(field.type)]
            check_column_count(resource.label, len(columns), limits)
            texts = [field.name for field in schema if _is_text(field.type)]
            parquet = pq.ParquetFile(file, read_dictionary=[n for n in texts if n in columns])
            rows = _batch_rows(parquet, columns, resource, limits)
            number = 0
            for whole in parquet.iter_batches(rows, columns=columns):
                for batch in _pieces(whole, number, resource, limits):
                    for record in _records(batch, columns, number):
                        if record.value:
                            size = record_bytes(record.value)
                            check_record_bytes(resource.label, record.number, size, limits)
                        yield record
                    number += batch.num_rows
        except (pa.ArrowException, ValueError) as error:
            told = " ".join(str(error).split())
            raise DamagedSource(f"expected parquet: {told}") from error


def _batch_rows(
    parquet: pq.ParquetFile, columns: list[str], resource: Resource, limits: IngestionLimits
) -> int:
    """Return how many rows to read at a time, by the largest average of a row group."""
    average = 0
    metadata = parquet.metadata
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        parts = [group.column(each) for each in range(group.num_columns)]
        size = sum(
            part.total_uncompressed_size
            for part in parts
            if part.path_in_schema.partition(".")[0] in columns
        )
        average = max(average, size // max(group.num_rows, 1))
    if average > 2 * limits.record_bytes + len(columns) * _ABOUT_A_PAGE:  # twice: a dictionary
        raise SourceLoadingError(
            f"{resource.label}: expected records of at most {limits.record_bytes:,} bytes, found a "
            f"row group with {average:,} on average"
        )
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(average, 1)))


def _pieces(
    batch: pa.RecordBatch, before: int, resource: Resource, limits: IngestionLimits
) -> Iterator[pa.RecordBatch]:
    """Yield a batch in pieces that fit in memory as plain values."""
    sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        sizes += _text_bytes(column)
    for row in np.flatnonzero(sizes > limits.record_bytes)[:1].tolist():
        check_record_bytes(resource.label, before + row + 1, int(sizes[row]), limits)
    ends = np.cumsum(sizes)
    start = 0
    while start < batch.num_rows:
        read = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, read + _BATCH_BYTES, side="right")))
        yield batch.slice(start, end - start)
        start = end


def _text_bytes(column: Any) -> NDArray[np.int64]:  # noqa: ANN401 - an array of any type
    """Return the bytes of each row's text; 0 where it is something else."""
    if isinstance(column, pa.DictionaryArray):
        lengths = _text_bytes(column.dictionary)
        places = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        valid = column.indices.is_valid().to_numpy(zero_copy_only=False)
        return (
            np.where(valid, lengths[places], 0) if len(lengths) else np.zeros(len(column), np.int64)
        )
    if not _is_text(column.type):
        return np.zeros(len(column), np.int64)
    lengths = pc.binary_length(column).fill_null(0)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)


def _records(batch: pa.RecordBatch, columns: list[str], before: int) -> Iterator[Record]:
    rows = zip(*map(_values, batch.schema.names, batch.columns), strict=True)
    for number, values in enumerate(rows, before + 1):
        named = zip(columns, values, strict=True)
        yield Record(number, {name: each for name, each in named if each is not None})


def _values(name: str, column: Array) -> list[object]:
    """Return a column as Python values, as text where it has a canonical one (S11)."""
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if has_canonical_text(column.type):
        column = canonical_text(column, Place(name))
    return list(column.to_pylist())


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_readable(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return not pa.types.is_floating(kind.value_type)
    return not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
