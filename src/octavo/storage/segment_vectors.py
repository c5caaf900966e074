"""The vectors of a segment on their way to disk, with a mask of the rows that have one."""

from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from octavo.columns.array_file import save_array
from octavo.storage import layout
from octavo.storage.vector_file import VectorWriter
from octavo.storage.vector_stage import Mask, Vectors


class SegmentVectors:
    """Writes ``vectors.npy`` from the first batch that has dimensions, and the mask at the end.

    Batches before that one hold nulls only; they become zeros once the dimensions are known. The
    mask, a byte a row, is kept in memory and written only where a vector is missing.

    Parameters
    ----------
    directory
        The directory of the segment.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._writer: VectorWriter | None = None
        self._present: list[Mask] = []
        self.dimensions: int | None = None
        """Dimensions of the vectors; ``None`` while there was none."""
        self.nulls = 0
        """The number of rows without a vector."""

    def write(self, batch: Vectors) -> None:
        """Append the vectors of the next rows; of no dimensions where all of them are missing."""
        vectors, present = batch
        if self._writer is None and vectors.shape[1]:
            self.dimensions = vectors.shape[1]
            self._writer = VectorWriter(self._directory / layout.VECTORS, self.dimensions)
            self._writer.write_zeros(sum(map(len, self._present)))
        if self._writer is not None and vectors.shape[1]:
            self._writer.write(vectors)
        elif self._writer is not None:
            self._writer.write_zeros(len(vectors))
        mask = np.ones(len(vectors), np.bool_) if present is None else present
        self._present.append(mask)
        self.nulls += len(mask) - int(np.count_nonzero(mask))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._writer is None:
            return
        self._writer.__exit__(kind, error, traceback)
        if kind is None and self.nulls:
            save_array(self._directory / layout.VECTOR_PRESENT, np.concatenate(self._present))
