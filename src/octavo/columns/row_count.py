"""How many rows inputs have, as far as they tell without being read as such."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from octavo.columns.readers.base import FileSource
from octavo.columns.readers.csv import CsvSource
from octavo.columns.readers.ipc import IpcSource
from octavo.columns.readers.json_lines import JsonLinesSource
from octavo.columns.readers.parquet import ParquetSource
from octavo.columns.sources import Source

_CHUNK = 1 << 20


def estimated_rows(sources: Iterable[Source]) -> int | None:
    """Return the number of rows, or ``None`` where it would cost too much to know.

    Exact for parquet and Arrow files; for text formats the number of lines. Compressed text, Arrow
    streams, tables that are read once and damaged files do not tell.
    """
    total = 0
    for source in sources:
        try:
            count = _count(source) if isinstance(source, FileSource) else None
        except (pa.ArrowException, OSError):
            count = None  # whoever reads the file says what is wrong with it
        if count is None:
            return None
        total += count
    return total


def _count(source: FileSource) -> int | None:
    path = Path(source.path)
    if isinstance(source, ParquetSource):
        return int(pq.read_metadata(path).num_rows)
    if isinstance(source, IpcSource):
        return _count_ipc(path)
    if path.suffix.lower() == ".gz":
        return None
    if isinstance(source, JsonLinesSource):
        return _count_lines(path)
    return max(0, _count_lines(path) - 1) if isinstance(source, CsvSource) else None


def _count_ipc(path: Path) -> int:
    with pa.memory_map(str(path)) as file:
        reader = pa.ipc.open_file(file)  # fails for a stream
        return sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))


def _count_lines(path: Path) -> int:
    lines = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            lines += chunk.count(b"\n")
    return lines
