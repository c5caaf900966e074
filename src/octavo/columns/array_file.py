"""Arrays in ``.npy`` files: written so that a full disk is an OSError, opened by memory map."""

import math
from os import PathLike, fspath
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import CorpusCorruptError, is_exhausted


def save_array(path: str | PathLike[str], array: NDArray[Any]) -> None:
    """Write an array in C order.

    Raises
    ------
    OSError
        The disk is full, or the file cannot be written.
    """
    with Path(path).open("wb") as file:
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(file, header)
        # numpy's own way to write reports a full disk without saying that it is one.
        file.write(np.ascontiguousarray(array).data)


def open_array(
    path: str | PathLike[str], dtype: type[np.generic], shape: tuple[int, ...] | None
) -> NDArray[Any]:
    """Memory-map an array, checking that it is what it should be.

    Without a ``shape`` any flat array will do.

    Raises
    ------
    CorpusCorruptError
        The file is missing, is no such array, or has another dtype or shape.
    """
    name = fspath(path)
    try:
        array = _mapped(name)
    except (OSError, ValueError, EOFError, SyntaxError, TokenError) as error:
        if is_exhausted(error):
            raise
        raise CorpusCorruptError(f"{name}: expected an array, found damage: {error}") from error
    fits = array.ndim == 1 if shape is None else array.shape == shape
    if array.dtype != np.dtype(dtype) or not fits:
        raise CorpusCorruptError(
            f"{name}: expected {np.dtype(dtype)} of shape {shape or '(any,)'}, "
            f"found {array.dtype} of shape {array.shape}"
        )
    return array


def _mapped(path: str) -> NDArray[Any]:
    """Map an array and close its file: what is mapped stays.

    ``numpy.memmap`` keeps the file open, and an index has 17 such files: those of 60 shards would be
    all that a process may usually have open.
    """
    with pa.memory_map(path) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"version {version}")
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file)
        content = file.read_buffer()
    values = math.prod(shape)
    if any(length < 0 for length in shape) or values * dtype.itemsize > content.size:
        raise ValueError(f"shape {shape} in {content.size:,} bytes")
    array: NDArray[Any] = np.frombuffer(memoryview(content), dtype, values)
    return array.reshape(shape, order="F" if in_columns else "C")
