"""What an extractor finds in a text: entities, and relations between them."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable


class EntityKind(StrEnum):
    """How an entity became known; an entity of several kinds has the first of them here."""

    DOCUMENT = "document"
    REFERENCE = "reference"
    DEFINITION = "definition"
    HEADING = "heading"
    IDENTIFIER = "identifier"
    LINK = "link"
    QUOTATION = "quotation"
    NAME = "name"


class EntityMention(NamedTuple):
    """An entity is spoken of.

    Parameters
    ----------
    name
        As it is written; names that fold to one identity are one entity (S82).
    kind
        How it was recognised.
    sentence
        The sentence that speaks of it, as a reader is to see it. Entities of one sentence that come
        one after another are linked; blank links nothing.
    defines
        Whether the sentence says what the entity is.
    certain
        Whether the mention counts by itself. One that does not counts only where the same entity is
        certain elsewhere.
    """

    name: str
    kind: EntityKind = EntityKind.NAME
    sentence: str = ""
    defines: bool = False
    certain: bool = True


class EntityRelation(NamedTuple):
    """One entity is related to another; both are thereby mentioned.

    Parameters
    ----------
    source
        The name of an entity; ``None`` for the document that the text belongs to.
    relation
        What leads from the source to the target.
    target
        The name of an entity; the address of a document (its id, its source or a path relative to
        it) stands for that document.
    """

    source: str | None
    relation: str
    target: str


@runtime_checkable
class EntityExtractor(Protocol):
    """Finds entities and relations in a text, usually by asking a model."""

    def extract(self, text: str) -> Iterable[EntityMention | EntityRelation]:
        """Return what the text speaks of, in the order of the text."""
        ...
