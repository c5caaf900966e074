"""Writing documents as Arrow IPC files made for row access by memory map.

``documents.arrow`` holds the columns ``id``, ``content`` and, where chosen, ``title``, ``source``,
``timestamp``, ``parent`` and ``metadata.<key>``, uncompressed, in record batches that are bounded in
rows and bytes, so that memory is too. Metadata columns are int32 codes; a missing key
is null, and the slot beneath holds -1, so that a reader needs no validity bits.
``dictionaries.arrow`` holds one row with, for each key, the list of its values in code order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array
from octavo.columns.buffers import buffer_view
from octavo.columns.document_batch import DocumentBatch
from octavo.columns.metadata import DictionaryEncoder
from octavo.columns.schema import ColumnChoice
from octavo.columns.timestamps import UTC_MICROSECONDS
from octavo.columns.written_batches import WrittenBatches
from octavo.errors import InvalidArgumentError

ROWS_PER_BATCH: Final = 16_384
BYTES_PER_BATCH: Final = 8 << 20
METADATA_PREFIX: Final = "metadata."

OPTIONAL_COLUMNS: Final = ("title", "source", "timestamp", "parent")


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """Which optional columns a documents file has.

    Parameters
    ----------
    optional
        Those of ``title``, ``source``, ``timestamp`` and ``parent`` that exist, in this order.
    metadata
        The metadata keys.
    """

    optional: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()

    @staticmethod
    def of(choice: ColumnChoice) -> "DocumentLayout":
        """Return the layout for the chosen input columns."""
        optional = tuple(name for name in OPTIONAL_COLUMNS if getattr(choice, name) is not None)
        return DocumentLayout(optional, choice.metadata)

    def schema(self) -> pa.Schema:
        """Return the Arrow schema of the documents file."""
        text = pa.large_string()
        fields: list[pa.Field[Any]] = [
            pa.field("id", text, nullable=False),
            pa.field("content", text, nullable=False),
            *(
                pa.field(name, UTC_MICROSECONDS) if name == "timestamp" else pa.field(name, text)
                for name in self.optional
            ),
            *(pa.field(METADATA_PREFIX + key, pa.int32()) for key in self.metadata),
        ]
        return pa.schema(fields)


class DocumentsWriter:
    """Streams document batches into a documents file, then writes the dictionaries file.

    Use it as a context manager; after an exception inside, the files are closed and of no use.
    Neither file is fsynced. Memory: one batch of rows, and the distinct metadata values.

    Parameters
    ----------
    documents_path, dictionaries_path
        The files to write; existing ones are replaced.
    layout
        The columns.
    rows_per_batch
        The largest number of rows in a record batch; batches of long documents hold fewer.

    Raises
    ------
    OSError
        The disk is full, or a file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> ids = pa.array(["a", "b"], pa.large_string())
    >>> with DocumentsWriter(folder / "d", folder / "v", DocumentLayout()) as writer:
    ...     codes = writer.write(DocumentBatch(ids=ids, content=ids))
    >>> writer.rows
    2
    """

    def __init__(
        self,
        documents_path: str | PathLike[str],
        dictionaries_path: str | PathLike[str],
        layout: DocumentLayout,
        *,
        rows_per_batch: int = ROWS_PER_BATCH,
    ) -> None:
        if rows_per_batch < 1:
            raise InvalidArgumentError(
                f"rows_per_batch: expected at least 1, found {rows_per_batch}"
            )
        self.layout = layout
        self.rows = 0
        self._dictionaries_path = dictionaries_path
        self._rows_per_batch = rows_per_batch
        self._schema = layout.schema()
        self._encoders = {key: DictionaryEncoder() for key in layout.metadata}
        self._pending: list[pa.RecordBatch] = []
        self._pending_rows = 0
        self._pending_bytes = 0
        self._written = WrittenBatches(documents_path)
        self._file = pa.OSFile(str(documents_path), "wb")
        try:
            self._writer = pa.ipc.new_file(self._file, self._schema)
        except BaseException:
            self._file.close()
            raise

    def write(self, batch: DocumentBatch) -> dict[str, NDArray[np.int32]]:
        """Append documents; return their metadata codes by key, -1 where the key is missing."""
        codes = {key: self._encoders[key].encode(batch.metadata[key]) for key in self._encoders}
        columns: list[Array] = [batch.ids, batch.content]
        columns.extend(getattr(batch, name) for name in self.layout.optional)
        columns.extend(_code_array(values) for values in codes.values())
        self._append(pa.RecordBatch.from_arrays(columns, schema=self._schema))
        self.rows += len(batch)
        return codes

    def stored(self) -> Sequence[pa.RecordBatch]:
        """Return all rows written so far as record batches, most of them memory-mapped."""
        if len(self._pending) > 1:
            self._pending = [_joined(self._pending)]
        return [*self._written.batches(), *self._pending]

    def code(self, key: str, value: str) -> int:
        """Return the code of a metadata value; -1 where no row so far has it."""
        return self._encoders[key].code(value)

    def dictionary(self, key: str) -> pa.LargeStringArray:
        """Return the distinct values of one metadata key so far, in code order."""
        return self._encoders[key].dictionary()

    def dictionaries(self) -> Mapping[str, pa.LargeStringArray]:
        """Return the distinct values of each metadata key so far, in code order."""
        return {key: encoder.dictionary() for key, encoder in self._encoders.items()}

    def close(self) -> None:
        """Write the remaining rows and the dictionaries file, and close both."""
        try:
            self._flush()
            self._writer.close()
        finally:
            self._file.close()
        values = {key: pa.large_list(pa.large_string()) for key in self._encoders}
        lists = [
            pa.LargeListArray.from_arrays(pa.array([0, len(words)], pa.int64()), words)
            for words in self.dictionaries().values()
        ]
        schema = pa.schema(list(values.items()))
        with (
            pa.OSFile(str(self._dictionaries_path), "wb") as file,
            pa.ipc.new_file(file, schema) as writer,
        ):
            if lists:
                writer.write_batch(pa.RecordBatch.from_arrays(lists, schema=schema))

    def abort(self) -> None:
        """Close the documents file as it is."""
        self._pending.clear()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _append(self, batch: pa.RecordBatch) -> None:
        """Take rows into record batches, each of which is full with the row that reaches a bound.

        So the file depends on the documents alone, and not on how they came in batches.
        """
        sizes = _text_bytes(batch)
        start = taken = 0
        while start < batch.num_rows:
            room = self._rows_per_batch - self._pending_rows
            wanted = BYTES_PER_BATCH - self._pending_bytes + taken
            stop = min(start + room, int(np.searchsorted(sizes, wanted)) + 1, batch.num_rows)
            self._pending.append(batch.slice(start, stop - start))
            self._pending_rows += stop - start
            self._pending_bytes += int(sizes[stop - 1]) - taken
            start, taken = stop, int(sizes[stop - 1])
            if self._pending_rows >= self._rows_per_batch or self._pending_bytes >= BYTES_PER_BATCH:
                self._flush()

    def _flush(self) -> None:
        """Write the pending rows as one record batch."""
        if not self._pending:
            return
        self._writer.write_batch(_joined(self._pending))
        self._written.add()
        self._pending.clear()
        self._pending_rows = self._pending_bytes = 0


def _text_bytes(batch: pa.RecordBatch) -> NDArray[np.int64]:
    """Return how many bytes of text the rows up to each row hold."""
    sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        if column.type == pa.large_string() and len(column):
            offsets = buffer_view(column.buffers()[1], np.int64, column.offset + len(column) + 1)
            sizes += offsets[column.offset + 1 :] - offsets[column.offset]
    return sizes


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    schema = batches[0].schema
    columns = [
        pa.concat_arrays([each.column(number) for each in batches]) for number in range(len(schema))
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _code_array(codes: NDArray[np.int32]) -> Array:
    """Return the codes as Arrow values, null where -1, with -1 kept in the slot beneath."""
    present = np.packbits(codes >= 0, bitorder="little")
    buffers: list[pa.Buffer | None] = [pa.py_buffer(each.data) for each in (present, codes)]
    return pa.Array.from_buffers(pa.int32(), len(codes), buffers)
