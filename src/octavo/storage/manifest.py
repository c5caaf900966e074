"""The manifest: the one file that says which files make up an index.

A commit writes new files, flushes them, and replaces the manifest atomically. What the manifest
does not name does not exist.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from octavo.engines.choice import DEFAULT_RECALL, VectorIndexKind, requested_vector_index
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.durable import checksum, replace_file
from octavo.storage.layout import FORMAT_VERSION, MANIFEST


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
class EmbeddingEntry:
    """Which embedding made the vectors; ``fingerprint`` changes when the vectors would."""

    specification: str
    dimensions: int
    fingerprint: str


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

    @property
    def rows(self) -> int:
        """The number of rows of all segments, live or not."""
        return sum(segment.rows for segment in self.segments)

    @property
    def documents(self) -> int:
        """The number of live rows."""
        return sum(segment.live_rows for segment in self.segments)


def write_manifest(index: Path, manifest: Manifest) -> None:
    """Commit: make ``manifest`` the one that readers see, atomically and durably."""
    body = {"format_version": FORMAT_VERSION, **asdict(manifest)}
    replace_file(index / MANIFEST, _encode({**body, "checksum": _checksum(body)}))


def read_manifest(index: Path) -> Manifest:
    """Read the committed manifest.

    Raises
    ------
    CorpusFormatError
        The directory is missing, is no octavo index, or was written by a newer format.
    CorpusCorruptError
        The manifest is damaged.
    """
    if not index.is_dir():
        found = "a file" if index.exists() else "no such directory"
        raise CorpusFormatError(f"{index}: expected an octavo index, found {found}")
    path = index / MANIFEST
    if not path.is_file():
        raise CorpusFormatError(
            f"{index}: expected an octavo index, found a directory without {MANIFEST}"
        )
    return _decode(path)


def _encode(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode()


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.blake2b(_encode(body), digest_size=16).hexdigest()


def _decode(path: Path) -> Manifest:
    try:
        body = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise CorpusCorruptError(f"{path}: expected JSON, found damage: {error}") from error
    if not isinstance(body, dict):
        raise CorpusCorruptError(f"{path}: expected a manifest, found other JSON")
    found = body.get("format_version")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise CorpusCorruptError(
            f"{path}: expected a format_version of at least 1, found {found!r}"
        )
    if found > FORMAT_VERSION:
        raise CorpusFormatError(
            f"{path}: written by format version {found}, this octavo reads up to {FORMAT_VERSION}; "
            "install a newer octavo"
        )
    recorded = body.pop("checksum", None)
    if recorded != _checksum(body):
        raise CorpusCorruptError(f"{path}: its checksum does not fit its content")
    try:
        return _manifest(body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorpusCorruptError(f"{path}: a field is missing or malformed: {error}") from error


def _manifest(body: Mapping[str, Any]) -> Manifest:
    segments = tuple(_segment(entry) for entry in body["segments"])
    if not segments:
        raise ValueError("expected at least one segment")
    return Manifest(
        generation=_count(body["generation"]),
        created_by=_text(body["created_by"]),
        analyzer=dict(body["analyzer"]),
        analyzer_fingerprint=_text(body["analyzer_fingerprint"]),
        embedding=None if body["embedding"] is None else _embedding(body["embedding"]),
        columns=_columns(body["columns"]),
        segments=segments,
        settings=_settings(body["settings"]),
    )


def _settings(entry: Mapping[str, Any]) -> UpdateSettings:
    block_max, request = (
        entry["block_max"],
        requested_vector_index(entry["recall"], entry["vector_index"]),
    )
    if not isinstance(block_max, bool):
        raise TypeError(f"expected true or false, found {block_max!r}")
    embedding = _text(entry["embedding"])
    return UpdateSettings(block_max, request.recall, request.kind.value, embedding)


def _embedding(entry: Mapping[str, Any]) -> EmbeddingEntry:
    return EmbeddingEntry(
        specification=_text(entry["specification"]),
        dimensions=_count(entry["dimensions"]),
        fingerprint=_text(entry["fingerprint"]),
    )


def _columns(entry: Mapping[str, Any]) -> ColumnsEntry:
    optional = {
        name: None if entry[name] is None else _text(entry[name])
        for name in ("title", "source", "timestamp", "parent", "timestamp_zone")
    }
    metadata = tuple(_text(key) for key in entry["metadata"])
    return ColumnsEntry(
        id=_text(entry["id"]), text=_text(entry["text"]), metadata=metadata, **optional
    )


def _segment(entry: Mapping[str, Any]) -> SegmentEntry:
    rows = _count(entry["rows"])
    return SegmentEntry(
        name=_safe(entry["name"]),
        rows=rows,
        null_vectors=_count(entry["null_vectors"]),
        empty_texts=_count(entry["empty_texts"]),
        keyword=tuple(_safe(name) for name in entry["keyword"]),
        files={
            _safe(name): FileEntry(_count(file["size"]), _text(file["crc32"]))
            for name, file in entry["files"].items()
        },
        vector_search=_vector_search(entry.get("vector_search")),
        live=_live(entry["live"], rows),
    )


def _live(entry: Mapping[str, Any] | None, rows: int) -> LiveEntry | None:
    if entry is None:
        return None
    live = LiveEntry(_safe(entry["file"]), _count(entry["rows"]))
    if live.rows > rows:
        raise ValueError(f"expected at most {rows} live rows, found {live.rows}")
    return live


def _vector_search(entry: Mapping[str, Any] | None) -> VectorSearchEntry | None:
    if entry is None:
        return None
    kind = _text(entry["kind"])
    efforts = tuple(_count(effort) for effort in entry["efforts"])
    nominees = _count(entry["nominees"])
    if kind not in {"flat", "lists", "graph"}:
        raise ValueError(f"expected flat, lists or graph, found {kind!r}")
    if kind != "flat" and (nominees < 1 or not efforts or min(efforts) < 1):
        raise ValueError("expected efforts and nominees of at least 1")
    return VectorSearchEntry(
        kind=kind,
        target=float(entry["target"]),
        efforts=efforts,
        nominees=nominees,
        recall=float(entry["recall"]),
        recalls={_text(name): float(value) for name, value in entry["recalls"].items()},
        queries=_count(entry["queries"]),
        single_seconds=float(entry["single_seconds"]),
        batch_seconds=float(entry["batch_seconds"]),
        compared=_count(entry["compared"]),
    )


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"expected a number of at least 0, found {value!r}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, found {value!r}")
    value.encode()  # a lone surrogate is no text
    return value


def _safe(value: object) -> str:
    """Refuse a name that could lead out of the index directory."""
    name = _text(value)
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is no path inside the index")
    return name
