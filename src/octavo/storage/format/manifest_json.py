"""A manifest as JSON with a checksum of its own: written, and read with suspicion."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from octavo.embeddings.vector_model import VectorModel
from octavo.engines.choice import requested_vector_index
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.format.entries import (
    ColumnsEntry,
    EmbeddingEntry,
    FileEntry,
    GraphEntry,
    LiveEntry,
    Manifest,
    SegmentEntry,
    UpdateSettings,
    VectorSearchEntry,
)
from octavo.storage.format.layout import FORMAT_VERSION, is_numbered_name

_CHECKSUM = re.compile(rb'\n "checksum": "[0-9a-f]{32}",')
"""The line of the checksum, between those of ``analyzer_fingerprint`` and ``columns``."""


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the content of a manifest's file."""
    body = _encode({"format_version": FORMAT_VERSION, **_fields(manifest)})
    before, columns, after = body.partition(b'\n "columns": ')
    return b'%b\n "checksum": "%b",%b%b' % (before, _digest(body).encode(), columns, after)


def decode_manifest(content: bytes, path: Path) -> Manifest:
    """Return the manifest that ``content``, read from ``path``, holds.

    Raises
    ------
    CorpusFormatError
        It was written by a newer format.
    CorpusCorruptError
        It is damaged.
    """
    try:
        body = json.loads(content)
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
    try:
        # As it was written, nearly always; else as it would have been.
        if recorded != _digest(_CHECKSUM.sub(b"", content, count=1)) and recorded != body_checksum(
            body
        ):
            raise CorpusCorruptError(f"{path}: its checksum does not fit its content")
        return _manifest(body)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CorpusCorruptError(f"{path}: a field is missing or malformed: {error}") from error


def body_checksum(body: Mapping[str, Any]) -> str:
    """Return the checksum of everything in a manifest but the checksum."""
    return _digest(_encode(body))


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _encode(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, indent=1, sort_keys=True, ensure_ascii=True, default=_fields)
    return (text + "\n").encode()


def _fields(entry: Any) -> dict[str, Any]:  # noqa: ANN401 - of any data class
    return {field.name: getattr(entry, field.name) for field in fields(entry)}


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
        graph=_graph(body.get("graph")),
    )


def _graph(entry: Mapping[str, Any] | None) -> GraphEntry | None:
    if entry is None:
        return None
    return GraphEntry(
        name=_numbered(entry["name"]),
        nodes=_count(entry["nodes"]),
        edges=_count(entry["edges"]),
        files=_files(entry["files"]),
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
        model=_model(entry.get("model")),
    )


def _model(entry: Mapping[str, Any] | None) -> VectorModel | None:
    return None if entry is None else VectorModel(entry["specification"], entry["options"])


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
        name=_numbered(entry["name"]),
        rows=rows,
        null_vectors=_count(entry["null_vectors"]),
        empty_texts=_count(entry["empty_texts"]),
        keyword=tuple(_safe(name) for name in entry["keyword"]),
        files=_files(entry["files"]),
        vector_search=_vector_search(entry.get("vector_search")),
        live=_live(entry["live"], rows),
    )


def _files(entry: Mapping[str, Any]) -> dict[str, FileEntry]:
    return {
        _safe(name): FileEntry(_count(file["size"]), _text(file["crc32"]))
        for name, file in entry.items()
    }


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


def _numbered(value: object) -> str:
    name = _text(value)
    if not is_numbered_name(name):
        raise ValueError(f"{name!r} is no name of a segment, nor of a graph")
    return name


def _safe(value: object) -> str:
    """Refuse a name that could lead out of the index directory."""
    name = _text(value)
    if not name or name[0] == "/" or ".." in name.split("/") or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is no path inside the index")
    return name
