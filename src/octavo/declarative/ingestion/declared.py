"""What ingestion needs to know of a declaration."""

from collections.abc import Mapping, Sequence
from enum import Enum, StrEnum
from typing import Protocol, TypeVar

from octavo.errors import ConfigurationError, shown


class DeclaredSource(Protocol):
    """The members of a ``Knowledge`` that loaders read (S61)."""

    @property
    def name(self) -> str:
        """The exact name; the first part of every document id."""
        ...

    @property
    def type(self) -> str:
        """FILE, URL, DATABASE, or one that has no loader."""
        ...

    @property
    def format(self) -> str:
        """AUTO, or the one format that every file must have."""
        ...

    @property
    def path(self) -> str:
        """A file, a directory or a URL."""
        ...

    @property
    def connection(self) -> str:
        """The database, for DATABASE."""
        ...

    @property
    def query(self) -> str:
        """The query, for DATABASE."""
        ...

    @property
    def include(self) -> Sequence[str]:
        """Patterns, one of which a file must match; none admits all."""
        ...

    @property
    def exclude(self) -> Sequence[str]:
        """Patterns that leave files out."""
        ...

    @property
    def select(self) -> Sequence[str] | Mapping[str, str] | str:
        """``key=value`` pairs that a record or section must match."""
        ...

    @property
    def unit(self) -> str:
        """What a chunk is: AUTO, DOCUMENT, SECTION, PARAGRAPH or RECORD."""
        ...

    @property
    def chunk_context(self) -> str:
        """What goes before the searchable text: NONE, HEADINGS or MODEL."""
        ...

    @property
    def chunk_context_model(self) -> str | None:
        """The application's model, for MODEL."""
        ...


Kind = TypeVar("Kind", bound=StrEnum)


def member(kind: type[Kind], what: str, value: object) -> Kind:
    """Return the member of ``kind`` that a text, or a member of a like-named enum, means.

    Raises
    ------
    ConfigurationError
        There is none.

    Examples
    --------
    >>> from octavo.declarative.declarations.enums import KnowledgeUnit
    >>> member(KnowledgeUnit, "unit", "SECTION")
    <KnowledgeUnit.SECTION: 'SECTION'>
    """
    name = value.name if isinstance(value, Enum) else value
    found = kind.__members__.get(name) if isinstance(name, str) else None
    if found is None:
        raise ConfigurationError(
            f"{what}: expected one of {', '.join(kind.__members__)}, found {shown(value)}"
        )
    return found


def source_type(knowledge: DeclaredSource) -> str:
    """Return the name of a declaration's type."""
    value: object = knowledge.type
    return value.name if isinstance(value, Enum) else str(value)
