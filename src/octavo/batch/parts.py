"""Part files: what a batch job has finished, safe on disk."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from octavo.batch.stored_block import BlockTotals, StoredBlock
from octavo.storage.format.durable import sync_directory, sync_file


class PartWriter:
    """Write blocks to a new part file, which gets its name when it is complete and on the disk.

    Parameters
    ----------
    path
        The final name.
    schema
        Schema of every block.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._temporary = path.with_name(f"{path.name}.tmp")
        self._sink = pa.OSFile(str(self._temporary), "wb")
        self._writer = pa.ipc.new_file(self._sink, schema)
        self.queries = 0

    def write(self, block: StoredBlock) -> None:
        """Append a block."""
        self._writer.write_batch(block.hits, custom_metadata=block.metadata())
        self.queries += block.queries

    def finish(self) -> None:
        """Complete the file: after this it survives a crash, before it does not exist."""
        self._writer.close()
        self._sink.close()
        sync_file(self._temporary)
        self._temporary.replace(self._path)
        sync_directory(self._path.parent)


def read_part(path: Path) -> Iterator[StoredBlock]:
    """Read the blocks of a part, memory-mapped, one at a time."""
    with pa.memory_map(str(path)) as source:
        reader = pa.ipc.open_file(source)
        for position in range(reader.num_record_batches):
            found = reader.get_batch_with_custom_metadata(position)
            yield StoredBlock.of(found.batch, found.custom_metadata)


def checked_part(path: Path, schema: pa.Schema, first_number: int) -> BlockTotals | None:
    """Return what a part holds, or ``None`` if it is missing or not as it was written.

    Reads all of the file, so that a torn or damaged part is noticed here and done again.

    Parameters
    ----------
    path
        The part.
    schema
        The schema that it must have.
    first_number
        The number of its first block; the others must follow without a gap.
    """
    totals = BlockTotals()
    try:
        for block in read_part(path):
            if block.hits.schema != schema or block.number != first_number + totals.blocks:
                return None
            block.hits.validate(full=True)
            totals += block.totals()
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return totals if totals.blocks else None
