"""What a manifest says: of the index, of each segment, and of each file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from octavo.embeddings.vector_model import UNNAMED, VectorModel
from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind
from octavo.storage.format.durable import checksum

_NAMELESS = (UNNAMED, "provider")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Size in bytes and CRC-32 (hexadecimal) of a file."""

    size: int
    crc32: str

    @staticmethod
    def of(path: Path) -> "FileEntry":
        """Read the entry off a file."""
        return FileEntry(path.stat().st_size, checksum(path))


@dataclass(frozen=True, slots=True)
class VectorSearchEntry:
    """How the vectors of a segment are searched, and what that was measured to find.

    Parameters
    ----------
    kind
        ``flat`` (every vector is compared), ``lists`` or ``graph``.
    target
        The recall at 10 that was asked for; 1.0 for exact search.
    efforts, nominees
        The width of a search, see :class:`octavo.engines.vector.width.SearchWidth`; nothing and 0
        for ``flat``.
    recall, recalls
        Recall at 10 measured on queries that chose nothing: the lowest, and by kind of queries.
    queries
        How many such queries there were; 0 where nothing had to be measured.
    single_seconds, batch_seconds
        Time a query, asked alone and in a batch, by one thread, on the machine that measured.
    compared
        Vectors compared a query.
    """

    kind: str
    target: float
    efforts: tuple[int, ...] = ()
    nominees: int = 0
    recall: float = 1.0
    recalls: Mapping[str, float] = field(default_factory=dict)
    queries: int = 0
    single_seconds: float = 0.0
    batch_seconds: float = 0.0
    compared: int = 0


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """Which rows of a segment are not deleted.

    Parameters
    ----------
    file
        The file of the bits, relative to the segment; a deletion writes another one.
    rows
        How many rows are live.
    """

    file: str
    rows: int


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One segment, whose rows never change: its directory name and files by relative path.

    Parameters
    ----------
    name
        Of the directory.
    rows
        The number of rows, live or not.
    null_vectors, empty_texts
        How many live rows have no vector, and how many no words.
    keyword
        The directories of the postings, in row order.
    files
        Size and checksum of each file.
    vector_search
        ``None`` where the segment has no vectors, or they are simply scanned.
    live
        ``None`` where every row is live.
    """

    name: str
    rows: int
    null_vectors: int
    empty_texts: int
    keyword: tuple[str, ...]
    files: Mapping[str, FileEntry]
    vector_search: VectorSearchEntry | None = None
    live: LiveEntry | None = None

    @property
    def live_rows(self) -> int:
        """The number of rows that are not deleted."""
        return self.rows if self.live is None else self.live.rows

    def same_rows(self, other: "SegmentEntry") -> bool:
        """Whether both say the same of the same files, but for which rows are live."""
        return _but_for_live(self) == _but_for_live(other)


def _but_for_live(entry: SegmentEntry) -> SegmentEntry:
    live = None if entry.live is None else entry.live.file
    files = {name: each for name, each in entry.files.items() if name != live}
    return replace(entry, files=files, live=None, null_vectors=0, empty_texts=0)


@dataclass(frozen=True, slots=True)
class GraphEntry:
    """The graph of the index: its directory name, what is in it, and its files."""

    name: str
    nodes: int
    edges: int
    files: Mapping[str, FileEntry]


@dataclass(frozen=True, slots=True)
class EmbeddingEntry:
    """Which embedding made the vectors.

    Parameters
    ----------
    specification
        As it was asked for: ``hash:128``, ``column:COL``, ``MODULE:ATTR``, ``LIBRARY:MODEL``,
        ``provider``, or ``function`` for an object.
    dimensions
        Values of each vector.
    fingerprint
        Changes when the vectors would.
    model
        The model behind it, as the column or the function says; ``None`` where neither does.
    """

    specification: str
    dimensions: int
    fingerprint: str
    model: VectorModel | None = None

    @property
    def made_by(self) -> VectorModel | None:
        """The model, as far as anything names one."""
        nameless = self.specification.startswith("column:") or self.specification in _NAMELESS
        if self.model is not None or nameless:
            return self.model
        try:
            return VectorModel(self.specification)
        except ValueError:  # a name that nothing can have
            return None

    @property
    def is_hash(self) -> bool:
        """Whether the vectors are those of the built-in hash embedding."""
        named = self.specification if self.model is None else self.model.specification
        return named.partition(":")[0] == "hash"


@dataclass(frozen=True, slots=True)
class ColumnsEntry:
    """Which optional columns the documents have, and the input names they came from."""

    id: str
    text: str
    title: str | None
    source: str | None
    timestamp: str | None
    parent: str | None
    metadata: tuple[str, ...]
    timestamp_zone: str | None = None
    """The zone of timestamps that carry none."""


@dataclass(frozen=True, slots=True)
class UpdateSettings:
    """What the index was built with and later segments are built with too.

    Parameters
    ----------
    block_max
        Whether block-max postings are written.
    recall
        The recall at 10 that vector search is tuned to.
    vector_index
        How vectors are searched, a name of :class:`octavo.engines.choice.VectorIndexKind`.
    embedding
        What makes the vectors, also while there is none yet whose dimensions are known.
    """

    block_max: bool = True
    recall: float = DEFAULT_RECALL
    vector_index: str = VectorIndexKind.AUTOMATIC.value
    embedding: str = "none"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a reader must know before it opens a file of the index."""

    generation: int
    created_by: str
    analyzer: Mapping[str, Any]
    analyzer_fingerprint: str
    embedding: EmbeddingEntry | None
    columns: ColumnsEntry
    segments: tuple[SegmentEntry, ...]
    settings: UpdateSettings = field(default_factory=UpdateSettings)
    graph: GraphEntry | None = None

    @property
    def rows(self) -> int:
        """The number of rows of all segments, live or not."""
        return sum(segment.rows for segment in self.segments)

    @property
    def documents(self) -> int:
        """The number of live rows."""
        return sum(segment.live_rows for segment in self.segments)

    @property
    def awaits_vectors(self) -> bool:
        """Whether there are no documents yet to tell how many dimensions their vectors will have."""
        return self.embedding is None and self.settings.embedding != "none"
