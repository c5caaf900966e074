"""The manifest: the one file that says which files make up an index.

A commit writes new files, flushes them, and replaces the manifest atomically. What the manifest
does not name does not exist.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

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
class SegmentEntry:
    """One immutable segment: its directory name, number of rows, and files by relative path."""

    name: str
    rows: int
    null_vectors: int
    empty_texts: int
    keyword: tuple[str, ...]
    files: Mapping[str, FileEntry]


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

    @property
    def rows(self) -> int:
        """The number of rows of all segments."""
        return sum(segment.rows for segment in self.segments)


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
    if not isinstance(body, dict) or not isinstance(body.get("format_version"), int):
        raise CorpusCorruptError(f"{path}: expected a manifest with a format_version")
    found = body["format_version"]
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
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusCorruptError(f"{path}: a field is missing or malformed: {error}") from error


def _manifest(body: Mapping[str, Any]) -> Manifest:
    embedding = body["embedding"]
    columns = dict(body["columns"])
    return Manifest(
        generation=int(body["generation"]),
        created_by=str(body["created_by"]),
        analyzer=dict(body["analyzer"]),
        analyzer_fingerprint=str(body["analyzer_fingerprint"]),
        embedding=None if embedding is None else EmbeddingEntry(**embedding),
        columns=ColumnsEntry(**{**columns, "metadata": tuple(columns["metadata"])}),
        segments=tuple(_segment(entry) for entry in body["segments"]),
    )


def _segment(entry: Mapping[str, Any]) -> SegmentEntry:
    files = {_safe(name): FileEntry(**file) for name, file in entry["files"].items()}
    keyword = tuple(_safe(name) for name in entry["keyword"])
    return SegmentEntry(
        **{**entry, "name": _safe(entry["name"]), "keyword": keyword, "files": files}
    )


def _safe(name: str) -> str:
    """Refuse a name that could lead out of the index directory."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is no path inside the index")
    return name
