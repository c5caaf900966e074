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
from octavo.declarative.runtime.ingested import Embedding
from octavo.declarative.runtime.request_token import RequestToken
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.memory import BM25Index, MemoryEntry, VectorMemoryStore
from octavo.memory.bm25_index import KeywordSnapshot
from octavo.memory.entries import EntryTable
from octavo.memory.vector_store import VectorSnapshot
from octavo.spi import CancellationToken, SourceDocument
from octavo.spi.metadata import ENTRY_ID, TIER

_BATCH: Final = 64
_WAIT: Final = 0.05
_revisions = itertools.count(1)


@dataclass(frozen=True, slots=True, eq=False)
class MemorySnapshot:
    """The entries of one source and tenant at one time; never changes.

    Parameters
    ----------
    source
        The declared name.
    keyword
        The entries by their words.
    vectors
        Entries by their vectors; ``None`` where none were asked for.
    """

    source: str
    keyword: KeywordSnapshot
    vectors: VectorSnapshot | None = None


class MemoryCorpus:
    """Entries of one source and one tenant, indexed as S31; safe to share between threads.

    Words are indexed when entries are added, vectors made when a search first needs them. A retrieval
    sees the entries as they were when it began to search.

    Parameters
    ----------
    source
        The declared name.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.revision = 0
        self._keyword = BM25Index()
        self._store: VectorMemoryStore | None = None
        self._function: _Function | None = None
        self._embedded: EntryTable | None = None
        self._embedding = threading.Lock()

    def add(self, entries: MemoryEntry | Iterable[MemoryEntry]) -> None:
        """Add entries, all or none; one whose id is known replaces the one that has it.

        Raises
        ------
        InvalidArgumentError
            Something is no :class:`~octavo.MemoryEntry`.
        """
        self._keyword.add(entries)
        self.revision = next(_revisions)

    def remove(self, identifier: str) -> bool:
        """Remove the entry with this id; return whether there was one."""
        removed = self._keyword.remove(identifier)
        if removed:
            self.revision = next(_revisions)
        return removed

    def __len__(self) -> int:
        return len(self._keyword)

    def __iter__(self) -> Iterator[MemoryEntry]:
        return iter(self._keyword)

    def units(self) -> tuple[SourceDocument, ...]:
        """Return all entries, in the order in which they came, each known by its source."""
        return tuple(
            SourceDocument(
                str(entry.source), entry.content, {TIER: entry.tier.name, ENTRY_ID: entry.id}
            )
            for entry in self
        )

    def snapshot(self, embedding: Embedding, context: DispatchContext) -> MemorySnapshot:
        """Return the present entries, with vectors where an embedding is given.

        Only what is new since the last call is embedded.

        Parameters
        ----------
        embedding
            Gives the vectors.
        context
            Whose deadline and cancellation the embedding heeds.
        """
        keyword = self._keyword.snapshot()
        if embedding is None:
            return MemorySnapshot(self.source, keyword)
        with self._alone(context):
            return MemorySnapshot(
                self.source, keyword, self._vectors(keyword.table, embedding, context)
            )

    def _vectors(
        self, table: EntryTable, embedding: Embedding, context: DispatchContext
    ) -> VectorSnapshot:
        if self._store is None or self._function is None or self._function.inner is not embedding:
            self._function = _Function(embedding)
            self._store = VectorMemoryStore(self._function)
            self._embedded = None
        store, function = self._store, self._function
        if self._embedded is not table:
            self._embedded = None
            function.token = RequestToken(context)
            known = {each.id: each for each in store}
            for identifier in known.keys() - table.rows.keys():
                store.remove(identifier)
            changed = [each for each in table.entries if known.get(each.id) != each]
            for start in range(0, len(changed), _BATCH):
                context.check()
                store.add(changed[start : start + _BATCH])
            self._embedded = table
        return store.snapshot()

    @contextmanager
    def _alone(self, context: DispatchContext) -> Iterator[None]:
        context.check()
        while not self._embedding.acquire(timeout=_WAIT):
            context.check()
        try:
            yield
        finally:
            self._embedding.release()


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
