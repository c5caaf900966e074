"""Documents that a transaction adds, on their way into its pending segment."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.documents_file import DocumentLayout
from octavo.columns.place import Place
from octavo.columns.sources import Input, resolve_inputs
from octavo.columns.vector_notes import KnownModel, noted_model
from octavo.storage.build.columns_stage import prepare
from octavo.storage.build.embedding_plan import EmbeddingPlan, plan_further_embedding
from octavo.storage.build.further_inputs import column_choice, read_documents
from octavo.storage.build.work import Work
from octavo.storage.format import layout
from octavo.storage.snapshot.query_embedding import check_function
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.writer.pending_segment import PendingSegment
from octavo.storage.writer.transaction_rows import TransactionRows

_ROWS_WORTH_A_THREAD = 2_048


class Additions:
    """Analyses and embeds documents as those of the index were, and appends them.

    Parameters
    ----------
    snapshot
        The state that the transaction began with.
    rows
        Its rows; the pending segment is made with the first that is added.
    work
        Memory, threads and a listener.

    Attributes
    ----------
    torn
        Whether writing failed half-way, so that the pending segment is of no use.
    model
        Which model made the vectors, of the index and of what was added.
    """

    def __init__(self, snapshot: Snapshot, rows: TransactionRows, work: Work) -> None:
        self._snapshot = snapshot
        self._rows = rows
        self._work = work
        self.torn = False
        entry = snapshot.manifest.embedding
        self.model = None if entry is None else entry.model

    def read(self, inputs: Input) -> Iterator[tuple[DocumentBatch, Place]]:
        """Yield documents in batches, each with the place of its ids.

        Which model made their vectors, where they say so, is known when all of them are read.

        Raises
        ------
        InvalidArgumentError
            Their vectors are those of another model, or a document is not acceptable.
        ConfigurationError
            The function that the index was opened with is another model.
        """
        manifest, pending = self._snapshot.manifest, self._rows.pending
        choice = column_choice(manifest.columns, self.plan.column)
        dimensions = None if manifest.embedding is None else manifest.embedding.dimensions
        if dimensions is None and pending is not None:
            dimensions = pending.dimensions
        sources, model = resolve_inputs(inputs), self.model
        if choice.embedding is not None:
            known = None if model is None else KnownModel(model, f"the index {self._snapshot.path}")
            model = noted_model(sources, choice.embedding, known)
            check_function(model, self._snapshot.function)
        yield from read_documents(sources, choice, dimensions)
        self.model = model

    def append(self, documents: DocumentBatch, hashes: NDArray[np.uint64]) -> None:
        """Write documents; what an embedding function raises comes before anything is written."""
        pieces = self._pieces(documents)
        start = 0
        settings = replace(self.settings, vector_stage=self.plan.stage)
        for prepared in list(prepare(pieces, replace(settings, threads=len(pieces)))):
            if self._rows.pending is None:
                self._rows.pending = PendingSegment(
                    layout.next_segment(self._snapshot.path), settings
                )
            stop = start + len(prepared.documents)
            self.torn = True  # unless all of it is written
            self._rows.pending.write(prepared, hashes[start:stop])
            self._rows.states.append(stop - start)
            self.torn = False
            self._work.progress("reading", self._rows.pending.rows)
            start = stop

    def _pieces(self, documents: DocumentBatch) -> list[DocumentBatch]:
        """Cut a batch so that every thread has something to do, and none is started for nothing."""
        count = min(self._work.threads, 1 + len(documents) // _ROWS_WORTH_A_THREAD)
        if count == 1:
            return [documents]
        parts = np.array_split(np.arange(len(documents)), count)
        return [documents.take(part) for part in parts]

    @cached_property
    def plan(self) -> EmbeddingPlan:
        """Where vectors come from.

        Raises
        ------
        ConfigurationError
            From a function that only the builder of the index has, or that cannot be imported.
        """
        snapshot = self._snapshot
        return plan_further_embedding(snapshot.manifest, snapshot.analyzer, snapshot.function)

    @cached_property
    def settings(self) -> SegmentSettings:
        """How segments are built, but for their vectors: only additions need the function."""
        manifest = self._snapshot.manifest
        return SegmentSettings(
            analyzer=self._snapshot.analyzer,
            vector_stage=None,
            layout=DocumentLayout.of(column_choice(manifest.columns, None)),
            threads=self._work.threads,
            heap_bytes=self._work.memory_budget.heap,
            progress=self._work.progress,
            describe_row=str,
            block_max=manifest.settings.block_max,
            dimensions=None if manifest.embedding is None else manifest.embedding.dimensions,
            graph=self._snapshot.graph_columns,
        )
