"""A document as a loader gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One document of a source, or one chunk of it, before it is indexed.

    Parameters
    ----------
    id
        Unique in its source, and the same whenever the same document is loaded.
    content
        The text.
    metadata
        Strings by name; filters look at them. Copied.

    Examples
    --------
    >>> SourceDocument("guide.md#1", "Retrieval runs first.", {"author": "Ada"}).metadata["author"]
    'Ada'
    """

    id: str
    content: str
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __reduce__(self) -> tuple[type, tuple[str, str, dict[str, str]]]:
        # A proxy of a mapping cannot be pickled.
        return type(self), (self.id, self.content, dict(self.metadata))
