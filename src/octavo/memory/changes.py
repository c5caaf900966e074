"""What was added to and removed from a store since its last snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.memory.entry import MemoryEntry

Prepared = TypeVar("Prepared")
"""What an engine needs of an entry: its analysed text, its vector."""


@dataclass(frozen=True, slots=True)
class Written(Generic[Prepared]):
    """An entry on its way into the engine."""

    entry: MemoryEntry
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Changes(Generic[Prepared]):
    """Removals, then entries to write in the order in which they first came.

    An id that is removed and then written again is new, as in a dictionary.
    """

    removed: set[str] = field(default_factory=set)
    written: dict[str, Written[Prepared]] = field(default_factory=dict)

    def write(self, written: Written[Prepared]) -> None:
        """Add an entry, or replace the one of its id."""
        self.written[written.entry.id] = written

    def remove(self, identifier: str) -> None:
        """Take an id out."""
        self.written.pop(identifier, None)
        self.removed.add(identifier)

    def followed_by(self, later: "Changes[Prepared]") -> "Changes[Prepared]":
        """Return these changes and then the later ones."""
        both = Changes(set(self.removed), dict(self.written))
        for identifier in later.removed:
            both.remove(identifier)
        both.written.update(later.written)
        return both


@dataclass(frozen=True, slots=True, eq=False)
class Edit(Generic[Prepared]):
    """Changes in terms of rows: replace, then drop, then append.

    Parameters
    ----------
    replaced
        What stands in a row from now on.
    kept
        Which of the old rows stay; ``None`` where all do.
    appended
        What comes after them.
    """

    replaced: dict[int, Prepared]
    kept: NDArray[np.bool_] | None
    appended: Sequence[Prepared]
