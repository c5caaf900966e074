"""What a store in memory holds (S31)."""

from dataclasses import dataclass
from enum import Enum

from octavo.errors import InvalidArgumentError


class MemoryTier(Enum):
    """The kind of memory an entry belongs to; its name is the value of the filter ``tier``."""

    WORKING = "WORKING"
    EPISODIC = "EPISODIC"
    SEMANTIC = "SEMANTIC"
    PROCEDURAL = "PROCEDURAL"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One remembered text.

    Parameters
    ----------
    id
        What the entry is known by, in every store; adding an id again replaces the entry.
    content
        The text; empty is legal.
    tier
        The kind of memory.
    source
        Where the text came from; the id where it is absent or empty.

    Raises
    ------
    InvalidArgumentError
        The id is blank or no valid text, the content or source is no string, or the tier is no
        :class:`MemoryTier`.

    Examples
    --------
    >>> MemoryEntry("note-1", "Agents use memory.", MemoryTier.WORKING).source
    'note-1'
    """

    id: str
    content: str
    tier: MemoryTier
    source: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id.strip():
            raise InvalidArgumentError(f"id: expected a non-blank string, found {self.id!r}")
        try:
            self.id.encode()
        except UnicodeEncodeError as error:  # no result table could hold it
            raise InvalidArgumentError(f"id: expected valid text, found {self.id!r}") from error
        if not isinstance(self.content, str):
            raise InvalidArgumentError(
                f"content of {self.id!r}: expected a string, found {type(self.content).__name__}"
            )
        if not isinstance(self.tier, MemoryTier):
            raise InvalidArgumentError(
                f"tier of {self.id!r}: expected a MemoryTier, found {self.tier!r}"
            )
        if not isinstance(self.source, str | None):
            raise InvalidArgumentError(
                f"source of {self.id!r}: expected a string, found {type(self.source).__name__}"
            )
        object.__setattr__(self, "source", self.source or self.id)
