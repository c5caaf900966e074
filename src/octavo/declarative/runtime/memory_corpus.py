"""The entries of a MEMORY source, which the application gives to a chat (S31, S74)."""

import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.followed_entries import FollowingStore, PresentEntries
from octavo.declarative.runtime.ingested import Embedding
from octavo.declarative.runtime.recently_used import RecentlyUsed
from octavo.declarative.runtime.request_token import RequestToken
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import InvalidArgumentError
from octavo.memory import BM25Index, MemoryEntry, VectorMemoryStore
from octavo.memory.bm25_index import KeywordSnapshot
from octavo.memory.entries import EntrySnapshot, EntryTable
from octavo.memory.vector_store import VectorSnapshot
from octavo.spi import CancellationToken, SourceDocument
from octavo.spi.metadata import ENTRY_ID, TIER

MOST_INDEXES: Final = 64
"""How many memories keep their words indexed; the others do it again, in some 10 ms, when asked."""

_WAIT: Final = 0.05
_revisions = itertools.count(1)
_births = itertools.count()
_INDEXED: Final = RecentlyUsed["MemoryCorpus"](MOST_INDEXES, lambda memory: memory.release())


@dataclass(frozen=True, slots=True, eq=False)
class MemorySnapshot:
    """The entries of one source and tenant at one time; never changes.

    Parameters
    ----------
    source
        The declared name.
    entries
        The entries, in the order in which they came.
    keyword, vectors
        The same entries by words and by vectors, each in its own order; ``None`` where that was not
        asked for.
    """

    source: str
    entries: EntrySnapshot
    keyword: KeywordSnapshot | None = None
    vectors: VectorSnapshot | None = None


class MemoryCorpus:
    """Entries of one source and one tenant, indexed as S31; safe to share between threads.

    Words and vectors are indexed when a search first needs them, and then only what changed. A
    retrieval sees the entries as they were when it began to search.

    Parameters
    ----------
    source
        The declared name.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.revision = 0
        """Another number after each change, of this memory and no other; 0 where nothing ever was."""
        self._entries: dict[str, MemoryEntry] = {}
        self._guard = threading.Lock()  # held for moments only
        self._indexing = threading.Lock()
        self._births: dict[str, int] = {}
        self._present: PresentEntries | None = None
        self._words: FollowingStore[BM25Index] | None = None
        self._vectors: FollowingStore[VectorMemoryStore] | None = None
        self._function: _Function | None = None

    def add(self, entries: MemoryEntry | Iterable[MemoryEntry]) -> None:
        """Add entries, all or none; one whose id is known replaces the one that has it.

        Raises
        ------
        InvalidArgumentError
            Something is no :class:`~octavo.MemoryEntry`.
        """
        batch = checked_entries(entries)
        if batch:
            with self._guard:
                for each in batch:
                    self._entries[each.id] = each
                    self._births.setdefault(each.id, next(_births))
                self._changed()

    def remove(self, identifier: str) -> bool:
        """Remove the entry with this id; return whether there was one."""
        with self._guard:
            removed = self._entries.pop(identifier, None) is not None
            if removed:
                del self._births[identifier]
                self._changed()
        return removed

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[MemoryEntry]:
        with self._guard:
            return iter(tuple(self._entries.values()))

    def units(self) -> tuple[SourceDocument, ...]:
        """Return all entries, in the order in which they came, each known by its source."""
        return tuple(
            SourceDocument(
                str(entry.source), entry.content, {TIER: entry.tier.name, ENTRY_ID: entry.id}
            )
            for entry in self
        )

    def snapshot(
        self, context: DispatchContext, *, words: bool, embedding: Embedding
    ) -> MemorySnapshot:
        """Return the present entries.

        Parameters
        ----------
        context
            Whose deadline and cancellation the indexing heeds.
        words
            Whether they are searched by words.
        embedding
            Gives vectors; ``None`` where they are not searched by vectors.
        """
        present = self._now()
        with self._alone(context):
            keyword = self._by_words(present, context) if words else None
            vectors = None if embedding is None else self._by_vectors(present, embedding, context)
        return MemorySnapshot(self.source, EntrySnapshot(present.table), keyword, vectors)

    def release(self) -> None:
        """Give back what the index of the words takes; the next search by words makes it again."""
        self._words = None

    def _changed(self) -> None:
        self._present = None
        self.revision = next(_revisions)

    def _now(self) -> PresentEntries:
        with self._guard:
            if self._present is None:
                table = EntryTable.of(tuple(self._entries.values()))
                self._present = PresentEntries(table, dict(self._births))
            return self._present

    def _by_words(self, present: PresentEntries, context: DispatchContext) -> KeywordSnapshot:
        words = FollowingStore(BM25Index()) if self._words is None else self._words
        found = words.follow(present, context.check).snapshot()
        self._words = words
        _INDEXED.use(self)
        return found

    def _by_vectors(
        self, present: PresentEntries, embedding: Embedding, context: DispatchContext
    ) -> VectorSnapshot:
        vectors, function = self._vectors, self._function
        if vectors is None or function is None or function.inner is not embedding:
            function = _Function(embedding)
            vectors = FollowingStore(VectorMemoryStore(function))
        function.token = RequestToken(context)
        self._vectors, self._function = vectors, function
        return vectors.follow(present, context.check).snapshot()

    @contextmanager
    def _alone(self, context: DispatchContext) -> Iterator[None]:
        context.check()
        while not self._indexing.acquire(timeout=_WAIT):
            context.check()
        try:
            yield
        finally:
            self._indexing.release()


def checked_entries(entries: object) -> list[MemoryEntry]:
    """Return one entry or several as a list.

    Raises
    ------
    InvalidArgumentError
        Something is no :class:`~octavo.MemoryEntry`.
    """
    if isinstance(entries, MemoryEntry):
        return [entries]
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise InvalidArgumentError(
            f"entries: expected a MemoryEntry or several, found {type(entries).__name__}"
        )
    batch = list(entries)
    for position, each in enumerate(batch):
        if not isinstance(each, MemoryEntry):
            raise InvalidArgumentError(
                f"entry {position}: expected a MemoryEntry, found {type(each).__name__}"
            )
    return batch


class _Function:
    """An embedding as a store asks it: documents wait for their turn, no longer than the request."""

    def __init__(self, inner: Embedding) -> None:
        self.inner = inner
        self.token = CancellationToken()

    def __call__(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if isinstance(self.inner, EmbeddingProvider):
            return self.inner.embed_waiting(texts, self.token)
        return (self.inner or HashEmbedding()).embed_batch(texts)
