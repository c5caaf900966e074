"""What changed in a source since it was last remembered, and what must be remembered now."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from octavo.columns.encodable import encodable
from octavo.declarative.ingestion.chunk_context import (
    ChunkContextModel,
    chosen_model,
    with_context,
)
from octavo.declarative.ingestion.declared import DeclaredSource
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.ingestion.walk import FoundFile
from octavo.errors import ExecutionError
from octavo.spi.source_document import SourceDocument

if TYPE_CHECKING:
    from octavo.declarative.ingestion.manifest import SourceManifest

_SETTLED_NS: Final = 2_000_000_000


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What is remembered of a file: size and times, when it was read, and what of."""

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


@dataclass(slots=True, weakref_slot=True)
class SourceChanges:
    """What changed in a source since it was last remembered.

    First :meth:`documents`, to the end; then :attr:`deletions`; then, once a corpus holds both,
    :meth:`commit`. From the first document on nobody else can follow a source with the same
    manifest, until this is committed, closed or forgotten.

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
    _release: Callable[[], object] | None = None

    def documents(self) -> Iterator[SourceDocument]:
        """Yield the documents of new and changed files.

        Raises
        ------
        SourceLoadingError, ConfigurationError
            As ``FileLoader.load``.
        CorpusLockedError
            Another process, or another manifest of this file, is between its documents and its commit.
        """
        if self._release is None:
            self._release = self._manifest.lock.held_for(self)
        try:
            yield from self._documents()
        except BaseException:  # what was not read to its end cannot be committed
            self.close()
            raise

    def _documents(self) -> Iterator[SourceDocument]:
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
        self.close()

    def close(self) -> None:
        """Let others follow the source; what was read and not committed is read again."""
        if self._release is not None:
            self._release()
            self._release = None
            self._complete = False

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
        return (stored_path(file.path), status.st_size, *times, seen, digest, ids)


def _joined(ids: list[str]) -> str:
    return "".join(f"\n{each}" for each in ids)


def stored_path(path: str) -> str | bytes:
    """Return a path as SQLite holds it: names that are no UTF-8 as their bytes."""
    return path if encodable(path) else os.fsencode(path)
