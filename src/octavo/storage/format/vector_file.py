"""Vectors on disk: one ``.npy`` file of rows of one length, written as a stream."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from octavo.errors import CorpusCorruptError


class VectorWriter:
    """Append blocks of vectors to a ``.npy`` file whose number of rows is known only at the end.

    Parameters
    ----------
    path
        The file to create.
    dimensions
        Length of each vector.
    dtype
        Type of its values.
    """

    def __init__(self, path: Path, dimensions: int, dtype: type[np.generic] = np.float32) -> None:
        self._dimensions = dimensions
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._rows = 0
        self._file = path.open("wb")
        self._header_bytes = self._write_header()

    @property
    def rows(self) -> int:
        """The number of vectors written so far."""
        return self._rows

    def write(self, vectors: NDArray[Any]) -> None:
        """Append vectors of shape ``(n, dimensions)``."""
        self._file.write(np.ascontiguousarray(vectors, self._dtype).data)
        self._rows += len(vectors)

    def read(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return vectors that were written, shape ``(len(rows), dimensions)``."""
        self._file.flush()
        shape = (self._rows, self._dimensions)
        written = np.memmap(self._file.name, self._dtype, "r", self._header_bytes, shape)
        return np.array(written[rows])

    def close(self) -> None:
        """Write the final number of rows into the header and close the file."""
        self._file.seek(0)
        if self._write_header() != self._header_bytes:
            raise CorpusCorruptError(f"{self._file.name}: the header changed its length")
        self._file.close()

    def _write_header(self) -> int:
        np.lib.format.write_array_header_1_0(
            self._file,
            {
                "descr": np.lib.format.dtype_to_descr(self._dtype),
                "fortran_order": False,
                "shape": (self._rows, self._dimensions),
            },
        )
        return self._file.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._file.close()
