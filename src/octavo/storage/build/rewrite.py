"""Write documents that an index holds once more, as a new segment of the same index."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from octavo.analysis import Analyzer
from octavo.columns.documents_file import OPTIONAL_COLUMNS, DocumentLayout
from octavo.engines.choice import (
    EXACT_ROWS,
    VectorIndexKind,
    VectorIndexRequest,
    requested_vector_index,
)
from octavo.errors import ConfigurationError, InvalidArgumentError, RetrievalError
from octavo.storage.build.segment_build import build_segment, discard
from octavo.storage.build.work import Work
from octavo.storage.format import layout
from octavo.storage.format.graph_files import open_graph_columns
from octavo.storage.format.manifest import ColumnsEntry, Manifest, SegmentEntry
from octavo.storage.snapshot.query_embedding import FUNCTION_SPECIFICATION, QueryEmbedding
from octavo.storage.snapshot.segment import open_segment
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.stored_batches import StoredRows, live_batches
from octavo.storage.snapshot.vector_search import VectorSearchSettings, with_vector_search
from octavo.storage.snapshot.vector_stage import VectorStage


@dataclass(frozen=True, slots=True, eq=False)
class Rewriting:
    """How segments of one index are written.

    Parameters
    ----------
    index
        The directory of the index, whose writer's lock the caller holds.
    manifest
        Its present state.
    analyzer
        Its analyser.
    embedding
        Embeds the queries that a vector structure is tuned for, where it can.
    work
        Memory, threads, progress.
    documents
        Of the whole index when this is done; by default as many as there are.
    """

    index: Path
    manifest: Manifest
    analyzer: Analyzer
    embedding: QueryEmbedding
    work: Work
    documents: int | None = None

    def segment(
        self, name: str, stored: Sequence[StoredRows], stage: VectorStage | None
    ) -> SegmentEntry:
        """Write the live rows of ``stored`` as the segment ``name``, flushed to the disk.

        Parameters
        ----------
        name
            Of the new segment, see :func:`octavo.storage.format.layout.next_segment_name`.
        stored
            Where the documents are, in row order.
        stage
            Gives the vectors; ``None`` where the index has none.

        Raises
        ------
        CorpusCorruptError
            What is stored is damaged. Nothing is left behind.
        OSError
            The disk is full. Nothing is left behind.
        """
        directory = layout.segment_directory(self.index, name)
        documents = layout_of(self.manifest.columns)
        embedding = self.manifest.embedding
        settings = SegmentSettings(
            analyzer=self.analyzer,
            vector_stage=stage,
            layout=documents,
            threads=self.work.threads,
            heap_bytes=self.work.memory_budget.heap,
            progress=self.work.progress,
            describe_row=lambda row: f"live row {row} of what is stored",
            block_max=self.manifest.settings.block_max,
            dimensions=None if embedding is None else embedding.dimensions,
            graph=open_graph_columns(self.index, self.manifest.graph),
        )
        try:
            entry, _ = build_segment(directory, live_batches(stored, documents), settings)
            if embedding is None:
                return entry
            return self.searchable(entry, embedding.dimensions)
        except BaseException:
            discard(directory)
            raise

    def searchable(self, entry: SegmentEntry, dimensions: int) -> SegmentEntry:
        """Give a segment the structure that its vectors are searched with, tuned."""
        segment = open_segment(self.index, entry, dimensions)
        work = self.work
        settings = VectorSearchSettings(
            self._request(entry), work.memory_budget.working, work.threads, work.progress
        )
        try:
            return with_vector_search(segment, self.embedding, settings)
        except (ConfigurationError, InvalidArgumentError, RetrievalError):
            # The application's function is not to be had, or fails. Then only documents are asked.
            return with_vector_search(segment, self._silent(), settings)

    def _request(self, entry: SegmentEntry) -> VectorIndexRequest:
        """Return what the index was built for.

        A few rows beside others are better compared, whatever structure was asked for by name.
        """
        settings = self.manifest.settings
        request = requested_vector_index(settings.recall, settings.vector_index)
        documents = self.manifest.documents if self.documents is None else self.documents
        few = entry.rows <= EXACT_ROWS and entry.rows < documents
        return replace(request, kind=VectorIndexKind.FLAT) if few else request

    def _silent(self) -> QueryEmbedding:
        entry = self.manifest.embedding
        unknown = (
            None
            if entry is None
            else replace(entry, specification=FUNCTION_SPECIFICATION, model=None)
        )
        return QueryEmbedding(unknown, self.analyzer, None)


def layout_of(columns: ColumnsEntry) -> DocumentLayout:
    """Return which optional columns the documents of an index have."""
    optional = tuple(name for name in OPTIONAL_COLUMNS if getattr(columns, name) is not None)
    return DocumentLayout(optional, columns.metadata)
