"""The stored vectors of an index: one matrix a segment, numbered by row across all."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.columns.vector_codes import BOUND_VALUES, VectorCodes, code_width
from octavo.errors import DimensionMismatchError, InvalidArgumentError


class VectorSegments:
    """Unit-length float32 vectors in row order, in one or more matrices.

    Parameters
    ----------
    vectors
        One C-contiguous float32 array of shape ``(n, dimensions)`` a segment; memory-mapped and
        read-only arrays are used as they are. Every row has unit length (as
        :func:`octavo.kernels.unit_length.unit_length` makes it) or is zero.
    present
        For each segment one boolean a row, false where the document has no vector, or ``None``
        where all have one. ``None`` in place of the sequence: all rows of all segments have one.
    codes
        For each segment the codes of its vectors, or ``None`` where there are none. ``None`` in
        place of the sequence: no segment has codes.

    Raises
    ------
    InvalidArgumentError
        There is no segment, or an array has another type, layout or length.
    DimensionMismatchError
        The segments have different numbers of dimensions.
    """

    def __init__(
        self,
        vectors: Sequence[NDArray[np.float32]],
        present: Sequence[NDArray[np.bool_] | None] | None = None,
        codes: Sequence[VectorCodes | None] | None = None,
    ) -> None:
        if not vectors:
            raise InvalidArgumentError("vectors: expected at least one segment, found none")
        if present is None:
            present = [None] * len(vectors)
        if len(present) != len(vectors):
            raise InvalidArgumentError(
                f"present: expected {len(vectors)} segments, found {len(present)}"
            )
        if codes is None:
            codes = [None] * len(vectors)
        if len(codes) != len(vectors):
            raise InvalidArgumentError(
                f"codes: expected {len(vectors)} segments, found {len(codes)}"
            )
        for number, (matrix, flags, coded) in enumerate(zip(vectors, present, codes, strict=True)):
            _check_matrix(number, matrix, vectors[0].shape[-1])
            _check_flags(number, flags, len(matrix))
            _check_codes(number, coded, matrix)
        # Plain arrays: a kernel does not know numpy.memmap.
        self.matrices = [np.asarray(matrix) for matrix in vectors]
        self.present = [None if flags is None else np.asarray(flags) for flags in present]
        self.codes = list(codes)
        lengths = [len(matrix) for matrix in vectors]
        ends = np.cumsum(lengths, dtype=np.int64)
        self.starts: NDArray[np.int64] = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
        self.rows = int(ends[-1])
        self.dimensions = int(vectors[0].shape[1])

    def only(self, segments: Sequence[int]) -> "VectorSegments":
        """Return some of the segments; their vectors keep their rows, and there are as many."""
        part = copy(self)
        part.matrices = [self.matrices[number] for number in segments]
        part.present = [self.present[number] for number in segments]
        part.codes = [self.codes[number] for number in segments]
        part.starts = self.starts[list(segments)]
        return part

    def searchable(
        self, segment: int, admitted: NDArray[np.bool_] | None
    ) -> NDArray[np.bool_] | None:
        """Return which rows of a segment may be hits, or ``None`` where all may.

        Parameters
        ----------
        segment
            The number of the segment.
        admitted
            One boolean for each row of all segments, or ``None``.
        """
        present = self.present[segment]
        if admitted is None:
            return present
        start = int(self.starts[segment])
        own = admitted[start : start + len(self.matrices[segment])]
        return own if present is None else own & present


def _check_matrix(number: int, matrix: NDArray[np.float32], dimensions: int) -> None:
    if matrix.ndim != 2 or matrix.dtype != np.float32 or not matrix.flags.c_contiguous:
        raise InvalidArgumentError(
            f"vectors of segment {number}: expected a C-contiguous matrix of float32, "
            f"found shape {matrix.shape} of {matrix.dtype}"
        )
    if matrix.shape[1] == 0:
        raise InvalidArgumentError(
            f"vectors of segment {number}: expected at least one dimension, found none"
        )
    if matrix.shape[1] != dimensions:
        raise DimensionMismatchError(f"vectors of segment {number}", dimensions, matrix.shape[1])


def _check_flags(number: int, flags: NDArray[np.bool_] | None, rows: int) -> None:
    if flags is not None and (flags.shape != (rows,) or flags.dtype != np.bool_):
        raise InvalidArgumentError(
            f"present of segment {number}: expected {rows} booleans, "
            f"found shape {flags.shape} of {flags.dtype}"
        )


def _check_codes(number: int, coded: VectorCodes | None, matrix: NDArray[np.float32]) -> None:
    if coded is None:
        return
    width = code_width(matrix.shape[1])
    _check_array(f"codes of segment {number}", coded.codes, np.uint8, (len(matrix), width))
    bounds = (len(matrix), BOUND_VALUES)
    _check_array(f"code bounds of segment {number}", coded.bounds, np.float32, bounds)


def _check_array(
    name: str, array: NDArray[Any], dtype: type[np.generic], shape: tuple[int, int]
) -> None:
    if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
        raise InvalidArgumentError(
            f"{name}: expected a C-contiguous matrix of {np.dtype(dtype)} of shape {shape}, "
            f"found shape {array.shape} of {array.dtype}"
        )
