"""A corpus and a chat's memory as one store: one ranking, one fusion, one set of limits (S72)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.ranking import rank_hits
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.corpus.corpus import Corpus
from octavo.declarative.runtime.attribution import KNOWLEDGE
from octavo.declarative.runtime.memory_corpus import MemorySnapshot
from octavo.declarative.runtime.shared_statistics import rank_together
from octavo.engines.report import SearchReport
from octavo.spi import RAGContext
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.joined import JoinedDocuments, admitted
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.queries import Queries
from octavo.strategies.vector import VectorRAGStrategy

_APART = "\0"  # an entry is no document of the corpus, whatever its id


class MemoryDocuments:
    """The entries of a memory as documents of their source."""

    def __init__(self, memory: MemorySnapshot) -> None:
        self.memory = memory
        self._entries = memory.entries

    @property
    def rows(self) -> int:
        """The number of entries."""
        return self._entries.rows

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the entries that match every filter: by ``tier``, ``entryId`` and their source."""
        own = dict(filters)
        if own.pop(KNOWLEDGE, self.memory.source) != self.memory.source:
            return Selection.of(np.zeros(self.rows, np.bool_), filters)
        return self._entries.select(own)

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of entries."""
        return self._entries.ids(rows)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what no document of a corpus is known by."""
        return [_APART + each for each in self._entries.ids(rows)]

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each identity, -1 where there is none."""
        own = [each[1:] if each.startswith(_APART) else "" for each in identities]
        return self._entries.rows_of(own)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which entries come from an allowed source."""
        return self._entries.fence(allowed_sources)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return entries as documents that name their source."""
        found = self._entries.documents(rows)
        return [
            each._replace(metadata={**each.metadata, KNOWLEDGE: self.memory.source})
            for each in found
        ]


class StoreWithMemory(JoinedDocuments):
    """The rows of a corpus, then those of a memory; ranked by words and vectors as one store.

    Parameters
    ----------
    corpus
        The corpus.
    memory
        The entries.
    """

    def __init__(self, corpus: Snapshot, memory: MemorySnapshot) -> None:
        self._memory = MemoryDocuments(memory)
        super().__init__(corpus, self._memory)
        self.corpus = corpus
        self._snapshot = memory

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.corpus.rows + self._memory.rows

    @property
    def has_vectors(self) -> bool:
        """Whether there are vectors; a corpus without documents may have none beside a memory."""
        return self._corpus_has_vectors or self._snapshot.vectors is not None

    @property
    def _corpus_has_vectors(self) -> bool:
        return self.corpus.manifest.embedding is not None

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the rows that match every filter."""
        both = [admitted(each.select(filters), each.rows) for each in (self.corpus, self._memory)]
        return Selection.of(np.concatenate(both), filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which rows come from an allowed source."""
        fences = [each.fence(allowed_sources) for each in (self.corpus, self._memory)]
        known = [each for each in fences if each is not None]
        return np.concatenate(known) if known else None

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each identity, -1 where there is none."""
        own, other = self.corpus.rows_of(identities), self._memory.rows_of(identities)
        return np.where((own < 0) & (other >= 0), self.corpus.rows + other, own)

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25."""
        own, other = self._divided(selection)
        queries = self.corpus.analyzer.tokens_batch(texts)
        store = self._snapshot.keyword
        if store is None:
            return self.corpus.keyword_index.search(queries, depth, own)
        rows = self._snapshot.entries.rows_of(store.ids(np.arange(store.rows, dtype=np.int64)))
        selections = (own, _in_order_of(rows, other))
        places = (self.corpus.keyword_index, store.index)
        first, second = rank_together(places, queries, depth, selections)
        return self._merged(first, second, rows, depth)

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return query vectors made as the documents' were."""
        return self.corpus.embed(texts)

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine."""
        own, other = self._divided(selection)
        first = (Hits.empty(len(vectors)), SearchReport())
        if self._corpus_has_vectors:
            first = self.corpus.rank_vector(vectors, depth, own)
        store = self._snapshot.vectors
        if store is None:
            return first
        rows = self._snapshot.entries.rows_of(store.ids(np.arange(store.rows, dtype=np.int64)))
        second = store.rank_vector(vectors, depth, _in_order_of(rows, other))
        return self._merged(first, second, rows, depth)

    def vectors(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.floating], None]:
        """Return the vectors of rows, zeros where there is none; which are there is not said."""
        ours = rows < self.corpus.rows
        places: list[tuple[NDArray[np.bool_], NDArray[np.floating]]] = []
        if self._corpus_has_vectors:
            places.append((ours, self.corpus.vectors(rows[ours])[0]))
        store = self._snapshot.vectors
        if store is not None and store.vectors is not None:
            ids = self._memory.ids(rows[~ours] - self.corpus.rows)
            places.append((~ours, store.vectors[store.rows_of(ids)]))
        found = np.zeros((len(rows), places[0][1].shape[1] if places else 1), np.float32)
        for which, values in places:
            found[which] = values
        return found, None

    def _divided(self, selection: Selection) -> tuple[Selection, Selection]:
        whole = admitted(selection, self.rows)
        first, second = whole[: self.corpus.rows], whole[self.corpus.rows :]
        if bool(first.all()):
            return Selection.everything(len(first)), Selection.of(second)
        return Selection.of(first, selection.filters), Selection.of(second)

    def _merged(
        self,
        first: tuple[Hits, SearchReport],
        second: tuple[Hits, SearchReport],
        rows: NDArray[np.int64],
        depth: int,
    ) -> tuple[Hits, SearchReport]:
        (own, report), (other, further) = first, second
        moved = Hits(other.offsets, rows[other.rows], other.scores)
        return merged_hits(own, moved, self.corpus.rows, depth), report + further


def _in_order_of(rows: NDArray[np.int64], selection: Selection) -> Selection:
    """Return a selection of entries for a store that has them in another order."""
    return Selection.of(admitted(selection, len(rows))[rows])


class CorpusWithMemory:
    """What the runtime asks of a corpus, of one that has a memory beside it.

    Parameters
    ----------
    corpus
        The corpus.
    memory
        The entries.
    """

    def __init__(self, corpus: Corpus, memory: MemorySnapshot) -> None:
        self._corpus = corpus
        self.documents = corpus.keyword_index
        self.keyword_index = self.vector_store = StoreWithMemory(corpus.keyword_index, memory)

    def strategy(self, name: str, **options: Any) -> ColumnarStrategy:  # noqa: ANN401
        """Return a strategy over both."""
        if name == KeywordRAGStrategy.name:
            return KeywordRAGStrategy(self.keyword_index)
        if name == VectorRAGStrategy.name:
            return VectorRAGStrategy(self.vector_store)
        return self._corpus.strategy(name, **options)


class StrategyBesideMemory(ColumnarStrategy):
    """What an application's engine finds, and what a memory has, in one order of scores (S73).

    Parameters
    ----------
    engine
        Asks the engine.
    memory
        Ranks a memory beside an empty corpus.
    """

    def __init__(self, engine: ColumnarStrategy, memory: ColumnarStrategy) -> None:
        self._engine = engine
        self._memory = memory
        self.name = engine.name

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank with both."""
        own, found = (each.rank(queries, context) for each in (self._memory, self._engine))
        store = cast("StoreWithMemory", own.documents)
        hits = merged_hits(own.hits, found.hits, store.rows, context.max_results)
        return Ranking(hits, JoinedDocuments(store, found.documents), own.report + found.report)


def merged_hits(first: Hits, second: Hits, start: int, depth: int) -> Hits:
    """Return the ``depth`` best hits of each query of two places.

    Parameters
    ----------
    first, second
        Hits of the same queries.
    start
        The row at which those of the second place begin.
    depth
        The most hits of a query.

    Examples
    --------
    >>> one = Hits(np.array([0, 2]), np.array([0, 1]), np.array([0.9, 0.3]))
    >>> other = Hits(np.array([0, 1]), np.array([0]), np.array([0.5]))
    >>> merged_hits(one, other, 10, 2).rows.tolist()
    [0, 10]
    """
    query_of = np.concatenate((first.query_of(), second.query_of()))
    order = np.argsort(query_of, kind="stable")
    rows = np.concatenate((first.rows, second.rows + start))[order]
    scores = np.concatenate((first.scores, second.scores))[order]
    return rank_hits(Hits(first.offsets + second.offsets, rows, scores), depth)
