"""Entries by row: what strategies read of a store, and filter it by (S11)."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.memory.changes import Changes, Edit, Prepared
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.spi.metadata import ENTRY_ID, TIER

_TIER_CODES = {tier: code for code, tier in enumerate(MemoryTier)}
_TIER_CODES_BY_NAME = {tier.name: code for tier, code in _TIER_CODES.items()}


@dataclass(frozen=True, slots=True, eq=False)
class EntryTable:
    """Entries in row order; never changes.

    Parameters
    ----------
    entries
        One entry a row.
    rows
        The row of each id.
    tiers
        The code of each row's tier.
    """

    entries: Sequence[MemoryEntry]
    rows: Mapping[str, int]
    tiers: NDArray[np.int8]

    @staticmethod
    def of(entries: Sequence[MemoryEntry]) -> "EntryTable":
        """Return the table of entries whose ids differ, in this order."""
        rows = {entry.id: row for row, entry in enumerate(entries)}
        return EntryTable(tuple(entries), rows, _tier_codes(entries))

    def __len__(self) -> int:
        return len(self.entries)

    def edited(self, changes: Changes[Prepared]) -> "tuple[EntryTable, Edit[Prepared]]":
        """Return the table after the changes, and what they mean for rows.

        A replaced entry keeps its row, a new one comes last, and removed ones close up, as in a
        dictionary. O(rows).
        """
        removed = [self.rows[each] for each in changes.removed if each in self.rows]
        kept = None
        if removed:
            kept = np.ones(len(self), np.bool_)
            kept[removed] = False
        replaced: dict[int, Prepared] = {}
        entries = list(self.entries)
        appended = []
        for identifier, written in changes.written.items():
            row = self.rows.get(identifier)
            if row is None or (kept is not None and not kept[row]):
                appended.append(written)
            else:
                entries[row] = written.entry
                replaced[row] = written.prepared
        edit = Edit(replaced, kept, [written.prepared for written in appended])
        new = [written.entry for written in appended]
        if kept is None and not replaced:
            return self._extended(new), edit
        if kept is not None:
            entries = list(compress(entries, kept.tolist()))
        return EntryTable.of([*entries, *new]), edit

    def _extended(self, new: Sequence[MemoryEntry]) -> "EntryTable":
        rows = {**self.rows, **{entry.id: row for row, entry in enumerate(new, len(self))}}
        tiers = np.concatenate((self.tiers, _tier_codes(new)))
        return EntryTable((*self.entries, *new), rows, tiers)


def _tier_codes(entries: Sequence[MemoryEntry]) -> NDArray[np.int8]:
    return np.array([_TIER_CODES[entry.tier] for entry in entries], np.int8)


class EntryDocuments(ABC):
    """Answers what a strategy asks of documents, from a table of entries."""

    @abstractmethod
    def _present(self) -> EntryTable:
        """Return the entries by row, as they are now."""

    @property
    def rows(self) -> int:
        """The number of entries."""
        return len(self._present())

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the rows that match every filter: by ``tier`` and ``entryId``, exactly.

        Any other key matches nothing (S11). O(rows).
        """
        table = self._present()
        if not filters:
            return Selection.everything(len(table))
        admitted = np.ones(len(table), np.bool_)
        for key, value in filters.items():
            if key == TIER:
                admitted &= table.tiers == _TIER_CODES_BY_NAME.get(value, -1)
            else:
                row = table.rows.get(value) if key == ENTRY_ID else None
                only = np.zeros(len(table), np.bool_)
                if row is not None:
                    only[row] = True
                admitted &= only
        return Selection.of(admitted, filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which rows come from an allowed source; ``None`` where no source is named."""
        if not allowed_sources:
            return None
        allowed = frozenset(allowed_sources)
        return np.array([entry.source in allowed for entry in self._present().entries], np.bool_)

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        entries = self._present().entries
        return [entries[row].id for row in rows.tolist()]

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents by: their ids."""
        return self.ids(rows)

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each id, -1 where there is none."""
        rows = self._present().rows
        return np.array([rows.get(identifier, -1) for identifier in identities], np.int64)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the entries of ``rows`` as documents; their metadata are ``tier``, ``entryId``."""
        entries = self._present().entries
        return [_document(entries[row]) for row in rows.tolist()]


@dataclass(frozen=True, eq=False)
class EntrySnapshot(EntryDocuments):
    """The entries of a store at one time; never changes.

    Parameters
    ----------
    table
        The entries by row.
    """

    table: EntryTable

    def _present(self) -> EntryTable:
        return self.table


def _document(entry: MemoryEntry) -> StoredDocument:
    metadata = {TIER: entry.tier.name, ENTRY_ID: entry.id}
    return StoredDocument(entry.id, entry.content, entry.source or entry.id, metadata)
