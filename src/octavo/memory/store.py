"""What both stores share: entries that change under a lock, and snapshots that never do."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Generic, TypeVar

from octavo.errors import InvalidArgumentError
from octavo.memory.changes import Changes, Edit, Prepared, Written
from octavo.memory.entries import EntryDocuments, EntrySnapshot, EntryTable
from octavo.memory.entry import MemoryEntry

Snapshot = TypeVar("Snapshot", bound=EntrySnapshot)


class MemoryStore(EntryDocuments, Generic[Prepared, Snapshot]):
    """Entries in order of arrival, safe to share between threads.

    Writing only notes the change; the first search after it makes a new snapshot, while other
    searches go on with theirs. A replaced entry keeps its place, as in a dictionary.

    Parameters
    ----------
    empty
        The snapshot of no entries.
    """

    def __init__(self, empty: Snapshot) -> None:
        self._entries: dict[str, MemoryEntry] = {}
        self._changes: Changes[Prepared] = Changes()
        self._version = 0
        self._snapshot = empty
        self._snapshot_version = 0
        self._lock = Lock()  # held for moments only
        self._building = Lock()  # held while a snapshot is made

    def add(self, entries: MemoryEntry | Iterable[MemoryEntry]) -> None:
        """Add one entry or many; an entry whose id is known replaces the one that has it.

        All entries are added, or none where one cannot be.

        Raises
        ------
        InvalidArgumentError
            Something is no :class:`MemoryEntry`.
        """
        batch = _checked(entries)
        if not batch:
            return
        prepared = self._prepare(batch)
        with self._lock:
            self._admit(prepared)
            for entry, what in zip(batch, prepared, strict=True):
                self._entries[entry.id] = entry
                self._changes.write(Written(entry, what))
            self._version += 1

    def remove(self, identifier: str) -> bool:
        """Remove the entry with this id; return whether there was one."""
        with self._lock:
            if self._entries.pop(identifier, None) is None:
                return False
            self._changes.remove(identifier)
            self._version += 1
            return True

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[MemoryEntry]:
        with self._lock:
            return iter(tuple(self._entries.values()))

    def snapshot(self) -> Snapshot:
        """Return the present entries as a store that never changes.

        A strategy takes one for each call, so that filters, ranks and documents agree whatever
        other threads add or remove meanwhile.
        """
        with self._lock:
            if self._snapshot_version == self._version:
                return self._snapshot
        with self._building:
            with self._lock:
                version, before = self._version, self._snapshot
                if self._snapshot_version == version:  # made while this thread waited
                    return before
                changes, self._changes = self._changes, Changes()
            try:
                snapshot = self._changed(before, *before.table.edited(changes))
            except BaseException:
                with self._lock:
                    self._changes = changes.followed_by(self._changes)
                raise
            with self._lock:
                self._snapshot, self._snapshot_version = snapshot, version
            return snapshot

    def _present(self) -> EntryTable:
        return self.snapshot().table

    @abstractmethod
    def _prepare(self, entries: Sequence[MemoryEntry]) -> Sequence[Prepared]:
        """Return what the engine needs of each entry; called without a lock."""

    def _admit(self, prepared: Sequence[Prepared]) -> None:
        """Refuse what does not fit the store; called under the lock, before anything is added."""

    @abstractmethod
    def _changed(self, before: Snapshot, table: EntryTable, edit: Edit[Prepared]) -> Snapshot:
        """Return the snapshot after an edit; called by one thread at a time."""


def _checked(entries: MemoryEntry | Iterable[MemoryEntry]) -> list[MemoryEntry]:
    if isinstance(entries, MemoryEntry):
        return [entries]
    if not isinstance(entries, Iterable) or isinstance(entries, str):
        raise InvalidArgumentError(
            f"entries: expected a MemoryEntry or several, found {type(entries).__name__}"
        )
    batch = list(entries)
    for position, entry in enumerate(batch):
        if not isinstance(entry, MemoryEntry):
            raise InvalidArgumentError(
                f"entry {position}: expected a MemoryEntry, found {type(entry).__name__}"
            )
    return batch
