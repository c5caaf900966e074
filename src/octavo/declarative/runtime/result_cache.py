"""Results of earlier dispatches, kept for a while (S67, S71)."""

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Final

from cachetools import TLRUCache

from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.spi import RetrievedDocument

DEFAULT_SIZE: Final = 128
UNBOUNDED: Final = -1

_RENDERING: Final = frozenset({"context_format", "include_spec", "context_window"})
_SETTINGS: Final = tuple(
    each.name for each in fields(ResolvedSearch) if each.name not in _RENDERING
)

Documents = tuple[RetrievedDocument, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    documents: Documents
    stored: float
    fresh_until: float
    usable_until: float


class ResultCache:
    """The results of one binding, the least recently used of which goes first.

    Parameters
    ----------
    size
        The most results kept; 0: none.
    clock
        Seconds that never go back.
    """

    def __init__(
        self, size: int = DEFAULT_SIZE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._entries: TLRUCache[Hashable, _Entry] = TLRUCache(
            size, ttu=lambda _key, entry, _now: entry.usable_until, timer=clock
        )

    def fresh(self, key: Hashable) -> Documents | None:
        """Return a result within its ``cache_ttl``."""
        with self._guard:
            entry = self._entries.get(key)
            return None if entry is None or self._clock() >= entry.fresh_until else entry.documents

    def usable(self, key: Hashable) -> tuple[Documents, bool] | None:
        """Return a result within its ``max_staleness``, and whether it is stale."""
        with self._guard:
            entry = self._entries.get(key)
            return None if entry is None else (entry.documents, self._clock() >= entry.fresh_until)

    def store(self, key: Hashable, documents: Documents, search: ResolvedSearch) -> None:
        """Keep a result for ``cache_ttl`` seconds, and stale for ``max_staleness`` more."""
        now = self._clock()
        fresh_until = now + search.cache_ttl
        further = float("inf") if search.max_staleness == UNBOUNDED else search.max_staleness
        entry = _Entry(documents, now, fresh_until, fresh_until + further)
        with self._guard:
            if self._entries.maxsize:
                self._entries[key] = entry

    def __len__(self) -> int:
        with self._guard:
            return len(self._entries)


def isolation_key(
    query: str,
    search: ResolvedSearch,
    filters: Mapping[str, str],
    sources: tuple[str, ...],
    context: DispatchContext,
) -> Hashable:
    """Return what two dispatches of one binding must have in common to share a result.

    Tenant and session, the query, every search setting that is not about rendering, the filters
    that documents must match, the sources and their revision, and the turn's message, conversation
    and locations. The binding has a cache of its own, so its revision needs no mention.
    """
    return (
        context.tenant,
        context.session,
        query,
        tuple(getattr(search, name) for name in _SETTINGS),
        frozenset(filters.items()),
        sources,
        context.source_revision,
        context.turn_message,
        context.conversation_id,
        frozenset(context.source_paths.items()),
    )
