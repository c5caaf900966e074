"""A vector store in memory: entries embedded by the application's function (S20, S31, S44)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.embeddings.protocol import EmbeddingFunction, embed_queries, embed_texts
from octavo.engines.report import SearchReport
from octavo.errors import DimensionMismatchError, InvalidArgumentError, checked_count
from octavo.kernels.unit_length import unit_length
from octavo.memory.changes import Edit
from octavo.memory.entries import EntrySnapshot, EntryTable
from octavo.memory.entry import MemoryEntry
from octavo.memory.store import MemoryStore

if TYPE_CHECKING:
    from octavo.engines.vector.index import VectorIndex


@dataclass(frozen=True, eq=False)
class VectorSnapshot(EntrySnapshot):
    """The entries of a :class:`VectorMemoryStore` at one time; never changes."""

    function: EmbeddingFunction
    vectors: NDArray[np.float32] | None = None
    """One row of unit length or zero an entry; ``None`` until a first entry fixed the dimension."""

    @cached_property
    def index(self) -> "VectorIndex":
        """The vector engine; made at the first search, when its kernels load."""
        from octavo.engines.vector.flat import FlatVectorIndex  # noqa: PLC0415 - heavy

        vectors = self.vectors
        return FlatVectorIndex([np.zeros((0, 1), np.float32) if vectors is None else vectors])

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return the query vectors of ``texts``, by the function of the store."""
        dimensions = None if self.vectors is None else self.vectors.shape[1]
        return embed_queries(self.function, texts, dimensions=dimensions)

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        if self.vectors is None:
            checked_count("depth", depth)
            return Hits.empty(len(vectors)), SearchReport()
        return self.index.search(vectors, depth, selection)


class VectorMemoryStore(MemoryStore[NDArray[np.float32], VectorSnapshot]):
    """Entries ranked by the cosine of their vectors, with the engine of a corpus.

    Parameters
    ----------
    embedding_function
        Turns a text into a vector; a plain function is one. Called when entries are added and when
        queries are asked, by the thread that does so: several threads call it at the same time.

    Raises
    ------
    InvalidArgumentError
        The function cannot be called.

    Notes
    -----
    The first vector fixes the dimension, for good. A zero vector is legal and scores 0. An entry
    whose vector is missing, not finite or of another dimension is refused when it is added, and so
    are those added with it. Adding costs the embedding and, at the next search, a copy of the new
    vectors; replacing or removing an entry costs one copy of all vectors at the next search.

    Examples
    --------
    >>> from octavo.memory.entry import MemoryTier
    >>> store = VectorMemoryStore(lambda text: [text.count("a"), text.count("b")])
    >>> store.add(MemoryEntry("x", "aab", MemoryTier.WORKING))
    >>> store.add(MemoryEntry("y", "b", MemoryTier.WORKING))
    >>> hits, report = store.rank_vector(store.embed(["bbb"]), 1, store.select({}))
    >>> store.ids(hits.rows), hits.scores.tolist()
    (['y'], [1.0])
    """

    def __init__(self, embedding_function: EmbeddingFunction) -> None:
        if not callable(embedding_function):
            raise InvalidArgumentError(
                "embedding_function: expected a function of one text, "
                f"found {type(embedding_function).__name__}"
            )
        super().__init__(VectorSnapshot(EntryTable.of([]), embedding_function))
        self._function = embedding_function
        self._dimensions: int | None = None
        self._buffer = np.empty((0, 0), np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return the query vectors of ``texts``, by the function of the store."""
        return self.snapshot().embed(texts)

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        return self.snapshot().rank_vector(vectors, depth, selection)

    def _prepare(self, entries: Sequence[MemoryEntry]) -> list[NDArray[np.float32]]:
        texts = [entry.content for entry in entries]
        return [*unit_length(embed_texts(self._function, texts, dimensions=self._dimensions))]

    def _admit(self, prepared: Sequence[NDArray[np.float32]]) -> None:
        found = len(prepared[0])
        if self._dimensions is None:
            self._dimensions = found
        elif found != self._dimensions:  # fixed by another thread since the call of the function
            raise DimensionMismatchError("embedding", self._dimensions, found)

    def _changed(
        self, before: VectorSnapshot, table: EntryTable, edit: Edit[NDArray[np.float32]]
    ) -> VectorSnapshot:
        rows = len(before.table)
        buffer = self._buffer
        if before.vectors is None:
            buffer = np.empty((0, self._dimensions or 1), np.float32)
        elif edit.replaced or edit.kept is not None:
            buffer = before.vectors.copy()
            for row, vector in edit.replaced.items():
                buffer[row] = vector
            buffer = buffer if edit.kept is None else buffer[edit.kept]
            rows = len(buffer)
        # No snapshot sees the buffer beyond its own rows, so that place is free for new ones.
        if len(buffer) < len(table):
            buffer = _grown(buffer, rows, len(table))
        if edit.appended:
            buffer[rows : len(table)] = edit.appended
        self._buffer = buffer
        vectors = buffer[: len(table)]
        vectors.flags.writeable = False
        return VectorSnapshot(table, self._function, vectors)


def _grown(buffer: NDArray[np.float32], used: int, needed: int) -> NDArray[np.float32]:
    grown = np.empty((max(needed, 2 * len(buffer)), buffer.shape[1]), np.float32)
    grown[:used] = buffer[:used]
    return grown
