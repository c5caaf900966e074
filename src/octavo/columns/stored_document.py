"""A document as its store keeps it."""

from typing import NamedTuple


class StoredDocument(NamedTuple):
    """One document, read for a result."""

    id: str
    content: str
    source: str
    metadata: dict[str, str]
    """Filterable keys (S11), ``entryId`` among them; the dictionary is the caller's to keep."""
    title: str | None = None
