"""Entries as they are now, and stores that follow them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from octavo.memory.entries import EntryTable
from octavo.memory.store import MemoryStore

Store = TypeVar("Store", bound=MemoryStore[Any, Any])

_BATCH: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class PresentEntries:
    """Entries at one time; never changes.

    Parameters
    ----------
    table
        The entries, in the order in which they came.
    births
        For each id a number that rises in this order, and is another once an entry was removed and
        came again.
    """

    table: EntryTable
    births: Mapping[str, int]


class FollowingStore(Generic[Store]):
    """A store that is brought to hold what is present, in the same order; by one thread at a time.

    Parameters
    ----------
    store
        The store, empty; nobody else changes it.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._births: dict[str, int] = {}
        self._followed: PresentEntries | None = None

    def follow(self, present: PresentEntries, check: Callable[[], None]) -> Store:
        """Remove and add what changed; where that fails half-way, the next call goes on with it.

        Parameters
        ----------
        present
            What the store shall hold.
        check
            Called before each batch of entries; raises where the request is over.
        """
        if self._followed is present:
            return self.store
        self._followed = None
        for identifier, birth in list(self._births.items()):
            if present.births.get(identifier) != birth:
                self.store.remove(identifier)
                del self._births[identifier]
        known = {each.id: each for each in self.store}
        changed = [each for each in present.table.entries if known.get(each.id) != each]
        for start in range(0, len(changed), _BATCH):
            check()
            batch = changed[start : start + _BATCH]
            self.store.add(batch)
            self._births.update((each.id, present.births[each.id]) for each in batch)
        self._followed = present
        return self.store
