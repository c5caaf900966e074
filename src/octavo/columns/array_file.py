"""Arrays in ``.npy`` files: written so that a full disk is an OSError, opened by memory map."""

from os import PathLike, fspath
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
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
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError, TokenError) as error:
        if is_exhausted(error):
            raise
        if (
            shape is not None and 0 in shape and Path(path).is_file()
        ):  # an empty array has nothing to map
            return np.zeros(shape, dtype)
        raise CorpusCorruptError(f"{name}: expected an array, found damage: {error}") from error
    fits = array.ndim == 1 if shape is None else array.shape == shape
    if array.dtype != np.dtype(dtype) or not fits:
        raise CorpusCorruptError(
            f"{name}: expected {np.dtype(dtype)} of shape {shape or '(any,)'}, "
            f"found {array.dtype} of shape {array.shape}"
        )
    return np.asarray(array)
