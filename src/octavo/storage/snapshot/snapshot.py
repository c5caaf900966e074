"""What a reader holds: the segments of one committed state, composed into one space of rows.

A snapshot never changes. It answers what a strategy asks of a store: which rows match a filter, the
best rows by words or by vectors, and the documents behind rows.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.arrow_types import ChunkedArray
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.keyword.index import KeywordIndex
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, CorpusCorruptError
from octavo.storage.format import layout
from octavo.storage.format.graph_files import open_graph_columns
from octavo.storage.format.manifest import EmbeddingEntry, Manifest, read_manifest
from octavo.storage.snapshot.documents import StoredDocuments
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import Segment
from octavo.storage.snapshot.segments import open_segments
from octavo.storage.snapshot.stored_analyzer import stored_analyzer
from octavo.storage.snapshot.stored_graph import StoredGraph
from octavo.storage.snapshot.vector_stage import Vectors

if TYPE_CHECKING:
    from octavo.engines.vector.index import VectorIndex

Derived = TypeVar("Derived")

_BLOCK = 1 << 16
_ATTEMPTS = 100
"""How often opening is begun again because a writer has committed meanwhile."""


class Snapshot:
    """One committed state of an index, memory-mapped, safe to share between threads.

    All files are opened at once and held, so that the snapshot outlives a replacement of the index.

    Parameters
    ----------
    index
        The directory of the index.
    manifest
        The committed state; :func:`open_snapshot` reads the present one.
    embedding
        The function that embeds query texts; needed only where the index cannot name its own.
    earlier
        Another state of the index; segments that are still the same are not opened again.

    Raises
    ------
    CorpusFormatError
        The directory is no octavo index, or made by a newer format or another analyser.
    CorpusCorruptError
        A file is missing or damaged.
    """

    def __init__(
        self,
        index: Path,
        manifest: Manifest,
        embedding: EmbeddingFunction | None = None,
        earlier: "Snapshot | None" = None,
    ) -> None:
        self.path, self.manifest = index, manifest
        self.analyzer = stored_analyzer(index, self.manifest)
        held = None if earlier is None else (earlier.manifest, earlier.segments)
        self._segments = open_segments(index, manifest, held)
        self.keyword_index = KeywordIndex.open(
            [path for segment in self._segments for path in segment.keyword_directories()],
            self.rows,
            first_rows=_first_rows(self._segments),
            champions=[path for segment in self._segments for path in segment.champion_files()],
            block_max=[segment.block_max for segment in self._segments],
        )
        self._documents = StoredDocuments(self._segments)
        self.graph_columns = self._open_graph(earlier)
        self.function = embedding
        self._embedding = QueryEmbedding(self.manifest.embedding, self.analyzer, embedding)
        self._opening = threading.Lock()
        self._derived: dict[str, Any] = {}

    def _open_graph(self, earlier: "Snapshot | None") -> GraphColumns | None:
        if earlier is not None and earlier.manifest.graph == self.manifest.graph:
            return earlier.graph_columns
        return open_graph_columns(self.path, self.manifest.graph)

    @property
    def rows(self) -> int:
        """The number of rows, live or not; what a search finds is live."""
        return self.manifest.rows

    @property
    def count(self) -> int:
        """The number of documents: of live rows."""
        return self.manifest.documents

    @property
    def live(self) -> NDArray[np.bool_] | None:
        """Which rows are not deleted, read-only; ``None`` where all are live."""
        return self._documents.live

    def refreshed(self) -> "Snapshot":
        """Return the present state of the index: this very snapshot, if nothing was committed.

        Only what is new is opened: unchanged segments, and the vector structures that they have
        loaded, are shared by the two.
        """
        return _present(self.path, self.function, self)

    @cached_property
    def vector_index(self) -> "VectorIndex":
        """The vector engine over all segments, made at the first search (its kernels load then)."""
        from octavo.engines.vector.approximate import ApproximateVectorIndex  # noqa: PLC0415
        from octavo.engines.vector.flat import FlatVectorIndex  # noqa: PLC0415 - heavy
        from octavo.storage.snapshot.structures import load_structure  # noqa: PLC0415 - heavy

        self._vectors_entry()
        with self._opening:
            with_vectors = [
                (segment.vectors, segment.vector_present, segment.vector_codes, segment)
                for segment in self._segments
                if segment.vectors is not None
            ]
            vectors, present, codes, segments = zip(*with_vectors, strict=True)
            structures = [load_structure(segment) for segment in segments]
            if any(structures):
                return ApproximateVectorIndex(vectors, present, structures, codes)
            return FlatVectorIndex(vectors, present, codes)

    @cached_property
    def graph(self) -> StoredGraph | None:
        """The graph that the index was built with; ``None`` where it has none."""
        if self.graph_columns is None:
            return None
        with self._opening:
            return StoredGraph(self.graph_columns, _node_of_row(self._segments))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The open segments, in row order."""
        return tuple(self._segments)

    def derived(self, kind: str, make: Callable[[], Derived]) -> Derived:
        """Return what ``make`` made of this snapshot when it was first asked for by this name."""
        with self._opening:
            if kind not in self._derived:
                self._derived[kind] = make()
            found: Derived = self._derived[kind]
            return found

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the live rows that match every filter (S7)."""
        return self._documents.select(filters)

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        return self._documents.ids(rows)

    def identities(self, rows: NDArray[np.int64]) -> list[str]:
        """Return what an index knows the documents by: their ids."""
        return self._documents.ids(rows)

    def rows_of(
        self, identities: Sequence[str], hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        """Return the live row of each id, -1 where there is none; ``hashes`` are those of the ids."""
        return self._documents.rows_of(identities, hashes)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which live rows come from an allowed source; ``None`` where none is named."""
        return self._documents.fence(allowed_sources)

    def documents(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``."""
        return self._documents.read(rows)

    def texts(self, column: str, rows: NDArray[np.int64]) -> list[str | None]:
        """Return the values of a text column, such as ``title``, at ``rows``."""
        return self._documents.texts(column, rows)

    def metadata(self, key: str, rows: NDArray[np.int64]) -> list[str | None]:
        """Return the values of a metadata key at ``rows``; ``None`` where there is none."""
        return self._documents.metadata(key, rows)

    def text_column(self, name: str) -> ChunkedArray | None:
        """Return a whole text column, not copied; ``None`` where the index does not have it."""
        return self._documents.text_column(name)

    @property
    def has_timestamps(self) -> bool:
        """Whether there is a timestamp column."""
        return self._documents.has_timestamps

    def timestamps(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        return self._documents.timestamps(rows)

    def timestamp_outside(self, first: int, last: int) -> str | None:
        """Return the id of a live document whose timestamp is not from first to last, if any."""
        for start in range(0, self.rows, _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, self.rows))
            rows = rows if self.live is None else rows[self.live[rows]]
            ticks, present = self.timestamps(rows)
            wrong = rows[present & ((ticks < first) | (ticks > last))]
            if len(wrong):
                return self.ids(wrong[:1])[0]
        return None

    def vectors(self, rows: NDArray[np.int64]) -> Vectors:
        """Return the vectors of ``rows``, zeros where there is none, and where there is one."""
        return self._documents.vectors(rows, self._vectors_entry().dimensions)

    def only_parents(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of ``rows`` are parents and nothing else: found by no search of their own."""
        return self._documents.only_parents(rows)

    def rank_keyword(
        self, texts: Sequence[str], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query by BM25 (S21)."""
        tokens = self.analyzer.tokens_batch(texts)
        return self.keyword_index.search(tokens, depth, selection)

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return query vectors made as the documents' were.

        Raises
        ------
        ConfigurationError
            The index has no vectors, or they came from outside and so must the query's.
        """
        if self.manifest.awaits_vectors:
            return np.empty((len(texts), 0), np.float32)
        self._vectors_entry()
        return self._embedding.embed(texts)

    @property
    def query_embedding(self) -> QueryEmbedding:
        """What embeds the texts of this state, and texts that are added to it."""
        return self._embedding

    @property
    def embeds_queries(self) -> bool:
        """Whether query texts can be embedded; not where the vectors came from outside."""
        return self._embedding.available

    def rank_vector(
        self, vectors: NDArray[np.floating], depth: int, selection: Selection
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best rows of each query vector by cosine (S20)."""
        if self.manifest.awaits_vectors:
            return Hits.empty(len(vectors)), SearchReport()
        self._vectors_entry()
        return self.vector_index.search(vectors, depth, selection)

    @property
    def scans_all_vectors(self) -> bool:
        """Whether vector search compares all vectors, so that deeper hits begin as shallower ones."""
        from octavo.engines.vector.flat import FlatVectorIndex  # noqa: PLC0415 - heavy

        return self.manifest.embedding is None or isinstance(self.vector_index, FlatVectorIndex)

    def _vectors_entry(self) -> EmbeddingEntry:
        if self.manifest.embedding is None:
            raise ConfigurationError(
                f"{self.path}: the index has no vectors; build it with an embedding, "
                "or use the keyword strategy"
            )
        return self.manifest.embedding


def open_snapshot(index: Path, embedding: EmbeddingFunction | None = None) -> Snapshot:
    """Open the present state of an index.

    A writer that replaces the index meanwhile may remove files between the reading of the manifest
    and the opening of what it names; then the new state is opened instead.

    Raises
    ------
    CorpusFormatError
        The directory is no octavo index, or made by a newer format or another analyser.
    CorpusCorruptError
        A file is missing or damaged.
    """
    return _present(index, embedding, None)


def _present(
    index: Path, embedding: EmbeddingFunction | None, earlier: Snapshot | None
) -> Snapshot:
    manifest = read_manifest(index)
    for _ in range(_ATTEMPTS):
        if earlier is not None and earlier.manifest == manifest:
            return earlier
        try:
            return Snapshot(index, manifest, embedding, earlier)
        except CorpusCorruptError:
            before, manifest = manifest, read_manifest(index)
            if manifest == before:
                raise
    return Snapshot(index, manifest, embedding, earlier)


def _node_of_row(segments: Sequence[Segment]) -> NDArray[np.int32]:
    """Return the node of each row; one segment's stay in their file."""
    nodes = [segment.graph_nodes for segment in segments]
    known = [each for each in nodes if each is not None]
    if len(known) < len(nodes):
        place = next(place for place, each in enumerate(nodes) if each is None)
        lacking = segments[place].directory / layout.GRAPH_NODES
        raise CorpusCorruptError(f"{lacking}: the manifest needs this file and does not name it")
    return known[0] if len(known) == 1 else np.concatenate(known)


def _first_rows(segments: Sequence[Segment]) -> list[int]:
    """Return what is added to the row numbers of each directory of postings."""
    starts = np.cumsum([0, *(segment.rows for segment in segments)]).tolist()
    return [
        start
        for segment, start in zip(segments, starts, strict=False)
        for _ in segment.entry.keyword
    ]
