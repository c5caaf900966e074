"""Documents read back from segments, in batches as a build takes them.

What was validated when it came in is passed on as it is: text and timestamps are slices of the
memory-mapped columns, vectors keep their bits. Only metadata is decoded, since another segment
gives its values other codes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.documents import DocumentColumns
from octavo.columns.documents_file import METADATA_PREFIX, DocumentLayout
from octavo.columns.vectors import VectorBatch
from octavo.errors import CorpusCorruptError
from octavo.storage.format import layout
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.snapshot.segment import open_columns, open_live, open_mask, open_vectors
from octavo.storage.snapshot.vector_stage import Vectors

_ROWS_AT_ONCE = 16_384


class StoredRows(Protocol):
    """What documents are read back from; an open segment is one."""

    @property
    def directory(self) -> Path:
        """The directory of the segment."""
        ...

    @property
    def columns(self) -> DocumentColumns:
        """The documents."""
        ...

    @property
    def vectors(self) -> NDArray[np.float32] | None:
        """Shape ``(rows, dimensions)``; ``None`` where there are none to pass on."""
        ...

    @property
    def vector_present(self) -> NDArray[np.bool_] | None:
        """Where a row has a vector; ``None`` means everywhere."""
        ...

    @property
    def live(self) -> NDArray[np.bool_] | None:
        """Which rows are not deleted; ``None`` where all are live."""
        ...

    @property
    def only_parents(self) -> NDArray[np.bool_] | None:
        """Which rows are parents and nothing else; ``None`` where there is none."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PrimaryParts:
    """The parts of a segment that nothing else tells: enough to build the others again.

    The vectors belong to them only where they are given.
    """

    directory: Path
    columns: DocumentColumns
    vectors: NDArray[np.float32] | None
    vector_present: NDArray[np.bool_] | None
    live: NDArray[np.bool_] | None
    only_parents: NDArray[np.bool_] | None

    @staticmethod
    def open(directory: Path, entry: SegmentEntry, dimensions: int | None = None) -> "PrimaryParts":
        """Open them, with the vectors where their ``dimensions`` are given.

        Raises
        ------
        CorpusCorruptError
            A file is missing or damaged.
        """
        vectors = present = None
        if dimensions is not None:
            vectors = open_vectors(directory, entry, dimensions)
            present = open_mask(directory, entry, layout.VECTOR_PRESENT)
        return PrimaryParts(
            directory,
            open_columns(directory, entry.rows),
            vectors,
            present,
            open_live(directory, entry),
            open_mask(directory, entry, layout.ONLY_PARENTS),
        )


class StoredVectors:
    """The stage of vectors that came out of a segment: kept bit by bit, never made again."""

    concurrent = True

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:  # noqa: ARG002
        """Return the vectors of the batch as they are, and where there is one."""
        if batch.vectors is None:
            raise CorpusCorruptError("expected stored vectors, found none")
        return batch.vectors.values.astype(np.float32, copy=False), batch.vectors.present


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Consecutive rows of one record batch, of which those in ``kept`` are wanted."""

    batch: pa.RecordBatch
    first_row: int
    kept: NDArray[np.bool_] | None

    def slice(self, start: int, stop: int) -> "_Part":
        kept = None if self.kept is None else self.kept[start:stop]
        return _Part(self.batch.slice(start, stop - start), self.first_row + start, kept)

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the wanted rows' values of an array that has one a row of the segment."""
        mine = values[self.first_row : self.first_row + self.batch.num_rows]
        return mine if self.kept is None else mine[self.kept]


def live_batches(
    segments: Sequence[StoredRows], documents: DocumentLayout
) -> Iterator[DocumentBatch]:
    """Yield the live rows of ``segments`` in order, as documents of one layout.

    Memory is bounded by a record batch or two, whatever the segments hold; where all rows of one
    are live, nothing but metadata is copied.

    Raises
    ------
    CorpusCorruptError
        A stored value is damaged so that it could harm the process, such as text that ends before
        it starts. Other damage is not seen here.
    """
    for segment in segments:
        yield from stored_batches(segment, documents, segment.live)


def stored_batches(
    segment: StoredRows, documents: DocumentLayout, wanted: NDArray[np.bool_] | None
) -> Iterator[DocumentBatch]:
    """Yield the rows of a segment for which ``wanted`` holds, all of them for ``None``."""
    first_row = 0
    for stored in segment.columns.batches():
        _check(segment, stored)
        kept = None if wanted is None else wanted[first_row : first_row + stored.num_rows]
        whole = _Part(stored, first_row, None if kept is None or kept.all() else kept)
        first_row += stored.num_rows
        if kept is not None and not kept.any():
            continue
        for start in range(0, stored.num_rows, _ROWS_AT_ONCE):
            part = whole.slice(start, min(start + _ROWS_AT_ONCE, stored.num_rows))
            for piece, only_parents in _by_kind(segment, part):
                found = _documents(segment, piece, documents, only_parents=only_parents)
                if len(found):
                    yield found


def _by_kind(segment: StoredRows, part: _Part) -> Iterator[tuple[_Part, bool]]:
    """Cut a part where documents and mere parents meet."""
    marks = segment.only_parents
    if marks is None:
        yield part, False
        return
    mine = marks[part.first_row : part.first_row + part.batch.num_rows]
    cuts = (np.flatnonzero(mine[1:] != mine[:-1]) + 1).tolist()
    for start, stop in pairwise([0, *cuts, len(mine)]):
        yield part.slice(start, stop), bool(mine[start])


def _documents(
    segment: StoredRows, part: _Part, documents: DocumentLayout, *, only_parents: bool
) -> DocumentBatch:
    batch = part.batch if part.kept is None else part.batch.filter(pa.array(part.kept))

    def column(name: str) -> Any:  # noqa: ANN401 - text or timestamps
        if name in {"id", "content"} or (name in documents.optional and name in batch.schema.names):
            return batch.column(name)
        if name in documents.optional:
            return pa.nulls(batch.num_rows, documents.schema().field(name).type)
        return None

    return DocumentBatch(
        ids=column("id"),
        content=column("content"),
        title=column("title"),
        source=column("source"),
        timestamp=column("timestamp"),
        parent=column("parent"),
        metadata={key: _metadata(segment, batch, key) for key in documents.metadata},
        vectors=_vectors(segment, part, batch.num_rows),
        only_parents=only_parents,
    )


def _metadata(segment: StoredRows, batch: pa.RecordBatch, key: str) -> pa.LargeStringArray:
    if key not in segment.columns.keys:
        return pa.nulls(batch.num_rows, pa.large_string())
    try:
        codes = batch.column(METADATA_PREFIX + key)
        values: pa.LargeStringArray = segment.columns.dictionary(key).take(codes)
    except pa.ArrowException as error:
        raise CorpusCorruptError(f"{segment.directory}: metadata {key!r}: {error}") from error
    return values


def _vectors(segment: StoredRows, part: _Part, rows: int) -> VectorBatch | None:
    if segment.vectors is None:
        return None
    if segment.vectors.shape[0] == 0:  # no row of the segment has ever had one
        empty = np.zeros((rows, 0), np.float32)
        return VectorBatch(empty, np.zeros(rows, np.bool_))
    present = segment.vector_present
    return VectorBatch(
        part.of(segment.vectors), np.ones(rows, np.bool_) if present is None else part.of(present)
    )


def _check(segment: StoredRows, batch: pa.RecordBatch) -> None:
    """Refuse what Arrow's kernels could not be trusted with."""
    try:
        batch.validate(full=True)
    except pa.ArrowException as error:
        raise CorpusCorruptError(f"{segment.directory}: documents: {error}") from error
