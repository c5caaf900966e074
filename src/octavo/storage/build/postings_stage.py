"""Stage 2 of a build: analysed text becomes keyword postings, a contiguous range a thread."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
import pyarrow as pa

from octavo.columns.documents import DocumentColumns
from octavo.engines.keyword.champion_file import write_champions
from octavo.engines.keyword.documents import FilterColumn
from octavo.engines.keyword.writer import write_segment
from octavo.parallel import ordered_map
from octavo.storage.format import layout
from octavo.storage.format.analyzed_file import AnalyzedReader
from octavo.storage.snapshot.segment_settings import SegmentSettings

_ROWS_WORTH_A_THREAD = 20_000


def write_postings(
    directory: Path, scratch: Path, columns: DocumentColumns, settings: SegmentSettings
) -> tuple[str, ...]:
    """Index the analysed text of ``scratch``; return the postings' directories in row order.

    Each range goes to a tantivy index of its own, written by a single thread, which keeps
    documents in row order.
    """
    reader = AnalyzedReader(scratch)
    writers = max(1, min(settings.threads, reader.rows // _ROWS_WORTH_A_THREAD))
    ranges = reader.split(writers)
    heap = settings.heap_bytes(len(ranges))
    count = _Progress(settings)

    def index(piece: tuple[int, range]) -> str:
        number, rows = piece
        write_segment(
            directory / layout.KEYWORD / str(number),
            count.through(reader.read(rows)),
            rows.start,
            [_filter_column(columns, key, rows) for key in settings.layout.metadata],
            heap,
        )
        return f"{layout.KEYWORD}/{number}"

    names = tuple(ordered_map(index, list(enumerate(ranges)), threads=writers))
    if not settings.block_max:  # block-max postings answer without them
        segments = [directory / name for name in names]
        texts = reader.read(range(reader.rows))
        write_champions(directory / layout.CHAMPIONS, segments, reader.rows, texts)
    return names


class _Progress:
    """Counts the rows that all writers have taken."""

    def __init__(self, settings: SegmentSettings) -> None:
        self._settings = settings
        self._rows = 0
        self._lock = threading.Lock()

    def through(self, arrays: Iterator[pa.LargeStringArray]) -> Iterator[pa.LargeStringArray]:
        for array in arrays:
            yield array
            with self._lock:
                self._rows += len(array)
                self._settings.progress("indexing words", self._rows)


def _filter_column(columns: DocumentColumns, key: str, rows: range) -> FilterColumn:
    codes = np.concatenate([np.zeros(0, np.int32), *columns.codes(key)])[rows.start : rows.stop]
    return FilterColumn(key, codes, _Words(columns.dictionary(key)))


class _Words(Sequence[str]):
    """The values of a memory-mapped dictionary, made into strings one by one."""

    def __init__(self, words: pa.LargeStringArray) -> None:
        self._words = words

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, code: int) -> str: ...
    @overload
    def __getitem__(self, code: slice) -> list[str]: ...
    def __getitem__(self, code: int | slice) -> str | list[str]:
        if isinstance(code, slice):
            return [word or "" for word in self._words[code].to_pylist()]
        return self._words[code].as_py() or ""
