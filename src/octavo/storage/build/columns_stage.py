"""Stage 1 of a build: documents become columns, vectors and analysed text, in order."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from octavo.columns.array_file import save_array
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.columns.documents_file import DocumentsWriter
from octavo.columns.id_index import IdIndexBuilder
from octavo.parallel import ordered_map
from octavo.storage.format import layout
from octavo.storage.format.analyzed_file import AnalyzedWriter
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.segment_vectors import SegmentVectors
from octavo.storage.snapshot.vector_stage import Mask, Vectors, VectorStage


@dataclass(frozen=True, slots=True)
class WrittenColumns:
    """What stage 1 found on its way; counts are of live rows."""

    rows: int
    null_vectors: int
    empty_texts: int
    dimensions: int | None
    ids: IdIndexBuilder


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatch:
    """Documents, their words, and their vectors (if any)."""

    documents: DocumentBatch
    analyzed: pa.LargeStringArray
    vectors: Vectors | None


class ColumnsWriter:
    """Writes the documents and vectors of a segment, and its analysed text to a scratch file.

    Parameters
    ----------
    directory
        An empty directory.
    scratch
        The file for the analysed text.
    settings
        How the segment is built.

    Attributes
    ----------
    documents, vectors
        The writers of the parts, which can be read back.
    """

    def __init__(self, directory: Path, scratch: Path, settings: SegmentSettings) -> None:
        self._ids = IdIndexBuilder()
        self._empty: list[Mask] = []
        self._only_parents: list[Mask] = []
        self._directory = directory
        with ExitStack() as files:
            self.documents = files.enter_context(
                DocumentsWriter(
                    directory / layout.DOCUMENTS, directory / layout.DICTIONARIES, settings.layout
                )
            )
            self._analyzed = files.enter_context(AnalyzedWriter(scratch))
            self.vectors = files.enter_context(SegmentVectors(directory, settings.dimensions))
            self._files = files.pop_all()

    @property
    def rows(self) -> int:
        """The number of rows written so far."""
        return self.documents.rows

    def write(self, prepared: PreparedBatch) -> None:
        """Append documents."""
        self.documents.write(prepared.documents)
        self._analyzed.write(prepared.analyzed)
        self._ids.add(prepared.documents.ids)
        if prepared.vectors is not None:
            self.vectors.write(prepared.vectors)
        self._empty.append(_empty(prepared.analyzed))
        only_parents = np.full(len(prepared.analyzed), prepared.documents.only_parents)
        self._only_parents.append(only_parents)

    def close(self, live: Mask | None = None) -> WrittenColumns:
        """Finish the files.

        Parameters
        ----------
        live
            The rows to count; ``None`` counts all.
        """
        self._files.close()
        only_parents = np.concatenate([np.zeros(0, np.bool_), *self._only_parents])
        if only_parents.any():
            save_array(self._directory / layout.ONLY_PARENTS, only_parents)
        empty = np.concatenate([np.zeros(0, np.bool_), *self._empty])
        missing = ~self.vectors.present()
        if live is not None:
            empty &= live
            missing &= live[: len(missing)]
        return WrittenColumns(
            self.rows,
            null_vectors=int(np.count_nonzero(missing)),
            empty_texts=int(np.count_nonzero(empty)),
            dimensions=self.vectors.dimensions,
            ids=self._ids,
        )

    def abort(self) -> None:
        """Close the files as they are, of no use."""
        with suppress(_Abandoned), self._files:
            raise _Abandoned


class _Abandoned(Exception):  # noqa: N818 - no error: it tells open files what became of them
    pass


def write_columns(
    directory: Path, scratch: Path, batches: Iterable[DocumentBatch], settings: SegmentSettings
) -> WrittenColumns:
    """Write the documents and vectors of a segment, and its analysed text to ``scratch``."""
    columns = ColumnsWriter(directory, scratch, settings)
    try:
        for prepared in prepare(batches, settings):
            columns.write(prepared)
            settings.progress("reading", columns.rows)
    except BaseException:
        columns.abort()
        raise
    return columns.close()


def prepare(batches: Iterable[DocumentBatch], settings: SegmentSettings) -> Iterator[PreparedBatch]:
    """Analyse and embed batches on several threads, a bounded number at a time, in order.

    An application's embedding function is called by one thread.
    """
    stage = settings.vector_stage
    concurrent = stage is None or stage.concurrent

    def prepared(batch: DocumentBatch) -> PreparedBatch:
        analyzed = settings.analyzer.analyze_batch(searchable_text(batch))
        vectors = _vectors(stage, batch, analyzed) if concurrent else None
        return PreparedBatch(batch, analyzed, vectors)

    for each in ordered_map(prepared, batches, threads=settings.threads):
        if concurrent:
            yield each
        else:
            vectors = _vectors(stage, each.documents, each.analyzed)
            yield PreparedBatch(each.documents, each.analyzed, vectors)


def _vectors(
    stage: VectorStage | None, batch: DocumentBatch, analyzed: pa.LargeStringArray
) -> Vectors | None:
    if stage is None:
        return None
    if batch.only_parents:
        return np.zeros((len(batch), 0), np.float32), np.zeros(len(batch), np.bool_)
    return stage.vectors(batch, analyzed)


def _empty(analyzed: pa.LargeStringArray) -> Mask:
    lengths: Mask = pc.binary_length(analyzed).to_numpy(zero_copy_only=False) == 0
    return lengths
