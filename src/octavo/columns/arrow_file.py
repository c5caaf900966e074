"""Arrow IPC files opened by memory map."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from octavo.errors import CorpusCorruptError, is_exhausted


@contextmanager
def damage_named(path: str) -> Iterator[None]:
    """Turn whatever opening a damaged file raises into an error that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, SystemError, OverflowError) as error:
        if is_exhausted(error):
            raise
        raise CorpusCorruptError(f"{path}: damaged or not an octavo file: {error}") from error


def mapped_batches(path: str) -> tuple[pa.Schema, list[pa.RecordBatch]]:
    """Return the schema of a file and its batches, which read from the file."""
    reader = pa.ipc.open_file(pa.memory_map(path))
    batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    return reader.schema, batches
