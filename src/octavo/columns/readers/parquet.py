"""Parquet files, a few pages at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.columns.readers.base import BATCH_BYTES, FileSource, metadata_of, present_columns

_READ_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class ParquetSource(FileSource):
    """A parquet file; only the columns asked for are read."""

    kind: ClassVar[str] = "a parquet file"

    def schema(self, wanted: Sequence[str]) -> pa.Schema:  # noqa: ARG002 - the protocol's
        """Return the schema from the footer."""
        with self.errors_named():
            return pq.read_schema(self.path).remove_metadata()

    def schema_metadata(self) -> Mapping[bytes, bytes]:
        """Return the metadata of the schema, from the footer."""
        with self.errors_named():
            return pq.read_schema(self.path).metadata or {}

    def field_metadata(self, column: str) -> Mapping[bytes, bytes]:
        """Return the metadata of a field, from the footer."""
        with self.errors_named():
            return metadata_of(pq.read_schema(self.path), column)

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches in the order of the file."""
        # Buffered reading keeps one page a column in memory instead of one column chunk.
        with (
            self.errors_named(),
            pq.ParquetFile(self.path, buffer_size=_READ_BUFFER, pre_buffer=False) as file,
        ):
            names = present_columns(file.schema_arrow.names, columns, self.origin)
            rows = min(batch_rows, _rows_within_budget(file.metadata, names))
            for batch in file.iter_batches(batch_size=rows, columns=names):
                # A prefix such as "a" of a nested "a.b" selects that too.
                yield batch.select(names)


def _rows_within_budget(metadata: pq.FileMetaData, names: Sequence[str]) -> int:
    """Return how many rows fit the batch budget, in the row group with the widest rows."""
    wanted = set(names)
    widest = 1
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = (group.column(i) for i in range(group.num_columns))
        size = sum(
            chunk.total_uncompressed_size
            for chunk in chunks
            if chunk.path_in_schema.split(".")[0] in wanted or chunk.path_in_schema in wanted
        )
        widest = max(widest, size // max(1, group.num_rows))
    return max(1, BATCH_BYTES // widest)
