"""Values of Arrow columns as views of their buffers, checked for size and nothing else."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
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


class RowPlaces:
    """Where a row lies among batches of any numbers of rows.

    Parameters
    ----------
    counts
        The number of rows of each batch.

    Examples
    --------
    >>> RowPlaces([3, 2]).locate(4)
    (1, 1)
    """

    __slots__ = ("rows", "starts")

    def __init__(self, counts: Sequence[int]) -> None:
        self.starts: list[int] = [0, *accumulate(counts)]
        self.rows = self.starts.pop()
        """The number of rows of all batches."""

    def locate(self, row: int) -> tuple[int, int]:
        """Return the batch of a row, and its place in it."""
        batch = bisect_right(self.starts, row) - 1
        return batch, row - self.starts[batch]

    def located(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return the batch of each row, and its place in it.

        Raises
        ------
        IndexError
            A row is not in ``0 <= row < self.rows``.
        """
        check_rows(rows, self.rows)
        starts = self.starts
        batches = [bisect_right(starts, row) - 1 for row in rows]
        return [(batch, row - starts[batch]) for batch, row in zip(batches, rows, strict=True)]


def check_rows(rows: Sequence[int], count: int) -> None:
    """Raise IndexError where a row is outside ``0 <= row < count``."""
    if rows and (min(rows) < 0 or max(rows) >= count):
        outside = next(row for row in rows if not 0 <= row < count)
        raise IndexError(f"row {outside}: expected 0 <= row < {count}")
