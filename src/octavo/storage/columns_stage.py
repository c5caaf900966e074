"""Stage 1 of a build: documents become columns, vectors and analysed text, in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from octavo.columns.array_file import save_array
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.columns.documents_file import DocumentsWriter
from octavo.columns.id_index import IdIndexBuilder
from octavo.parallel import ordered_map
from octavo.storage import layout
from octavo.storage.analyzed_file import AnalyzedWriter
from octavo.storage.segment_settings import SegmentSettings
from octavo.storage.segment_vectors import SegmentVectors
from octavo.storage.vector_stage import Vectors, VectorStage


@dataclass(slots=True)
class WrittenColumns:
    """What stage 1 found on its way."""

    rows: int = 0
    null_vectors: int = 0
    empty_texts: int = 0
    dimensions: int | None = None
    ids: IdIndexBuilder = field(default_factory=IdIndexBuilder)


@dataclass(frozen=True, slots=True, eq=False)
class _PreparedBatch:
    documents: DocumentBatch
    analyzed: pa.LargeStringArray
    vectors: Vectors | None


def write_columns(
    directory: Path, scratch: Path, batches: Iterable[DocumentBatch], settings: SegmentSettings
) -> WrittenColumns:
    """Write the documents and vectors of a segment, and its analysed text to ``scratch``.

    Batches are analysed and embedded on several threads, a bounded number at a time, and written
    in order. An application's embedding function is called by one thread.
    """
    written = WrittenColumns()
    vectors = SegmentVectors(directory, settings.dimensions)
    only_parents = [np.zeros(0, np.bool_)]
    with (
        DocumentsWriter(
            directory / layout.DOCUMENTS, directory / layout.DICTIONARIES, settings.layout
        ) as documents,
        AnalyzedWriter(scratch) as analyzed,
        vectors,
    ):
        for prepared in _prepare(batches, settings):
            documents.write(prepared.documents)
            analyzed.write(prepared.analyzed)
            written.ids.add(prepared.documents.ids)
            if prepared.vectors is not None:
                vectors.write(prepared.vectors)
            only_parents.append(np.full(len(prepared.analyzed), prepared.documents.only_parents))
            written.rows += len(prepared.analyzed)
            written.empty_texts += _count_empty(prepared.analyzed)
            settings.progress("reading", written.rows)
    marks = np.concatenate(only_parents)
    if marks.any():
        save_array(directory / layout.ONLY_PARENTS, marks)
    written.dimensions = vectors.dimensions
    written.null_vectors = vectors.nulls
    return written


def _prepare(
    batches: Iterable[DocumentBatch], settings: SegmentSettings
) -> Iterator[_PreparedBatch]:
    stage = settings.vector_stage
    concurrent = stage is None or stage.concurrent

    def prepare(batch: DocumentBatch) -> _PreparedBatch:
        analyzed = settings.analyzer.analyze_batch(searchable_text(batch))
        vectors = _vectors(stage, batch, analyzed) if concurrent else None
        return _PreparedBatch(batch, analyzed, vectors)

    for prepared in ordered_map(prepare, batches, threads=settings.threads):
        if concurrent:
            yield prepared
        else:
            vectors = _vectors(stage, prepared.documents, prepared.analyzed)
            yield _PreparedBatch(prepared.documents, prepared.analyzed, vectors)


def _vectors(
    stage: VectorStage | None, batch: DocumentBatch, analyzed: pa.LargeStringArray
) -> Vectors | None:
    if stage is None:
        return None
    if batch.only_parents:
        return np.zeros((len(batch), 0), np.float32), np.zeros(len(batch), np.bool_)
    return stage.vectors(batch, analyzed)


def _count_empty(analyzed: pa.LargeStringArray) -> int:
    lengths = pc.binary_length(analyzed).to_numpy(zero_copy_only=False)
    return len(lengths) - int(np.count_nonzero(lengths))
