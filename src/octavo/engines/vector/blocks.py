"""Cut the admitted vectors of a segment into blocks that a scan takes one at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)

_NO_POSITIONS = np.zeros(0, np.int64)
_ALL = np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some of the vectors of a segment.

    Parameters
    ----------
    start, size
        The block holds the vectors from ``start`` on, ``size`` of them.
    positions
        Which vectors it holds instead, where they do not follow one another; else empty.
    admitted
        Which of them may be hits; empty: all.
    """

    start: int
    size: int
    positions: NDArray[np.int64]
    admitted: NDArray[np.bool_]

    def of(self, array: NDArray[Kind]) -> NDArray[Kind]:
        """Return the block's part of an array that has a row for each vector; a view if it can."""
        if len(self.positions):
            return array.take(self.positions, axis=0)
        return array[self.start : self.start + self.size]


def blocks(
    rows: int, searchable: NDArray[np.bool_] | None, *, block_rows: int, dense_share: float
) -> Iterator[Block]:
    """Yield blocks of at most ``block_rows`` vectors that hold every searchable one once.

    Parameters
    ----------
    rows
        The number of vectors in the segment.
    searchable
        One boolean a vector; ``None``: all are.
    block_rows
        The most vectors in a block.
    dense_share
        Stretches where at least this share is searchable are taken whole; from the others the
        searchable vectors are picked together; stretches without any are never touched.
    """
    if searchable is None:
        for start in range(0, rows, block_rows):
            yield Block(start, min(block_rows, rows - start), _NO_POSITIONS, _ALL)
        return
    if rows == 0:
        return
    starts = np.arange(0, rows, block_rows)
    sizes = np.diff(np.append(starts, rows))
    # A tenth of the time of a reduction, which would widen every boolean (measured).
    counts = np.array(
        [np.count_nonzero(searchable[start : start + block_rows]) for start in starts.tolist()]
    )
    dense = counts >= np.maximum(1, dense_share * sizes)
    for start, size in zip(starts[dense].tolist(), sizes[dense].tolist(), strict=True):
        flags = searchable[start : start + size]
        yield Block(start, size, _NO_POSITIONS, _ALL if flags.all() else flags)
    sparse = starts[~dense & (counts > 0)].tolist()
    if not sparse:
        return
    chosen = np.concatenate(
        [start + np.flatnonzero(searchable[start : start + block_rows]) for start in sparse]
    )
    for start in range(0, len(chosen), block_rows):
        positions = chosen[start : start + block_rows]
        yield Block(0, len(positions), positions, _ALL)
