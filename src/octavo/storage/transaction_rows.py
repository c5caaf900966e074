"""All rows that a transaction knows, as one space: those of its snapshot, then those it writes."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from octavo.storage.row_states import RowStates
from octavo.storage.snapshot import Snapshot
from octavo.storage.unchanged import StoredDocumentsReader
from octavo.storage.vector_stage import Mask, Vectors

if TYPE_CHECKING:
    from octavo.storage.pending_segment import PendingSegment

Rows = NDArray[np.int64]


class TransactionRows:
    """Reads and finds documents by row, and says which are live.

    Parameters
    ----------
    snapshot
        What the transaction began with.

    Attributes
    ----------
    states
        Which rows are live.
    pending
        The segment of the rows after those of the snapshot; ``None`` while there are none.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.states = RowStates(snapshot.rows, snapshot.live)
        self.pending: PendingSegment | None = None

    def rows_of(self, identifiers: Sequence[str], hashes: NDArray[np.uint64]) -> Rows:
        """Return the live row of each id, -1 where there is none."""
        live, before = self.states.live, self._snapshot.rows
        rows = self._snapshot.rows_of(identifiers)
        there = np.flatnonzero(rows >= 0)
        rows[there[~live[rows[there]]]] = -1
        if self.pending is not None:
            found = self.pending.rows_of(identifiers, hashes, live[before:])
            rows = np.where(found >= 0, found + before, rows)
        return rows

    def matching(self, filters: Mapping[str, str]) -> Rows:
        """Return the live rows that match every filter."""
        admitted = self._snapshot.select(filters).admitted
        first = np.ones(self._snapshot.rows, np.bool_) if admitted is None else admitted
        second = np.zeros(0, np.bool_) if self.pending is None else self.pending.matching(filters)
        return np.flatnonzero(np.concatenate([first, second]) & self.states.live)

    def texts(self, column: str, rows: Rows) -> list[str | None]:
        """Return the values of a text column at ``rows``."""
        return self._joined(rows, lambda reader, local: reader.texts(column, local))

    def metadata(self, key: str, rows: Rows) -> list[str | None]:
        """Return the values of a metadata key at ``rows``; ``None`` where there is none."""
        return self._joined(rows, lambda reader, local: reader.metadata(key, local))

    def timestamps(self, rows: Rows) -> tuple[Rows, Mask]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        pairs = self._joined(
            rows, lambda reader, local: zip(*reader.timestamps(local), strict=True)
        )
        ticks, present = zip(*pairs, strict=True) if pairs else ((), ())
        return np.array(ticks, np.int64), np.array(present, np.bool_)

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of ``rows``, and where there is one."""
        parts = [(places, reader.vectors(local)) for places, reader, local in self._parts(rows)]
        dimensions = max((values.shape[1] for _, (values, _) in parts), default=0)
        found = np.zeros((len(rows), dimensions), np.float32)
        there = np.zeros(len(rows), np.bool_)
        for places, (values, present) in parts:
            if values.shape[1]:
                found[places] = values
            there[places] = True if present is None else present
        return found, there

    def _joined(self, rows: Rows, read: Callable[[StoredDocumentsReader, Rows], Any]) -> list[Any]:
        values: list[Any] = [None] * len(rows)
        for places, reader, local in self._parts(rows):
            for place, value in zip(places.tolist(), read(reader, local), strict=True):
                values[place] = value
        return values

    def _parts(self, rows: Rows) -> list[tuple[Rows, StoredDocumentsReader, Rows]]:
        """Return positions in ``rows``, what reads them, and their rows there."""
        old = rows < self._snapshot.rows
        first, second = np.flatnonzero(old), np.flatnonzero(~old)
        parts: list[tuple[Rows, StoredDocumentsReader, Rows]] = []
        if len(first):
            parts.append((first, self._snapshot, rows[first]))
        if self.pending is not None and len(second):
            parts.append((second, self.pending, rows[second] - self._snapshot.rows))
        return parts
