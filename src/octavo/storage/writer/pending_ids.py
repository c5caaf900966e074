"""Finding rows of a segment that is still being written by the hash of their id."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class PendingIds:
    """Hashes of ids in sorted runs, merged as they grow: 16 bytes a row, and few runs to search.

    Examples
    --------
    >>> ids = PendingIds()
    >>> ids.add(np.array([7, 3], np.uint64), first_row=0)
    >>> ids.add(np.array([7], np.uint64), first_row=2)
    >>> [rows.tolist() for rows in ids.candidates(np.array([3, 7, 9], np.uint64))]
    [[0, 1, 1], [1, 0, 2]]
    """

    def __init__(self) -> None:
        self._runs: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def add(self, hashes: NDArray[np.uint64], first_row: int) -> None:
        """Add the hashes of the ids of consecutive rows."""
        if not len(hashes):
            return
        self._runs.append(_sorted(hashes, np.arange(first_row, first_row + len(hashes))))
        while len(self._runs) > 1 and len(self._runs[-2][0]) <= 2 * len(self._runs[-1][0]):
            last, before = self._runs.pop(), self._runs.pop()
            merged = (np.concatenate(parts) for parts in zip(before, last, strict=True))
            self._runs.append(_sorted(*merged))

    def candidates(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of a position in ``hashes`` and a row with that hash, by position."""
        positions: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        rows: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for known, owners in self._runs:
            starts = np.searchsorted(known, hashes, "left")
            counts = np.searchsorted(known, hashes, "right") - starts
            found = np.repeat(np.arange(len(hashes)), counts)
            within = np.arange(len(found)) - np.repeat(np.cumsum(counts) - counts, counts)
            positions.append(found)
            rows.append(owners[np.repeat(starts, counts) + within])
        joined = np.concatenate(positions)
        order = np.argsort(joined, kind="stable")
        return joined[order], np.concatenate(rows)[order]


def _sorted(
    hashes: NDArray[np.uint64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    order = np.argsort(hashes, kind="stable")
    return hashes[order], rows[order]


def first_matches(
    positions: NDArray[np.int64],
    rows: NDArray[np.int64],
    found: Sequence[str | None],
    wanted: Sequence[str],
) -> NDArray[np.int64]:
    """Return the row of each wanted id among candidates, whose stored ids are ``found``; else -1."""
    result = np.full(len(wanted), -1, np.int64)
    for position, row, identifier in zip(positions.tolist(), rows.tolist(), found, strict=True):
        if identifier == wanted[position]:
            result[position] = row
    return result
