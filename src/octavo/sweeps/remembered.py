"""A store that searches once: what its engines found is kept for the next strategy.

Of an index in shards that is what was merged. Strategies over it are those of the corpus itself, so
whatever is swept over runs through the same kernels and gives the same bits as a search does; only
the engines are not asked again.
"""

from collections.abc import Callable, Hashable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.corpus.searchable import SearchableCorpus
from octavo.engines.report import SearchReport
from octavo.shards import ShardedCorpus
from octavo.shards.source import ShardedSource
from octavo.spi import QueryExpander, QueryExpansion
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.multi_query import Expand

Found = tuple[Hits, SearchReport]


class _Store(Protocol):
    """What is remembered of a store."""

    @property
    def scans_all_vectors(self) -> bool: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]: ...

    def rank_keyword(self, texts: Sequence[str], depth: int, selection: Selection) -> Found: ...

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> Found: ...


class RememberedStreams:
    """A store whose streams are kept; mixed into a class of stores.

    A stream that is a prefix of the one at a greater depth (S12) is cut from that. The streams of
    approximate vector search are not, and kept for each depth.

    Parameters
    ----------
    store
        What is searched; its open files are shared.
    """

    def __init__(self, store: _Store) -> None:
        self._exact = store.scans_all_vectors  # asked first: what it opens is shared
        self.__dict__.update(store.__dict__)
        self._derived: dict[str, Any] = {}  # what was derived knows the store that it is of
        self._store = store
        self._streams: dict[Hashable, _Stream] = {}
        self._vectors: dict[tuple[str, ...], NDArray[np.floating]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return query vectors, the same array for the same texts."""
        key = tuple(texts)
        if key not in self._vectors:
            self._vectors[key] = self._store.embed(texts)
        return self._vectors[key]

    def rank_keyword(self, texts: Sequence[str], depth: int, selection: Selection) -> Found:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        key = ("keyword", tuple(texts), _key_of(selection))
        stream = self._streams.setdefault(key, _Stream(texts))
        return stream.at(depth, lambda: self._store.rank_keyword(texts, depth, selection))

    def rank_vector(self, vectors: NDArray[np.floating], depth: int, selection: Selection) -> Found:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        kind: Hashable = None if self._exact else depth
        # The stream keeps the vectors alive, so that no others get their id.
        key = ("vector", kind, id(vectors), _key_of(selection))
        stream = self._streams.setdefault(key, _Stream(vectors))
        return stream.at(depth, lambda: self._store.rank_vector(vectors, depth, selection))


class RememberedSnapshot(RememberedStreams, Snapshot):
    """A single index whose streams are kept."""


class RememberedShards(RememberedStreams, ShardedSource):
    """An index in shards whose merged streams are kept."""


def remembering(corpus: SearchableCorpus) -> SearchableCorpus:
    """Return the present state of a corpus, of either kind, with its streams kept."""
    store = corpus.keyword_index
    if isinstance(corpus, ShardedCorpus):
        return corpus.with_store(cast("Snapshot", RememberedShards(store)))
    return corpus.with_store(RememberedSnapshot(store))


class _Deepest(NamedTuple):
    """What the deepest search so far found, and what was cut from it."""

    depth: int
    found: Found
    cut: dict[int, Found]


class _Stream:
    """What one search found, at the greatest depth asked for so far."""

    def __init__(self, asked: object) -> None:
        self._asked = asked
        self._deepest: _Deepest | None = None

    def at(self, depth: int, search: Callable[[], Found]) -> Found:
        """Return the stream at a depth, searching where it was not found as deep."""
        # Threads that come here together may search twice; they find the same. Depth and hits are
        # replaced as one: between two assignments another thread would see those of two searches.
        kept = self._deepest
        if kept is None or depth > kept.depth:
            found = search()
            self._deepest = _Deepest(depth, found, {depth: found})
            return found
        hits, report = kept.found
        return kept.cut.setdefault(depth, (hits.head(depth), report))


def _key_of(selection: Selection) -> Hashable:
    rows = selection.admitted
    digest = None if rows is None else blake2b(rows.tobytes(), digest_size=16).digest()
    return (tuple(sorted(selection.filters.items())), digest)


class RememberedExpander:
    """A query expander that is asked each thing once.

    Parameters
    ----------
    expander
        A :class:`~octavo.QueryExpander` or a function.
    """

    def __init__(self, expander: QueryExpander | Expand) -> None:
        self._expander = expander
        self._answers: dict[tuple[str, QueryExpansion, str, int], Sequence[str]] = {}

    def supports(self, model: str) -> bool:
        """Whether the expander serves a model; a function serves all."""
        return not isinstance(self._expander, QueryExpander) or self._expander.supports(model)

    def expand(
        self, query: str, mode: QueryExpansion, model: str, max_expansions: int
    ) -> Sequence[str]:
        """Return variants of a query."""
        key = (query, mode, model, max_expansions)
        if key not in self._answers:
            ask: Any = self._expander
            ask = ask.expand if isinstance(ask, QueryExpander) else ask
            self._answers[key] = ask(*key)
        return self._answers[key]
