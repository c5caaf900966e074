"""A large source's corpus in a cache directory, in which only what changed is read again."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from filelock import FileLock, Timeout

from octavo.cache_place import cache_directory
from octavo.corpus.corpus import Corpus
from octavo.declarative.declarations.enums import ChunkContext, KnowledgeFormat
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.ingestion import FileLoader, SourceChanges, SourceManifest, loader_for
from octavo.declarative.ingestion.failures import UnusableManifestError
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.events import LOGGER
from octavo.declarative.runtime.ingested import Embedding, build_corpus, spool_documents
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.errors import CorpusCorruptError, CorpusFormatError, told
from octavo.spi import CancellationToken, SourceDocument, SourceLoader

LARGE_FILES: Final = 2_000
LARGE_BYTES: Final = 64 << 20
"""From so many files, or bytes, a source is kept on disk between processes."""
MOST_SEGMENTS: Final = 16
"""Beyond so many rounds of changes, the corpus is made one piece again."""

_WAIT: Final = 0.1


def file_loaders(
    sources: Sequence[Knowledge], loaders: Sequence[SourceLoader]
) -> list[FileLoader] | None:
    """Return the loaders of sources whose changes can be told; ``None`` where those of one cannot."""
    found = []
    for source in sources:
        loader = loader_for(source, loaders)
        if not isinstance(loader, FileLoader) or source.chunk_context is ChunkContext.MODEL:
            return None
        if type(loader).load is not FileLoader.load:
            return None  # it changes documents on their way, and changes are read file by file
        found.append(loader)
    return found


def is_large(sources: Sequence[Knowledge], loaders: Sequence[FileLoader]) -> bool:
    """Whether sources are worth a corpus that stays; a parquet source always is."""
    files = size = 0
    for source, loader in zip(sources, loaders, strict=True):
        if source.format is KnowledgeFormat.PARQUET:
            return True
        for file in loader.files(source):
            files += 1
            size += file.status.st_size
            parquet = file.path.lower().endswith(".parquet")
            if parquet or files >= LARGE_FILES or size >= LARGE_BYTES:
                return True
    return False


def cached(
    sources: Sequence[Knowledge],
    loaders: Sequence[FileLoader],
    embedding: Embedding,
    cancellation: CancellationToken,
) -> Corpus | None:
    """Return the corpus of sources as they are now; ``None`` where it cannot be kept.

    One process at a time brings it up to date; others wait. What is open elsewhere stays readable.

    Raises
    ------
    SourceLoadingError
        A source is missing or cannot be read.
    CancelledError, RetrievalTimeoutError
        The request ended while another process was at work.
    """
    try:
        place = cache_directory() / "corpora" / _name(sources, embedding)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(place / "lock", cancellation):
            return _Place(place, sources, loaders, embedding, cancellation).current()
    except (OSError, UnusableManifestError) as error:  # read-only, full: sources have others
        LOGGER.warning("nothing is kept in the cache directory: %s", told(error))
        return None


class _Place:
    """One directory of the cache, with a corpus and what was read for it."""

    def __init__(
        self,
        place: Path,
        sources: Sequence[Knowledge],
        loaders: Sequence[FileLoader],
        embedding: Embedding,
        cancellation: CancellationToken,
    ) -> None:
        self._corpus = place / "corpus"
        self._manifest = place / "manifest"
        self._place = place
        self._sources = list(zip(sources, loaders, strict=True))
        self._embedding = embedding
        self._cancellation = cancellation

    def current(self) -> Corpus:
        """Bring the corpus up to date, anew where that cannot be."""
        for left in self._place.glob("changes-*"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        try:
            updated = self._updated() if self._manifest.is_file() else None
        except (CorpusCorruptError, CorpusFormatError) as error:
            LOGGER.warning("the cached corpus %s is built anew: %s", self._corpus, told(error))
            updated = None
        return self._rebuilt() if updated is None else updated

    def _updated(self) -> Corpus | None:
        """Read what changed; ``None`` where documents have metadata that the corpus knows not."""
        writing: Embedding | object = self._embedding
        if isinstance(self._embedding, EmbeddingProvider):
            writing = self._embedding.for_ingestion(self._cancellation)
        corpus = Corpus.open(self._corpus, embedding=writing)  # type: ignore[arg-type]
        with TemporaryDirectory(prefix="changes-", dir=self._place) as directory:
            paths, metadata, changes = self._changes(Path(directory))
            if set(metadata) - set(corpus.filter_keys) or not self._has_dimensions_of(corpus):
                return None
            deletions = [each for change in changes for each in change.deletions]
            if paths or deletions:
                with corpus.writer() as writer:
                    if paths:
                        writer.upsert(paths)
                    if deletions:
                        writer.delete(deletions)
        for change in changes:
            change.commit()
        if len(corpus.keyword_index.segments) > MOST_SEGMENTS:
            corpus.compact()
        return Corpus.open(self._corpus, embedding=self._embedding)

    def _has_dimensions_of(self, corpus: Corpus) -> bool:
        """Whether the provider's vectors are as long as those that it, or an earlier one, gave."""
        entry = corpus.vector_store.manifest.embedding
        if entry is None or not isinstance(self._embedding, EmbeddingProvider):
            return True
        if self._embedding.dimensions is None:
            self._embedding.embed_waiting(("dimensions",), self._cancellation)
        return self._embedding.dimensions == entry.dimensions

    def _rebuilt(self) -> Corpus:
        _remove(self._manifest)
        if self._corpus.exists() and not _is_index(self._corpus):
            _remove(self._corpus)
        with TemporaryDirectory(prefix="changes-", dir=self._place) as directory:
            paths, metadata, changes = self._changes(Path(directory))
            corpus = build_corpus(
                paths, metadata, self._corpus, self._embedding, self._cancellation
            )
        for change in changes:
            change.commit()
        return corpus

    def _changes(self, directory: Path) -> tuple[list[str], list[str], list[SourceChanges]]:
        manifest = SourceManifest(self._manifest)
        changes = [manifest.changes(source, loader) for source, loader in self._sources]
        named = [
            (source.name, self._heeded(change.documents()))
            for (source, _), change in zip(self._sources, changes, strict=True)
        ]
        paths, metadata = spool_documents(named, directory)
        return paths, metadata, changes

    def _heeded(self, documents: Iterator[SourceDocument]) -> Iterator[SourceDocument]:
        for document in documents:
            self._cancellation.raise_if_cancelled()
            yield document


@contextmanager
def _locked(path: Path, cancellation: CancellationToken) -> Iterator[None]:
    lock = FileLock(path)
    while not lock.is_locked:
        cancellation.raise_if_cancelled()
        with suppress(Timeout):
            lock.acquire(timeout=_WAIT)
    try:
        yield
    finally:
        lock.release()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_index(path: Path) -> bool:
    try:
        Corpus.open(path)
    except (CorpusCorruptError, CorpusFormatError, OSError):
        return False
    return True


def _name(sources: Sequence[Knowledge], embedding: Embedding) -> str:
    made_by = "none"
    if isinstance(embedding, HashEmbedding):
        made_by = embedding.fingerprint
    elif embedding is not None:
        made_by = embedding.identity
    text = f"1\n{made_by}\n{list(sources)!r}"
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
