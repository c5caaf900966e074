"""All rows that a transaction knows, as one space: those of its snapshot, then those it writes."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array
from octavo.storage.snapshot.row_columns import StoredBatch, taken
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.snapshot.vector_stage import Mask, Vectors
from octavo.storage.writer.row_states import RowStates

if TYPE_CHECKING:
    from octavo.storage.writer.pending_segment import PendingSegment

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
        rows = self._snapshot.rows_of(identifiers, hashes)
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

    def only_parents(self, rows: Rows) -> Mask:
        """Return which of ``rows`` are parents and nothing else; none that was added is."""
        found = np.zeros(len(rows), np.bool_)
        old = rows < self._snapshot.rows
        found[old] = self._snapshot.only_parents(rows[old])
        return found

    def column(self, name: str, rows: Rows) -> Array:
        """Return the values of a stored column at ``rows``; metadata as text."""
        added = [] if self.pending is None else self.pending.batches()
        return taken([*self._batches, *added], name, rows)

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of ``rows``, and where there is one."""
        before = self._snapshot.rows
        first, second = np.flatnonzero(rows < before), np.flatnonzero(rows >= before)
        parts: list[tuple[Rows, Vectors]] = []
        if len(first):
            parts.append((first, self._snapshot.vectors(rows[first])))
        if self.pending is not None and len(second):
            parts.append((second, self.pending.vectors(rows[second] - before)))
        dimensions = max((values.shape[1] for _, (values, _) in parts), default=0)
        found = np.zeros((len(rows), dimensions), np.float32)
        there = np.zeros(len(rows), np.bool_)
        for places, (values, present) in parts:
            if values.shape[1]:
                found[places] = values
            there[places] = True if present is None else present
        return found, there

    @cached_property
    def _batches(self) -> list[StoredBatch]:
        return [
            StoredBatch(batch, segment.columns.dictionary, checked=False)
            for segment in self._snapshot.segments
            for batch in segment.columns.batches()
        ]
