"""Values of Arrow columns as views of their buffers, checked for size and nothing else."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray

from octavo.columns.arrow_types import Array

Numbers: TypeAlias = tuple[NDArray[Any], NDArray[np.uint8] | None]
"""Values, and validity bits where some are null."""


def number_views(array: Array, dtype: DTypeLike) -> Numbers:
    """Return the values and validity bits of a fixed-width array without copying.

    Raises
    ------
    ValueError
        A buffer is shorter than the number of rows needs, or the array has an offset.
    """
    if array.offset:
        raise ValueError("expected an array without an offset")
    validity, values = array.buffers()
    length = len(array)
    bits = None if validity is None else buffer_view(validity, np.uint8, (length + 7) // 8)
    return buffer_view(values, dtype, length), bits


def valid_at(bits: NDArray[np.uint8] | None, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether the values at ``positions`` are not null."""
    if bits is None:
        return np.ones(len(positions), np.bool_)
    valid: NDArray[np.bool_] = (bits[positions >> 3] >> (positions & 7) & 1).astype(np.bool_)
    return valid


def buffer_view(buffer: pa.Buffer | None, dtype: DTypeLike, length: int) -> NDArray[Any]:
    """Return the first ``length`` values of a buffer as a read-only array without copying.

    Raises
    ------
    ValueError
        The buffer is too short.
    """
    if length == 0:
        return np.zeros(0, dtype)
    values: NDArray[Any] = np.frombuffer(memoryview(buffer or b""), dtype, length)
    return values


def check_rows(rows: Sequence[int], count: int) -> None:
    """Raise IndexError where a row is outside ``0 <= row < count``."""
    if rows and (min(rows) < 0 or max(rows) >= count):
        outside = next(row for row in rows if not 0 <= row < count)
        raise IndexError(f"row {outside}: expected 0 <= row < {count}")
