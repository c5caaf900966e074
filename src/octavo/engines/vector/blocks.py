"""Cut the admitted vectors of an index into blocks that a scan takes one at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.engines.vector.segments import VectorSegments

_NO_ROWS = np.zeros(0, np.int64)
_ALL = np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Vectors to compare, and the rows they belong to.

    Parameters
    ----------
    vectors
        Float32, shape ``(n, dimensions)``, C-contiguous.
    first_row
        The row of the first vector, where rows follow one another.
    rows
        The row of each vector where they do not; else empty.
    admitted
        Which of the vectors may be hits; empty: all.
    """

    vectors: NDArray[np.float32]
    first_row: int
    rows: NDArray[np.int64]
    admitted: NDArray[np.bool_]


def vector_blocks(
    segments: VectorSegments,
    admitted: NDArray[np.bool_] | None,
    *,
    block_rows: int,
    dense_share: float,
) -> Iterator[VectorBlock]:
    """Yield blocks of at most ``block_rows`` vectors that hold every admitted row once.

    Stretches where at least ``dense_share`` of the rows are admitted are views of the stored
    vectors; admitted rows from other stretches are copied together; stretches without any are never
    touched.
    """
    for segment, matrix in enumerate(segments.matrices):
        searchable = segments.searchable(segment, admitted)
        first_row = int(segments.starts[segment])
        if searchable is None:
            for start in range(0, len(matrix), block_rows):
                block = matrix[start : start + block_rows]
                yield VectorBlock(block, first_row + start, _NO_ROWS, _ALL)
        elif len(matrix):
            yield from _admitted_blocks(matrix, searchable, first_row, block_rows, dense_share)


def _admitted_blocks(
    matrix: NDArray[np.float32],
    searchable: NDArray[np.bool_],
    first_row: int,
    block_rows: int,
    dense_share: float,
) -> Iterator[VectorBlock]:
    starts = np.arange(0, len(matrix), block_rows)
    lengths = np.diff(np.append(starts, len(matrix)))
    counts = np.add.reduceat(searchable, starts, dtype=np.int64)
    dense = counts >= np.maximum(1, dense_share * lengths)
    for start in starts[dense].tolist():
        block = matrix[start : start + block_rows]
        flags = searchable[start : start + block_rows]
        everything = bool(flags.all())
        yield VectorBlock(block, first_row + start, _NO_ROWS, _ALL if everything else flags)
    sparse = ~dense & (counts > 0)
    if not sparse.any():
        return
    chosen = np.concatenate(
        [
            start + np.flatnonzero(searchable[start : start + block_rows])
            for start in starts[sparse].tolist()
        ]
    )
    for start in range(0, len(chosen), block_rows):
        rows = chosen[start : start + block_rows]
        yield VectorBlock(matrix.take(rows, axis=0), 0, rows + first_row, _ALL)
