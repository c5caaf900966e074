"""Results as parquet, the same bytes for the same blocks."""

from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP_ROWS = 131_072
"""A row group ends with the first block that brings it to this many rows."""


class ParquetWriter:
    """Write hits as zstd-compressed parquet.

    Row groups end at block boundaries and depend on the number of rows only, so neither a resumed
    job nor the number of threads moves a byte. Another version of Arrow may: it compresses and
    signs in its own way.

    Parameters
    ----------
    path
        The file to create.
    schema
        Schema of every block.
    row_group_bytes
        How many bytes end a row group too, where rows are wide.
    """

    def __init__(self, path: Path, schema: pa.Schema, row_group_bytes: int | None = None) -> None:
        self._schema = schema
        self._row_group_bytes = row_group_bytes
        self._file = pq.ParquetWriter(path, schema, compression="zstd")
        self._pending: list[pa.RecordBatch] = []
        self._pending_rows = 0
        self._pending_bytes = 0

    def write(self, hits: pa.RecordBatch) -> None:
        """Append a block; it reaches the file with its row group."""
        self._pending.append(hits)
        self._pending_rows += hits.num_rows
        self._pending_bytes += hits.nbytes
        wide = self._row_group_bytes is not None and self._pending_bytes >= self._row_group_bytes
        if wide or self._pending_rows >= ROW_GROUP_ROWS:
            self._write_row_group()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error_type is None and self._pending_rows:
                self._write_row_group()
        finally:
            self._file.close()

    def _write_row_group(self) -> None:
        table = pa.Table.from_batches(self._pending, self._schema)
        self._file.write_table(table, row_group_size=max(1, table.num_rows))
        self._pending = []
        self._pending_rows = self._pending_bytes = 0
