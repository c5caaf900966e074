"""Where declared knowledge comes from: documents, and the loaders that bring them (S61, S73)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One document, or one chunk of one, as a loader gives it.

    Parameters
    ----------
    id
        The same at every run, on every machine and from every working directory; unique within the
        source.
    content
        The text that a hit shows.
    metadata
        Texts by name: ``source`` names where it came from; the keys of ``HierarchyMetadata`` and
        ``TemporalMetadata`` place it in a hierarchy and in time; the rest is for filters.

    Examples
    --------
    >>> SourceDocument("guide/intro.md", "Read me first.", {"source": "intro.md"}).id
    'guide/intro.md'
    """

    id: str
    content: str
    metadata: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class SourceLoader(Protocol):
    """Brings the documents of a source that it supports, once, when its binding is made.

    An index that is queried on every request is no loader but a ``RetrievalEngineProvider``.
    """

    def supports(self, knowledge: Any) -> bool:  # noqa: ANN401 - a Knowledge, above this layer
        """Return whether the loader serves this declaration; cheap, and connects to nothing."""
        ...

    def load(self, knowledge: Any) -> Iterable[SourceDocument]:  # noqa: ANN401
        """Yield the documents, better one by one than all at once.

        Raises
        ------
        SourceLoadingError
            The source is missing, cannot be read or is damaged.
        ConfigurationError
            The declaration can never work.
        """
        ...
