"""What a retrieval engine is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """One retrieval: what is looked for, where, how, and for whom (S71, S73).

    Parameters
    ----------
    query
        The text looked for.
    search
        How, an ``octavo.declarative.ResolvedSearch``.
    sources
        Names of the sources that are searched.
    filters
        Exact metadata values by key; every entry must match. Copied.
    context
        The request-local context, with scope, deadline and cancellation token; ``None`` without one.
    turn_message, conversation_id, source_paths
        A chat turn's own message, its conversation, and locations of sources by name; blank outside
        a chat.
    """

    query: str
    search: Any
    sources: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict, hash=False)
    context: Any = None
    turn_message: str = ""
    conversation_id: str = ""
    source_paths: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", tuple(self.sources))
        object.__setattr__(self, "filters", MappingProxyType(dict(self.filters)))
        object.__setattr__(self, "source_paths", MappingProxyType(dict(self.source_paths)))
