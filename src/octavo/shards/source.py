"""A sharded index as a store that strategies rank: every shard is asked, and the best are merged."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, GraphCapabilityError
from octavo.shards.merging import merge_hits
from octavo.shards.questions import (
    Documents,
    Frequencies,
    Ids,
    Question,
    RankKeyword,
    RankVector,
    RowsOf,
    ScansAllVectors,
    TimestampOutside,
    Timestamps,
    Totals,
)
from octavo.shards.shard import ShardPlace
from octavo.shards.shards import Shards
from octavo.storage.format.manifest import Manifest
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.stored_analyzer import stored_analyzer

Answer = TypeVar("Answer")
Value = TypeVar("Value")

_REMEMBERED_TERMS = 1 << 18


class ShardedSource:
    """What a strategy asks of a store, answered by shards.

    Rows are those of :class:`octavo.shards.shard.Shard`. Keyword scores are made of the document
    frequencies, count and mean length of all shards together, so they are those of a single index.

    Parameters
    ----------
    path
        The directory of the index.
    shards
        What answers.
    places
        Where each shard lies, and in which state.
    manifests
        What each shard is made of; one without documents is never asked.
    embedding
        The caller's own function for query texts.
    """

    def __init__(
        self,
        path: Path,
        shards: Shards,
        places: Sequence[ShardPlace],
        manifests: Sequence[Manifest],
        embedding: EmbeddingFunction | None = None,
    ) -> None:
        self.path, self.manifests, self.function = path, tuple(manifests), embedding
        self.places = tuple(places)
        self.manifest = _common(manifests)
        """What all shards have in common."""
        self.analyzer = stored_analyzer(path, self.manifest)
        self.count = sum(each.documents for each in manifests)
        self.rows = self.count * len(manifests)
        """One more than the highest row."""
        self._shards = shards
        self._number_of_shards = len(manifests)
        self.held = tuple(number for number, each in enumerate(manifests) if each.documents)
        """The shards that are asked."""
        self._embedding = QueryEmbedding(self.manifest.embedding, self.analyzer, embedding)
        self._totals: CollectionTotals | None = None
        self._frequencies: dict[str, int] = {}
        self._derived: dict[str, Any] = {}
        self._deriving = threading.Lock()

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the filters themselves: which rows match is for each shard to say."""
        return Selection(None, self.rows, filters)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return ``None``, for no fence.

        Raises
        ------
        ConfigurationError
            A source is named.
        """
        if allowed_sources:
            raise ConfigurationError(
                "allowed_sources: expected none over a sharded index; filter by a metadata column"
            )
        return None

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        return self._gather(rows, Ids)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents by: their ids."""
        return self.ids(rows)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``."""
        return self._gather(rows, Documents)

    def rows_of(self, identities: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each id, -1 where there is none."""
        found = self._ask_all(RowsOf(identities))
        rows: NDArray[np.int64] = np.full(len(identities), -1, np.int64)
        for each in found:
            rows = np.maximum(rows, each)
        return rows

    @property
    def has_timestamps(self) -> bool:
        """Whether there is a timestamp column."""
        return self.manifest.columns.timestamp is not None

    def timestamps(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        found = self._gather(rows, Timestamps)
        return (
            np.array([ticks for ticks, _ in found], np.int64),
            np.array([present for _, present in found], np.bool_),
        )

    def timestamp_outside(self, first: int, last: int) -> str | None:
        """Return the id of a document whose timestamp is out of range, if there is one."""
        found = self._ask_all(TimestampOutside(first, last))
        return next((identifier for identifier in found if identifier is not None), None)

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        queries = self.analyzer.tokens_batch(texts)
        statistics = self._statistics({token for query in queries for token in query})
        question = RankKeyword(queries, depth, selection.filters, statistics)
        return self._merged(self._ask_all(question), len(queries), depth)

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        if self.manifest.awaits_vectors:
            return Hits.empty(len(vectors)), SearchReport()
        self._check_vectors()
        found = self._ask_all(RankVector(vectors, depth, selection.filters))
        return self._merged(found, len(vectors), depth)

    @property
    def scans_all_vectors(self) -> bool:
        """Whether vector search compares all vectors, in every shard."""
        return all(self._ask_all(ScansAllVectors()))

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return query vectors made as the documents' were."""
        if self.manifest.awaits_vectors:
            return np.empty((len(texts), 0), np.float32)
        self._check_vectors()
        return self._embedding.embed(texts)

    @property
    def embeds_queries(self) -> bool:
        """Whether query texts can be embedded."""
        return self._embedding.available

    @property
    def graph(self) -> NoReturn:
        """Not over shards.

        Raises
        ------
        GraphCapabilityError
            Always.
        """
        raise GraphCapabilityError(
            f"{self.path}: a sharded index has no graph; build a single index with edges"
        )

    def derived(self, kind: str, make: Callable[[], Value]) -> Value:
        """Return what ``make`` made of this index when it was first asked for by this name."""
        with self._deriving:
            if kind not in self._derived:
                self._derived[kind] = make()
            found: Value = self._derived[kind]
            return found

    def _check_vectors(self) -> None:
        if self.manifest.embedding is None:
            raise ConfigurationError(
                f"{self.path}: the index has no vectors; build it with an embedding, "
                "or use the keyword strategy"
            )

    def _statistics(self, terms: set[str]) -> CollectionStatistics:
        """Return the statistics of all shards for some terms; what is known is not asked again."""
        totals = self._totals
        if totals is None:
            totals = self._totals = sum(self._ask_all(Totals()), CollectionTotals())
        known = self._frequencies
        frequencies = {term: known[term] for term in terms if term in known}
        lacking = sorted(terms - frequencies.keys())
        if lacking:
            counts = np.sum(self._ask_all(Frequencies(lacking)), axis=0, dtype=np.int64)
            added = dict(zip(lacking, np.broadcast_to(counts, len(lacking)).tolist(), strict=True))
            frequencies |= added
            # A new dictionary, since other threads may read the old one.
            kept = {} if len(known) > _REMEMBERED_TERMS else known
            self._frequencies = {**kept, **added}
        return CollectionStatistics(totals, frequencies)

    def _ask_all(self, question: Question[Answer]) -> list[Answer]:
        answers = self._shards.ask(dict.fromkeys(self.held, question))
        return [answers[number] for number in self.held]

    def _gather(
        self,
        rows: NDArray[np.int64],
        question: Callable[[NDArray[np.int64]], Question[list[Value]]],
    ) -> list[Value]:
        """Ask each shard about its own rows, and return the values in the order of all rows."""
        owners = rows % self._number_of_shards
        places = {number: np.flatnonzero(owners == number) for number in np.unique(owners).tolist()}
        answers = self._shards.ask({each: question(rows[at]) for each, at in places.items()})
        gathered: dict[int, Value] = {}
        for number, at in places.items():
            gathered.update(zip(at.tolist(), answers[number], strict=True))
        return [gathered[place] for place in range(len(rows))]

    def _merged(
        self, found: Sequence[tuple[Hits, SearchReport]], queries: int, depth: int
    ) -> tuple[Hits, SearchReport]:
        report = sum((each for _, each in found), SearchReport())
        if not found:
            return Hits.empty(queries), report
        return merge_hits([hits for hits, _ in found], depth), report


def _common(manifests: Sequence[Manifest]) -> Manifest:
    """Return the manifest of the first shard with vectors, else with documents, else of any."""
    return max(manifests, key=lambda each: (each.embedding is not None, each.documents > 0))
