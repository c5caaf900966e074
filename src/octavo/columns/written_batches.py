"""Reading back the record batches of an Arrow IPC file that is still being written."""

from collections.abc import Sequence
from os import PathLike

import pyarrow as pa

_MAGIC_BYTES = 8


class WrittenBatches:
    """The batches of an unfinished file, memory-mapped.

    An Arrow file is, but for eight bytes before it, a stream up to its footer, so what is written
    can be read as one.

    Parameters
    ----------
    path
        The file, which may be missing until the first batch is there.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = str(path)
        self._count = 0
        self._position = _MAGIC_BYTES
        self._schema: pa.Schema | None = None
        self._batches: list[pa.RecordBatch] = []

    def add(self) -> None:
        """Note that one more batch has been written, every byte of it."""
        self._count += 1

    def batches(self) -> Sequence[pa.RecordBatch]:
        """Return the batches noted so far."""
        if len(self._batches) < self._count:
            file = pa.memory_map(self._path)  # what is mapped does not grow with the file
            file.seek(self._position)
            if self._schema is None:
                self._schema = pa.ipc.read_schema(pa.ipc.read_message(file))
            while len(self._batches) < self._count:
                message = pa.ipc.read_message(file)
                self._batches.append(pa.ipc.read_record_batch(message, self._schema))
            self._position = file.tell()
        return self._batches
