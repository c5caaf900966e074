"""What was read of a source, so that the next time only what changed is read again.

A file is taken for unchanged where its size and times are as they were, and lie far enough before
the moment it was read that a later change would show. Otherwise its content is hashed; only another
content is read into documents. What is remembered is written after the corpus has committed; before,
what it may hold by then is noted. So a process that dies in between reads a little again, loses
nothing, and leaves nothing behind.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Final

from octavo.columns.encodable import encodable
from octavo.declarative.ingestion.chunk_context import (
    ChunkContextModel,
    chosen_model,
    with_context,
)
from octavo.declarative.ingestion.declared import DeclaredSource
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.ingestion.walk import FoundFile, absolute_path
from octavo.errors import CorpusCorruptError, ExecutionError, told
from octavo.spi.source_document import SourceDocument

CHUNK_RULES: Final = 1
"""Counts up when the same file would become other documents."""

_SETTLED_NS: Final = 2_000_000_000
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, settings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    source TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    changed INTEGER NOT NULL, seen INTEGER NOT NULL, digest BLOB NOT NULL, ids TEXT NOT NULL,
    PRIMARY KEY (source, path)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class _Known:
    size: int
    modified: int
    changed: int
    seen: int
    digest: bytes

    def is_settled(self, status: os.stat_result) -> bool:
        """Whether a file's size and times prove that it is unchanged."""
        times = (status.st_mtime_ns, status.st_ctime_ns)
        same = (self.size, self.modified, self.changed) == (status.st_size, *times)
        return same and max(times) + _SETTLED_NS < self.seen


@dataclass(slots=True)
class SourceChanges:
    """What changed in a source since it was last remembered.

    First :meth:`documents`, to the end; then :attr:`deletions`; then, once a corpus holds both,
    :meth:`commit`.

    Attributes
    ----------
    deletions
        Ids of documents that are no more, complete when all documents were yielded.
    read_files, unchanged_files, removed_files
        How many files there were of each kind.
    """

    _manifest: "SourceManifest"
    _knowledge: DeclaredSource
    _loader: FileLoader
    _context_models: Sequence[ChunkContextModel] = ()
    deletions: list[str] = field(default_factory=list)
    read_files: int = 0
    unchanged_files: int = 0
    removed_files: int = 0
    _rows: list[tuple[object, ...]] = field(default_factory=list)
    _removed: list[str] = field(default_factory=list)
    _complete: bool = False

    def documents(self) -> Iterator[SourceDocument]:
        """Yield the documents of new and changed files.

        Raises
        ------
        SourceLoadingError, ConfigurationError
            As ``FileLoader.load``.
        """
        model = chosen_model(self._knowledge, self._context_models)
        known, same_settings = self._manifest.known(self._knowledge, self._loader)
        name = self._knowledge.name
        unsure: list[tuple[str, str]] = []
        for file in self._loader.files(self._knowledge):
            before = known.pop(file.path, None)
            if before is not None and same_settings and before.is_settled(file.status):
                self.unchanged_files += 1
                continue
            seen = time.time_ns()
            digest = self._digest(file)
            if before is not None and same_settings and digest == before.digest:
                self.unchanged_files += 1
                self._rows.append(self._row(file, seen, digest, None))
                continue
            self.read_files += 1
            identifier = file_id(name, file.path)
            ids: list[str] = []
            read = self._loader.documents(self._knowledge, file)
            if model is not None:
                read = with_context(read, model, str(self._knowledge.chunk_context_model))
            for document in read:
                ids.append(document.id.removeprefix(identifier))
                yield document
            kept = set(ids)
            old = [] if before is None else self._manifest.ids(name, file.path)
            gone = [each for each in old if each not in kept]
            self.deletions += [identifier + each for each in gone]
            unsure.append((file.path, _joined(gone + ids)))
            self._rows.append(self._row(file, seen, digest, _joined(ids)))
        for path in known:
            self.removed_files += 1
            self._removed.append(path)
            old = self._manifest.ids(name, path)
            self.deletions += [file_id(name, path) + each for each in old]
            unsure.append((path, _joined(old)))
        self._manifest.doubt(name, unsure)
        self._complete = True

    def commit(self) -> None:
        """Remember what was read; call it once the corpus has committed.

        Raises
        ------
        ExecutionError
            Not all documents were taken.
        """
        if not self._complete:
            raise ExecutionError("manifest: expected all documents to be taken before commit")
        self._manifest.remember(self._knowledge, self._loader, self._rows, self._removed)

    def _digest(self, file: FoundFile) -> bytes:
        digest = blake2b(digest_size=16)
        with self._loader.resource(self._knowledge, file).opened() as content:
            while block := content.read(1 << 20):
                digest.update(block)
        return digest.digest()

    def _row(
        self, file: FoundFile, seen: int, digest: bytes, ids: str | None
    ) -> tuple[object, ...]:
        status = file.status
        times = (status.st_mtime_ns, status.st_ctime_ns)
        return (_stored(file.path), status.st_size, *times, seen, digest, ids)


class SourceManifest:
    """Remembers the files of sources, in one SQLite file.

    Parameters
    ----------
    path
        The file; made where it is missing. It belongs to one corpus: without it, or with another,
        the corpus must be built anew.

    Examples
    --------
    >>> import tempfile
    >>> from types import SimpleNamespace
    >>> knowledge = SimpleNamespace(
    ...     name="notes", type="FILE", format="AUTO", include=(), exclude=(), select=(),
    ...     unit="AUTO", chunk_context="NONE", chunk_context_model=None,
    ... )  # fmt: skip
    >>> with tempfile.TemporaryDirectory() as files, tempfile.TemporaryDirectory() as cache:
    ...     knowledge.path = files
    ...     _ = Path(files, "fox.md").write_text("Foxes are red.")
    ...     manifest = SourceManifest(Path(cache, "manifest"))
    ...     changes = manifest.changes(knowledge)
    ...     print([document.id for document in changes.documents()], changes.deletions)
    ...     changes.commit()
    ['notes/fox.md'] []
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def changes(
        self,
        knowledge: DeclaredSource,
        loader: FileLoader | None = None,
        context_models: Sequence[ChunkContextModel] = (),
    ) -> SourceChanges:
        """Return what changed in a FILE source since :meth:`SourceChanges.commit`.

        Parameters
        ----------
        knowledge
            The declaration.
        loader
            One with limits of its own.
        context_models
            Who serves ``chunk_context_model``; asked for new and changed files only.
        """
        return SourceChanges(self, knowledge, loader or FileLoader(), context_models)

    def known(
        self, knowledge: DeclaredSource, loader: FileLoader
    ) -> tuple[dict[str, _Known], bool]:
        """Return the remembered files, and whether they were read as they would be now."""
        with self._opened() as connection:
            query = "SELECT settings FROM sources WHERE name = ?"
            found = connection.execute(query, (knowledge.name,)).fetchone()
            query = "SELECT path, size, modified, changed, seen, digest FROM files WHERE source = ?"
            rows = connection.execute(query, (knowledge.name,)).fetchall()
        return {os.fsdecode(row[0]): _Known(*row[1:]) for row in rows}, (
            found is not None and found[0] == _settings(knowledge, loader)
        )

    def ids(self, source: str, path: str) -> list[str]:
        """Return the ids of a remembered file's documents, without what they begin with."""
        with self._opened() as connection:
            query = "SELECT ids FROM files WHERE source = ? AND path = ?"
            found = connection.execute(query, (source, _stored(path))).fetchone()
        return found[0].split("\n")[1:] if found else []

    def doubt(self, source: str, files: list[tuple[str, str]]) -> None:
        """Note ids that a corpus may hold from now on, of files to be read again until remembered."""
        rows = [(source, _stored(path), -1, 0, 0, 0, b"", ids) for path, ids in files]
        with self._opened() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?)", rows)

    def remember(
        self,
        knowledge: DeclaredSource,
        loader: FileLoader,
        rows: list[tuple[object, ...]],
        removed: list[str],
    ) -> None:
        """Write rows, and remove paths, in one transaction; ids of ``None`` stay."""
        name = knowledge.name
        read = [(name, *row) for row in rows if row[-1] is not None]
        touched = [(*row[1:-1], name, row[0]) for row in rows if row[-1] is None]
        with self._opened() as connection, connection:
            connection.execute(
                "INSERT OR REPLACE INTO sources VALUES (?, ?)", (name, _settings(knowledge, loader))
            )
            connection.executemany("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?)", read)
            connection.executemany(
                "UPDATE files SET size = ?, modified = ?, changed = ?, seen = ?, digest = ? "
                "WHERE source = ? AND path = ?",
                touched,
            )
            connection.executemany(
                "DELETE FROM files WHERE source = ? AND path = ?",
                [(name, _stored(path)) for path in removed],
            )

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path)) as connection:
                connection.executescript(_TABLES)
                yield connection
        except sqlite3.OperationalError as error:
            raise ExecutionError(f"{self._path}: {told(error)}") from error
        except sqlite3.DatabaseError as error:
            raise CorpusCorruptError(
                f"{self._path}: expected a manifest of sources, found something else; remove it and "
                f"build the corpus anew: {told(error)}"
            ) from error


def _joined(ids: list[str]) -> str:
    return "".join(f"\n{each}" for each in ids)


def _stored(path: str) -> str | bytes:
    """Return a path as SQLite holds it: names that are no UTF-8 as their bytes."""
    return path if encodable(path) else os.fsencode(path)


def _settings(knowledge: DeclaredSource, loader: FileLoader) -> str:
    def text(value: object) -> object:
        if isinstance(value, Mapping):
            return sorted((str(key), str(each)) for key, each in value.items())
        if isinstance(value, Enum):
            return value.name
        return value if isinstance(value, str | None) else [str(each) for each in value]  # type: ignore[attr-defined]

    members = ("format", "select", "unit", "chunk_context", "chunk_context_model")
    declared = {name: text(getattr(knowledge, name)) for name in members}
    declared |= {"root": absolute_path(knowledge.path), "limits": asdict(loader.limits)}
    return json.dumps({**declared, "rules": CHUNK_RULES}, sort_keys=True)
