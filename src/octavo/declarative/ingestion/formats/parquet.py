"""Parquet: a record a row, streamed."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.columns.arrow_types import Array, has_canonical_text
from octavo.columns.metadata import canonical_text
from octavo.columns.place import Place
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Record

_BATCH_ROWS = 4_096


def read_parquet(resource: Resource, limits: IngestionLimits) -> Iterator[Record]:
    """Yield the rows of a parquet file, a few thousand in memory at a time.

    Vectors and binary columns are left out: they are nothing to read.

    Raises
    ------
    DamagedSource
        It is no parquet file, or is damaged.
    """
    if resource.size == 0:
        return
    with resource.opened() as file:
        try:
            parquet = pq.ParquetFile(file)
            columns = [field.name for field in parquet.schema_arrow if _is_readable(field.type)]
            if len(columns) > limits.record_fields:
                raise DamagedSource(
                    f"expected at most {limits.record_fields:,} columns, found {len(columns):,}"
                )
            number = 0
            for batch in parquet.iter_batches(_BATCH_ROWS, columns=columns):
                for values in zip(*map(_values, batch.schema.names, batch.columns), strict=True):
                    number += 1
                    named = zip(columns, values, strict=True)
                    yield Record(number, {name: each for name, each in named if each is not None})
        except (pa.ArrowException, ValueError) as error:
            told = " ".join(str(error).split())
            raise DamagedSource(f"expected parquet: {told}") from error


def _values(name: str, column: Array) -> list[object]:
    """Return a column as Python values, as text where it has a canonical one (S11)."""
    if has_canonical_text(column.type):
        column = canonical_text(column, Place(name))
    values: list[object] = column.to_pylist()
    return values


def _is_readable(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return not pa.types.is_floating(kind.value_type)
    return not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
