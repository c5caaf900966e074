"""A name as it stands in a text."""

from typing import Final, NamedTuple

from octavo.spi import EntityKind

GAP: Final = "\x1a"
"""Stands where something was read: neither a letter nor a space, so that no name spans it."""


class WrittenName(NamedTuple):
    """A name, where it stands and how it was recognised.

    Parameters
    ----------
    start, stop
        Where it stands, markup included.
    name, kind, defines, certain
        As of an :class:`~octavo.spi.extraction.EntityMention`.
    long_form
        What it is the acronym of, if that is told here.
    level
        Of a heading; 1 is the highest.
    """

    start: int
    stop: int
    name: str
    kind: EntityKind
    defines: bool = False
    certain: bool = True
    long_form: str = ""
    level: int = 0
