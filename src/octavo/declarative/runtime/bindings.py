"""What was loaded for a role, an agent and some of their sources, once a process (S68)."""

import itertools
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final

from octavo.corpus.corpus import Corpus
from octavo.declarative.declarations.checks import checked_class
from octavo.declarative.declarations.enums import KnowledgeType
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.unset import UNSET
from octavo.declarative.ingestion.walk import absolute_path
from octavo.declarative.runtime.attribution import RequestMetadata, unforged
from octavo.declarative.runtime.cached import cached, file_loaders, is_large
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.ingested import Embedding, documents_of, ingested
from octavo.declarative.runtime.providers import Providers
from octavo.declarative.runtime.request_token import RequestToken
from octavo.declarative.runtime.result_cache import DEFAULT_SIZE, ResultCache
from octavo.graph.providers import OpenedGraph
from octavo.spi import GraphScope, SourceDocument

_WAIT: Final = 0.05
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class BindingKey:
    """For whom something is loaded, and what: sources without all that concerns searching them."""

    role_class: type
    agent_class: type | None
    sources: tuple[Knowledge, ...]

    def concerns(self, cls: type) -> bool:
        """Whether the role or agent is of a class."""
        agent = self.agent_class
        return issubclass(self.role_class, cls) or (agent is not None and issubclass(agent, cls))


def ingestion_of(source: Knowledge) -> Knowledge:
    """Return what of a declaration decides which documents there are; a path is made absolute.

    Examples
    --------
    >>> from octavo.declarative import Search
    >>> a, b = (Knowledge("a", path="/docs", search=Search(top_k=each)) for each in (1, 2))
    >>> ingestion_of(a) == ingestion_of(b)
    True
    """
    path = absolute_path(source.path) if source.type is KnowledgeType.FILE else source.path
    unset: Any = UNSET
    return replace(source, path=path or unset, search=unset, use=unset, max_tokens=unset)


class Binding:
    """The corpus, the graphs and the cached results of some sources; loaded when first needed.

    One thread loads, others wait for it, each no longer than its own deadline. Where loading fails,
    whoever waits tries itself.

    Parameters
    ----------
    key
        For whom, and what.
    providers
        Whose loaders are asked.
    cache
        For results.
    """

    def __init__(self, key: BindingKey, providers: Providers, cache: ResultCache) -> None:
        self.key = key
        self.cache = cache
        digest = blake2b(repr(key.sources).encode("utf-8", "replace"), digest_size=6).hexdigest()
        self.revision = f"{digest}-{next(_numbers)}"
        self._providers = providers
        self._loading = threading.Lock()
        self._opening = threading.Lock()
        self._corpora: dict[bool, Corpus] = {}
        self._units: dict[Knowledge, tuple[SourceDocument, ...]] = {}
        self._graphs: dict[tuple[str, GraphScope], OpenedGraph] = {}

    def corpus(self, embedding: Embedding, context: DispatchContext) -> Corpus:
        """Return the corpus of all sources; one with vectors serves where none are needed too.

        Parameters
        ----------
        embedding
            Gives the vectors; ``None`` where none are needed.
        context
            Whose deadline and cancellation the loading heeds.
        """
        found = self._open(embedding)
        if found is not None:
            return found
        with _held(self._loading, context):
            found = self._open(embedding)
            if found is None:
                found = self._loaded(embedding, RequestToken(context))
                self._corpora[embedding is not None] = found
            return found

    def _open(self, embedding: Embedding) -> Corpus | None:
        with_vectors = self._corpora.get(True)
        return self._corpora.get(embedding is not None) if with_vectors is None else with_vectors

    def _loaded(self, embedding: Embedding, token: RequestToken) -> Corpus:
        sources, given = self.key.sources, self._providers.given
        files = file_loaders(sources, given.loaders) if sources else None
        if files is not None and is_large(sources, files):
            kept = cached(sources, files, embedding, token)
            if kept is not None:
                return kept
        return ingested(sources, embedding, given, token)

    @property
    def is_loaded(self) -> bool:
        """Whether there is a corpus already."""
        return bool(self._corpora)

    def units(
        self, source: Knowledge, context: DispatchContext, path: str = ""
    ) -> tuple[SourceDocument, ...]:
        """Return all documents of a source that is given whole, in order.

        Parameters
        ----------
        source
            The source.
        context
            As for :meth:`corpus`.
        path
            A location in place of the declared one; what is there is not kept.
        """
        wanted = ingestion_of(replace(source, path=path) if path else source)
        found = None if path else self._units.get(wanted)
        if found is not None:
            return found
        with _held(self._loading, context):
            found = None if path else self._units.get(wanted)
            if found is None:
                documents = documents_of(wanted, self._providers.given, RequestToken(context))
                found = tuple(_named(each, source.name) for each in documents)
                if not path:
                    self._units[wanted] = found
            return found

    def graph(
        self,
        name: str,
        scope: GraphScope,
        open_graph: Callable[[], OpenedGraph],
        context: DispatchContext,
    ) -> OpenedGraph:
        """Return the graph of a provider for a scope, opened when it is first asked for.

        One thread opens, others wait as for :meth:`corpus`.
        A store of octavo's own is closed when nobody has the binding any more; one that the
        application opened is the application's to close.
        """
        with _held(self._opening, context):
            key = (name, scope)
            if key not in self._graphs:
                self._graphs[key] = opened = open_graph()
                close = getattr(opened.store, "close", None)
                if close is not None and type(opened.store).__module__.startswith("octavo."):
                    weakref.finalize(self, close)
            return self._graphs[key]


class Bindings:
    """All bindings of a runtime, by role, agent and sources.

    Parameters
    ----------
    providers
        Whose loaders are asked.
    cached_results
        The most results that each binding keeps.
    clock
        For the caches.
    """

    def __init__(
        self,
        providers: Providers,
        cached_results: int = DEFAULT_SIZE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._providers = providers
        self._cached_results = cached_results
        self._clock = clock
        self._guard = threading.Lock()
        self._bindings: dict[BindingKey, Binding] = {}

    def get(self, key: BindingKey) -> Binding:
        """Return the one binding of a key; nothing is loaded yet."""
        with self._guard:
            if key not in self._bindings:
                cache = ResultCache(self._cached_results, self._clock)
                self._bindings[key] = Binding(key, self._providers, cache)
            return self._bindings[key]

    def invalidate(self, cls: type) -> int:
        """Forget what was loaded for a role or agent class; return how much that was.

        What is under way ends with what it began with.
        """
        checked_class(cls)
        with self._guard:
            stale = [key for key in self._bindings if key.concerns(cls)]
            for key in stale:
                del self._bindings[key]
            return len(stale)

    def clear(self) -> None:
        """Forget everything."""
        with self._guard:
            self._bindings.clear()


@contextmanager
def _held(lock: threading.Lock, context: DispatchContext) -> Iterator[None]:
    """Hold a lock, for which a request waits no longer than it lasts."""
    context.check()
    while not lock.acquire(timeout=_WAIT):
        context.check()
    try:
        yield
    finally:
        lock.release()


def _named(document: SourceDocument, source: str) -> SourceDocument:
    metadata = {**unforged(document.metadata), RequestMetadata.SOURCE: source}
    return SourceDocument(document.id, document.content, metadata)
