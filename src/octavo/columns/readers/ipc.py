"""Arrow IPC files (Feather) and streams."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from octavo.columns.readers.base import FileSource, metadata_of, present_columns, slices


@dataclass(frozen=True, slots=True)
class IpcSource(FileSource):
    """An Arrow IPC file or stream, memory-mapped."""

    kind: ClassVar[str] = "an Arrow IPC file or stream"

    def schema(self, wanted: Sequence[str]) -> pa.Schema:  # noqa: ARG002 - the protocol's
        """Return the schema that the file begins with."""
        with self.errors_named(), self._opened() as reader:
            return reader.schema.remove_metadata()

    def schema_metadata(self) -> Mapping[bytes, bytes]:
        """Return the metadata of the schema that the file begins with."""
        with self.errors_named(), self._opened() as reader:
            return reader.schema.metadata or {}

    def field_metadata(self, column: str) -> Mapping[bytes, bytes]:
        """Return the metadata of a field, from the schema that the file begins with."""
        with self.errors_named(), self._opened() as reader:
            return metadata_of(reader.schema, column)

    def batches(self, columns: Sequence[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield slices of the stored batches."""
        with self.errors_named(), self._opened() as reader:
            names = present_columns(reader.schema.names, columns, self.origin)
            for batch in _stored(reader):
                yield from slices(batch.select(names), batch_rows)

    @contextmanager
    def _opened(self) -> "Iterator[pa.RecordBatchFileReader | pa.RecordBatchStreamReader]":
        with pa.memory_map(self.path) as file:
            is_file = file.read(6) == b"ARROW1"
            file.seek(0)
            with pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file) as reader:
                yield reader


def _stored(
    reader: "pa.RecordBatchFileReader | pa.RecordBatchStreamReader",
) -> Iterator[pa.RecordBatch]:
    if isinstance(reader, pa.RecordBatchFileReader):
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)
    else:
        yield from reader
