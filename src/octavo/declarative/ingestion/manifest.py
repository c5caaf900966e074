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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Final

from octavo.declarative.ingestion.chunk_context import (
    ChunkContextModel,
)
from octavo.declarative.ingestion.declared import DeclaredSource
from octavo.declarative.ingestion.failures import UnusableManifestError
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.manifest_lock import ManifestLock
from octavo.declarative.ingestion.source_changes import KnownFile, SourceChanges, stored_path
from octavo.declarative.ingestion.walk import absolute_path
from octavo.errors import CorpusCorruptError, told

CHUNK_RULES: Final = 1
"""Counts up when the same file would become other documents."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, settings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    source TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    changed INTEGER NOT NULL, seen INTEGER NOT NULL, digest BLOB NOT NULL, ids TEXT NOT NULL,
    PRIMARY KEY (source, path)) WITHOUT ROWID;
"""


class SourceManifest:
    """Remembers the files of sources, in one SQLite file.

    Parameters
    ----------
    path
        The file; made where it is missing. It belongs to one corpus: without it, or with another,
        the corpus must be built anew. A lock lies beside it, as ``path.lock``. One process at a time
        follows its sources, with one thread.

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
        self.lock = ManifestLock(self._path)

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
    ) -> tuple[dict[str, KnownFile], bool]:
        """Return the remembered files, and whether they were read as they would be now."""
        with self._opened() as connection:
            query = "SELECT settings FROM sources WHERE name = ?"
            found = connection.execute(query, (knowledge.name,)).fetchone()
            query = "SELECT path, size, modified, changed, seen, digest FROM files WHERE source = ?"
            rows = connection.execute(query, (knowledge.name,)).fetchall()
        return {os.fsdecode(row[0]): KnownFile(*row[1:]) for row in rows}, (
            found is not None and found[0] == _settings(knowledge, loader)
        )

    def ids(self, source: str, path: str) -> list[str]:
        """Return the ids of a remembered file's documents, without what they begin with."""
        with self._opened() as connection:
            query = "SELECT ids FROM files WHERE source = ? AND path = ?"
            found = connection.execute(query, (source, stored_path(path))).fetchone()
        return found[0].split("\n")[1:] if found else []

    def doubt(self, source: str, files: list[tuple[str, str]]) -> None:
        """Note ids that a corpus may hold from now on, of files to be read again until remembered."""
        rows = [(source, stored_path(path), -1, 0, 0, 0, b"", ids) for path, ids in files]
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
                [(name, stored_path(path)) for path in removed],
            )

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path)) as connection:
                connection.executescript(_TABLES)
                yield connection
        except sqlite3.OperationalError as error:
            raise UnusableManifestError(f"{self._path}: {told(error)}") from error
        except sqlite3.DatabaseError as error:
            raise CorpusCorruptError(
                f"{self._path}: expected a manifest of sources, found something else; remove it and "
                f"build the corpus anew: {told(error)}"
            ) from error


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
