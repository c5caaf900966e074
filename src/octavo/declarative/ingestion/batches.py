"""Documents as Arrow columns, as a corpus is built from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

import pyarrow as pa

from octavo.columns.schema import RESERVED_PREFIXES
from octavo.declarative.ingestion.metadata import SourceMetadata
from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.spi import HierarchyMetadata, TemporalMetadata
from octavo.spi.source_document import SourceDocument

SUMMARY: Final = "summary"
"""The metadata column that navigators see as summaries."""

_MOST_NAMES: Final = 4_096
_BATCH_CHARACTERS: Final = 1 << 25
_BATCH_VALUES: Final = 1 << 22
_BATCH_DOCUMENTS: Final = 1 << 15


class CorpusColumns(TypedDict):
    """The arguments of ``Corpus.build`` that say which column is what."""

    id: str
    text: str
    title: str
    source: str
    parent: str
    timestamp: str
    metadata: tuple[str, ...]


# Names that no metadata has, so that records may have fields called id, title or text.
_ID: Final = "octavo.id"
_TEXT: Final = "octavo.text"
_TITLE: Final = "octavo.title"
_PARENT: Final = "octavo.parent"
_TIMESTAMP: Final = "octavo.timestamp"
_SOURCE: Final = "octavo.source"


def corpus_columns(metadata: Iterable[str]) -> CorpusColumns:
    """Return the arguments of ``Corpus.build`` for tables of this module.

    Examples
    --------
    >>> corpus_columns(["tier"])["id"]
    'octavo.id'
    """
    return CorpusColumns(
        id=_ID,
        text=_TEXT,
        title=_TITLE,
        source=_SOURCE,
        parent=_PARENT,
        timestamp=_TIMESTAMP,
        metadata=tuple(metadata),
    )


def document_batches(documents: Iterable[SourceDocument]) -> Iterator[pa.RecordBatch]:
    """Yield documents as record batches of bounded size.

    The columns are those of :func:`corpus_columns`; metadata columns are those that the documents of
    a batch have, so schemas differ from batch to batch, as inputs of a corpus may. The searchable
    title is the chunk's context where it has one, else its own heading.

    Parameters
    ----------
    documents
        From ``load_documents``.

    Raises
    ------
    InvalidArgumentError
        A document's ``hierarchy.id`` is not its id.

    Examples
    --------
    >>> (batch,) = document_batches([SourceDocument("a", "text", {"source": "a.md", "tier": "X"})])
    >>> batch.schema.names[6:], batch["octavo.text"].to_pylist()
    (['source', 'tier'], ['text'])
    """
    waiting: list[SourceDocument] = []
    names: set[str] = set()
    characters = 0
    for document in documents:
        waiting.append(document)
        names.update(document.metadata)
        characters += len(document.content)
        full = characters >= _BATCH_CHARACTERS or len(waiting) * len(names) >= _BATCH_VALUES
        if full or len(waiting) >= _BATCH_DOCUMENTS:
            yield _batch(waiting)
            waiting, names, characters = [], set(), 0
    if waiting:
        yield _batch(waiting)


@dataclass(frozen=True, slots=True)
class SpooledDocuments:
    """Documents in Arrow files, ready for ``Corpus.build``.

    Parameters
    ----------
    paths
        The files.
    metadata
        All metadata names, sorted.
    count
        How many documents there are.
    """

    paths: tuple[str, ...]
    metadata: tuple[str, ...]
    count: int


def spool_documents(documents: Iterable[SourceDocument], directory: str | Path) -> SpooledDocuments:
    """Write documents to Arrow files, a batch in memory at a time, and learn their metadata names.

    ``Corpus.build(list(spooled.paths), out, **corpus_columns(spooled.metadata))`` builds a corpus.

    Parameters
    ----------
    directory
        An existing directory for the files, the caller's to remove.

    Raises
    ------
    SourceLoadingError
        There are more than 4,096 different metadata names: they are data, not names.
    """
    return spool_batches(document_batches(documents), directory)


def spool_batches(batches: Iterable[pa.RecordBatch], directory: str | Path) -> SpooledDocuments:
    """Write batches of documents, and perhaps further columns, as :func:`spool_documents` does."""
    paths: list[str] = []
    names: set[str] = set()
    count = 0
    for number, batch in enumerate(batches):
        names.update(batch.schema.names[6:])
        if len(names) > _MOST_NAMES:
            raise SourceLoadingError(
                f"metadata: expected at most {_MOST_NAMES:,} different names, found more, such as "
                f"{min(names)!r} and {max(names)!r}"
            )
        path = str(Path(directory) / f"documents-{number:06d}.arrow")
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
            writer.write_batch(batch)
        paths.append(path)
        count += batch.num_rows
    return SpooledDocuments(tuple(paths), tuple(sorted(names)), count)


def _batch(documents: list[SourceDocument]) -> pa.RecordBatch:
    metadata = [document.metadata for document in documents]
    for document in documents:
        known = document.metadata.get(HierarchyMetadata.ID, document.id)
        if known != document.id:
            raise InvalidArgumentError(
                f"document {document.id!r}: expected its own id as {HierarchyMetadata.ID}, "
                f"found {known!r}"
            )
    columns: dict[str, list[str | None]] = {
        _ID: [document.id for document in documents],
        _TEXT: [document.content for document in documents],
        _TITLE: [
            each.get(SourceMetadata.CONTEXT) or each.get(HierarchyMetadata.NODE_TITLE)
            for each in metadata
        ],
        _SOURCE: [each.get(SourceMetadata.SOURCE) for each in metadata],
        _PARENT: [each.get(HierarchyMetadata.PARENT_ID) for each in metadata],
        _TIMESTAMP: [each.get(TemporalMetadata.TIMESTAMP) for each in metadata],
    }
    names = {_column_name(name) for each in metadata for name in each}
    for name in sorted(filter(None, names)):
        columns[name] = [each.get(name) for each in metadata]
    if SUMMARY in columns:
        key = HierarchyMetadata.NODE_SUMMARY
        columns[SUMMARY] = [each.get(key) or each.get(SUMMARY) for each in metadata]
    arrays = [pa.array(values, pa.large_string()) for values in columns.values()]
    return pa.record_batch(arrays, names=list(columns))


def _column_name(key: str) -> str:
    """Return the metadata column of a key; empty for one that another column, or none, holds."""
    if key == HierarchyMetadata.NODE_SUMMARY:
        return SUMMARY
    if key == SourceMetadata.CONTEXT or key.startswith((*RESERVED_PREFIXES, "octavo.")):
        return ""
    return key
