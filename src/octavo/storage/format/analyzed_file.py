"""Analysed text between the two stages of a build: a scratch file, read by ranges of rows."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import numpy as np
import pyarrow as pa

_FEWEST_ROWS = 1_024
_SCHEMA = pa.schema([pa.field("analyzed", pa.large_string())])


class AnalyzedWriter:
    """Append batches of analysed text to an Arrow IPC file; small ones are joined."""

    def __init__(self, path: Path) -> None:
        self._writer = pa.ipc.new_file(str(path), _SCHEMA)
        self._waiting: list[pa.LargeStringArray] = []
        self._waiting_rows = 0

    def write(self, analyzed: pa.LargeStringArray) -> None:
        """Append one batch."""
        self._waiting.append(analyzed)
        self._waiting_rows += len(analyzed)
        if self._waiting_rows >= _FEWEST_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting_rows:
            joined = pa.concat_arrays(self._waiting)
            self._writer.write_batch(pa.record_batch([joined], schema=_SCHEMA))
        self._waiting.clear()
        self._waiting_rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            self._writer.close()


class AnalyzedReader:
    """Ranges of a scratch file, memory-mapped, shared by threads."""

    def __init__(self, path: Path) -> None:
        file = pa.ipc.open_file(pa.memory_map(str(path)))
        self._arrays: list[pa.LargeStringArray] = [
            cast("pa.LargeStringArray", file.get_batch(number).column(0))
            for number in range(file.num_record_batches)
        ]
        self._starts = np.concatenate(([0], np.cumsum([len(array) for array in self._arrays])))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._starts[-1])

    def split(self, pieces: int) -> list[range]:
        """Cut the rows into at most ``pieces`` contiguous ranges of about equal bytes of text."""
        if not self._arrays:
            return [range(0)]
        filled = np.cumsum([max(1, array.nbytes) for array in self._arrays])
        targets = filled[-1] * np.arange(1, pieces) / pieces
        cuts = self._starts[np.searchsorted(filled, targets) + 1]
        bounds = [0, *np.unique(cuts[cuts < self.rows]).tolist(), self.rows]
        return [range(start, stop) for start, stop in pairwise(bounds)]

    def read(self, rows: range) -> Iterator[pa.LargeStringArray]:
        """Yield the arrays that cover ``rows``, which start and stop where batches do."""
        first, last = np.searchsorted(self._starts, (rows.start, rows.stop))
        yield from self._arrays[first:last]
