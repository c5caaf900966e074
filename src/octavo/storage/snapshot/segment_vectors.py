"""The vectors of a segment on their way to disk, their codes, and a mask of the rows with one."""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import save_array
from octavo.columns.vector_codes import BOUND_VALUES, code_width, worth_coding
from octavo.kernels.vector_codes import encode_vectors
from octavo.storage.format import layout
from octavo.storage.format.vector_file import VectorWriter
from octavo.storage.snapshot.vector_stage import Mask, Vectors

_ZERO_ROWS = 4096


class _Files:
    """The files of vectors of known dimensions: themselves and, where they pay, their codes."""

    def __init__(self, directory: Path, dimensions: int) -> None:
        self.dimensions = dimensions
        self._vectors = VectorWriter(directory / layout.VECTORS, dimensions)
        self._codes: tuple[VectorWriter, VectorWriter] | None = None
        if worth_coding(dimensions):
            self._codes = (
                VectorWriter(directory / layout.VECTOR_CODES, code_width(dimensions), np.uint8),
                VectorWriter(directory / layout.VECTOR_BOUNDS, BOUND_VALUES),
            )

    def write(self, vectors: NDArray[np.float32]) -> None:
        self._vectors.write(vectors)
        if self._codes is not None:
            codes, bounds = encode_vectors(vectors, code_width(self.dimensions))
            self._codes[0].write(codes)
            self._codes[1].write(bounds)

    def write_zeros(self, rows: int) -> None:
        block = np.zeros((min(rows, _ZERO_ROWS), self.dimensions), np.float32)
        for start in range(0, rows, _ZERO_ROWS):
            self.write(block[: rows - start])

    def read(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._vectors.read(rows)
        return found

    def writers(self) -> tuple[VectorWriter, ...]:
        return (self._vectors, *(self._codes or ()))


class SegmentVectors:
    """Writes ``vectors.npy`` and its codes from the first batch that has dimensions, and the mask at the end.

    Batches before that one hold nulls only; they become zeros once the dimensions are known. The
    mask, a byte a row, is kept in memory and written only where a vector is missing.

    Parameters
    ----------
    directory
        The directory of the segment.
    dimensions
        Of the vectors, where the first need not tell: then there are files even without a vector.
    """

    def __init__(self, directory: Path, dimensions: int | None = None) -> None:
        self._directory = directory
        self._files: _Files | None = None
        self._present: list[Mask] = []
        self.dimensions = dimensions
        """Dimensions of the vectors; ``None`` while there was none."""
        self.nulls = 0
        """The number of rows without a vector."""

    def write(self, batch: Vectors) -> None:
        """Append the vectors of the next rows; of no dimensions where all of them are missing."""
        vectors, present = batch
        dimensions = vectors.shape[1] or self.dimensions
        if self._files is None and dimensions:
            self.dimensions = dimensions
            self._files = _Files(self._directory, dimensions)
            self._files.write_zeros(sum(map(len, self._present)))
        if self._files is not None and vectors.shape[1]:
            self._files.write(vectors)
        elif self._files is not None:
            self._files.write_zeros(len(vectors))
        mask = np.ones(len(vectors), np.bool_) if present is None else present
        self._present.append(mask)
        self.nulls += len(mask) - int(np.count_nonzero(mask))

    def present(self) -> Mask:
        """Return which of the rows so far have a vector."""
        if len(self._present) > 1:
            self._present = [np.concatenate(self._present)]
        return self._present[0] if self._present else np.zeros(0, np.bool_)

    def read(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return vectors that were written; of no dimensions while there is none."""
        if self._files is None:
            return np.zeros((len(rows), 0), np.float32)
        return self._files.read(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._files is None:
            return
        with ExitStack() as writers:
            for writer in self._files.writers():
                writers.push(writer)
            if error is not None:
                writers.__exit__(kind, error, traceback)
        if kind is None and self.nulls:
            save_array(self._directory / layout.VECTOR_PRESENT, self.present())
