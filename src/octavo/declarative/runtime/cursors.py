"""How far each scope has read the sources of use SEQUENTIAL; kept in memory (S74)."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Final

from cachetools import LRUCache

from octavo.declarative.declarations.checks import checked_class
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import checked_count
from octavo.spi import SourceDocument

if TYPE_CHECKING:
    from octavo.declarative.runtime.bindings import BindingKey

MOST_CURSORS: Final = 10_000
"""How many are kept unless a runtime is told otherwise; each needs less than 1 KiB."""


@dataclass(frozen=True, slots=True)
class CursorKey:
    """Whose cursor it is, in which units.

    Parameters
    ----------
    binding
        The role, its agent, and the one source.
    tenant, session, conversation
        The scope of the request.
    filters
        What its units must match, for with other filters it is another sequence; ``None`` where
        the request sees none of them.
    """

    binding: "BindingKey"
    tenant: str = ""
    session: str = ""
    conversation: str = ""
    filters: frozenset[tuple[str, str]] | None = frozenset()

    @property
    def scope(self) -> tuple[str, str, str]:
        """The parts of a request's context that tell cursors apart."""
        return self.tenant, self.session, self.conversation


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """How far a source has been read.

    Parameters
    ----------
    position
        How many units were given, from the first on.
    fingerprint
        Of these units, so that a source that begins otherwise is read anew.
    revision
        Of the binding whose units they were.
    returned
        Indices of units among them that a failed dispatch gave back; they come first.
    pass_through
        The same object from the first unit to the last, another one after each new beginning.
    """

    position: int = 0
    fingerprint: bytes = b""
    revision: str = ""
    returned: tuple[int, ...] = ()
    pass_through: object = field(default_factory=object)

    def resumed(self, units: Sequence[SourceDocument], revision: str) -> "Place":
        """Return the same place in units that were loaded again; the beginning, if they begin otherwise."""
        if self.revision == revision:
            return self
        read = units[: self.position]
        if len(read) == self.position and _fingerprint(b"", read) == self.fingerprint:
            return replace(self, revision=revision)
        return Place(revision=revision)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What is left of a source for one scope: iterating gives its units in order.

    Parameters
    ----------
    source
        The declared name.
    units
        All units of the source that the request may see.
    place
        How far they have been read.
    key, cursors, kept
        Where that is kept, and what was kept there.
    """

    source: str
    units: Sequence[SourceDocument]
    place: Place
    key: CursorKey
    cursors: "Cursors"
    kept: Place | None = None

    def __len__(self) -> int:
        return len(self.place.returned) + len(self.units) - self.place.position

    def __iter__(self) -> Iterator[SourceDocument]:
        return (self.units[index] for index in self._indices())

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left."""
        return not len(self)

    def again(self) -> "Reading":
        """Return what is left now."""
        return self.cursors.reading(self.key, self.source, self.units, self.place.revision)

    def move(self, count: int) -> "Move":
        """Return the step over the next ``count`` units; nothing has moved yet."""
        place = self.place
        again = min(count, len(place.returned))
        position = place.position + count - again
        moved = replace(
            place,
            position=position,
            fingerprint=_fingerprint(place.fingerprint, self.units[place.position : position]),
            returned=place.returned[again:],
        )
        given = (*place.returned[:again], *range(place.position, position))
        return Move(self, moved if count else place, given)

    def _indices(self) -> Iterable[int]:
        return chain(self.place.returned, range(self.place.position, len(self.units)))


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A step of one cursor.

    Parameters
    ----------
    reading
        From where.
    place
        Where to.
    given
        Indices of the units between.
    """

    reading: Reading
    place: Place
    given: tuple[int, ...]


class Cursors:
    """The cursors of a runtime; the least recently used go first, and then begin again.

    Nothing is locked between a reading and its move: whoever moves first wins, and others
    read again from there. So a dispatch that fails, or is cancelled, holds nobody up.

    Parameters
    ----------
    size
        The most cursors kept.
    """

    def __init__(self, size: int = MOST_CURSORS) -> None:
        self._guard = threading.Lock()
        self._places: LRUCache[CursorKey, Place] = LRUCache(checked_count("kept_cursors", size, 1))

    def reading(
        self, key: CursorKey, source: str, units: Sequence[SourceDocument], revision: str
    ) -> Reading:
        """Return what is left of units that a binding of this revision has loaded."""
        with self._guard:
            kept = self._places.get(key)
        place = Place(revision=revision) if kept is None else kept.resumed(units, revision)
        return Reading(source, units, place, key, self, kept)

    def advance(self, moves: Sequence[Move]) -> bool:
        """Make all moves, or none where one of the cursors is not where it was read."""
        steps = [each for each in moves if each.given]
        with self._guard:
            if any(self._places.get(each.reading.key) is not each.reading.kept for each in steps):
                return False
            for each in steps:
                self._places[each.reading.key] = each.place
            return True

    def give_back(self, moves: Sequence[Move]) -> None:
        """Make the units of moves come next again, whatever was read meanwhile."""
        with self._guard:
            for each in moves:
                key = each.reading.key
                place = self._places.get(key)
                if place is not None and place.pass_through is each.place.pass_through:
                    returned = tuple(sorted({*place.returned, *each.given}))
                    self._places[key] = replace(place, returned=returned)

    def rewind(
        self, cls: type, source: str | None = None, context: DispatchContext | None = None
    ) -> int:
        """Forget cursors of a role or agent class; return how many."""
        checked_class(cls)
        with self._guard:
            chosen = [
                key
                for key in self._places
                if key.binding.concerns(cls)
                and source in {None, key.binding.sources[0].name}
                and (context is None or key.scope == scope_of(context))
            ]
            for key in chosen:
                del self._places[key]
            return len(chosen)

    def clear(self) -> None:
        """Forget all."""
        with self._guard:
            self._places.clear()

    def __len__(self) -> int:
        with self._guard:
            return len(self._places)


def scope_of(context: DispatchContext) -> tuple[str, str, str]:
    """Return what of a request's context tells cursors apart: tenant, session and conversation."""
    return context.tenant, context.session, context.conversation_id


def _fingerprint(before: bytes, units: Iterable[SourceDocument]) -> bytes:
    """Return the fingerprint of units that follow those of another one."""
    for unit in units:
        digest = blake2b(before, digest_size=16)
        for text in (unit.id, unit.content):
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "big") + encoded)
        before = digest.digest()
    return before
