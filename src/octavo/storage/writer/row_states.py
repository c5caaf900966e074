"""Which rows of a transaction are live: of the snapshot it began with, then of what it writes."""

import numpy as np
from numpy.typing import NDArray

from octavo.storage.snapshot.vector_stage import Mask

Rows = NDArray[np.int64]


class RowStates:
    """One boolean a row, and how to undo.

    Parameters
    ----------
    rows
        The number of rows of the snapshot.
    live
        Which of them are live; ``None`` where all are.
    """

    def __init__(self, rows: int, live: Mask | None) -> None:
        self._live = np.ones(rows, np.bool_) if live is None else live.copy()
        self._rows = rows
        self._killed: list[Rows] = []
        self._snapshot_rows = self._first = self._undone = rows

    @property
    def added(self) -> int:
        """The number of rows beyond those of the snapshot, live or not."""
        return self._rows - self._snapshot_rows

    @property
    def rows(self) -> int:
        """The number of rows so far, live or not."""
        return self._rows

    @property
    def live(self) -> Mask:
        """Which rows are live; a view, for reading only."""
        return self._live[: self._rows]

    def append(self, count: int) -> None:
        """Add live rows."""
        stop = self._rows + count
        if stop > len(self._live):
            grown = np.zeros(max(stop, 2 * len(self._live)), np.bool_)
            grown[: self._rows] = self.live
            self._live = grown
        self._live[self._rows : stop] = True
        self._rows = stop

    def kill(self, rows: Rows) -> None:
        """Make live rows dead."""
        self._killed.append(rows)  # first, so that an interrupt between the two is undone
        self._live[rows] = False

    def begin(self) -> None:
        """Begin an operation; what came before it can no longer be undone."""
        self._killed.clear()
        self._first = self._rows

    def undo(self) -> bool:
        """Undo the operation: rows are what they were; say whether it had added any."""
        for rows in self._killed:
            self._live[rows] = True
        self._killed.clear()
        self._undone = self._rows
        self._rows = self._first
        return self._undone > self._first

    def keep_dead(self) -> None:
        """Count the rows that an undone operation added: they are written, and dead."""
        self._live[self._first : self._undone] = False
        self._rows = self._undone

    def is_new(self, rows: Rows) -> Mask:
        """Return which rows the operation has added."""
        return rows >= self._first
