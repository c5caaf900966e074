"""Build an index from documents: read, write beside, and swap in with one commit.

Whatever happens before the commit, the old index (or none) is what a reader finds; whatever happens
after it, the new one.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from octavo.analysis import Analyzer
from octavo.columns.document_batch import DocumentBatch, normalise
from octavo.columns.documents_file import DocumentLayout
from octavo.columns.edge_columns import EdgeColumns
from octavo.columns.edge_list import read_edges
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.schema import ColumnChoice, ColumnRequest, choose_columns
from octavo.columns.sources import (
    Input,
    InputBatch,
    RowOrigins,
    Source,
    input_schema,
    open_inputs,
    resolve_inputs,
)
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import VectorIndexRequest
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.parallel import checked_threads
from octavo.storage.build.embedding_plan import EmbeddingPlan, plan_embedding
from octavo.storage.build.memory_budget import MemoryBudget
from octavo.storage.build.reuse import ReusingStage, stored_texts
from octavo.storage.build.segment_build import build_segment
from octavo.storage.build.stages import Stage
from octavo.storage.commit.commit import commit, remove_remains
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format import layout
from octavo.storage.format.durable import errors_naming, make_directory
from octavo.storage.format.graph_files import write_graph_columns
from octavo.storage.format.manifest import (
    ColumnsEntry,
    EmbeddingEntry,
    Manifest,
    SegmentEntry,
    UpdateSettings,
    read_manifest,
)
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import open_segment
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.vector_search import VectorSearchSettings, with_vector_search
from octavo.storage.snapshot.vector_stage import FunctionStage
from octavo.version import __version__


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build is: the stage, and the rows that it has done."""

    stage: str
    rows: int


VECTORS_REUSED = "vectors reused"
"""The stage that is told once where an index is replaced that the same function embedded: how many
documents were not embedded again, as their text has a vector."""

Listener: TypeAlias = Callable[[BuildProgress | ColumnChoice], None]
"""Told once which columns were chosen, then of progress."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Everything about a build but its inputs and its place."""

    columns: ColumnRequest
    analyzer: Analyzer
    embedding: str | EmbeddingFunction
    memory_budget: MemoryBudget
    threads: int
    overwrite: bool
    listener: Listener
    vector_index: VectorIndexRequest = field(default_factory=VectorIndexRequest)
    """Recall target and structure of vector search."""
    parents: Input | None = None
    """Further inputs: documents that are only parents."""
    block_max: bool = True
    """Whether block-max postings are written beside tantivy's."""
    edges: Input | None = None
    """Edge lists between documents; without them the index has no graph."""
    edge_columns: EdgeColumns | None = None
    """Their columns, where they are not the common ones."""


def build_index(inputs: Input, out: Path, request: BuildRequest) -> None:
    """Build an index of ``inputs`` at ``out``.

    Raises
    ------
    InvalidArgumentError
        An input, column or document is not acceptable; nothing was written.
    CorpusFormatError
        ``out`` exists and is not an octavo index, or is one and ``overwrite`` is off.
    CorpusLockedError
        Another process writes to ``out``.
    OSError
        The disk is full, or ``out`` cannot be written; nothing is left behind.
    """
    checked_threads(request.threads)
    plan = plan_embedding(request.embedding, request.analyzer)
    _check_target(out, overwrite=request.overwrite)
    documents = _Documents.choose(inputs, request, plan)
    request.listener(documents.choice)
    with errors_naming(out):
        created = _create(out)
        with writer_lock(out):
            try:
                _check_target(out, overwrite=request.overwrite)
                _build_and_commit(documents, out, request, plan)
            except BaseException:
                # Only the holder of the lock may remove what is there.
                _tidy(out, created=created)
                raise


def _build_and_commit(
    documents: "_Documents", out: Path, request: BuildRequest, plan: EmbeddingPlan
) -> None:
    before = _present(out)
    if before is not None or not layout.is_index(out):
        remove_remains(out, before)
    plan = _reusing(out, before, plan)
    choice = documents.choice
    graph = documents.graph(request)
    graph_entry = None if graph is None else write_graph_columns(out, graph)
    entry, dimensions = build_segment(
        layout.segment_directory(out, layout.next_segment_name(out)),
        documents.batches(),
        replace(_settings(documents, request, plan), graph=graph),
    )
    if isinstance(plan.stage, ReusingStage):
        request.listener(BuildProgress(VECTORS_REUSED, plan.stage.reused))
    embedding = plan.entry(dimensions, entry.rows)
    entry = _with_vector_search(out, entry, embedding, request)
    manifest = Manifest(
        generation=1 if before is None else before.generation + 1,
        created_by=f"octavo {__version__}",
        analyzer=request.analyzer.to_dict(),
        analyzer_fingerprint=request.analyzer.fingerprint,
        embedding=embedding,
        columns=ColumnsEntry(
            choice.id,
            choice.text,
            choice.title,
            choice.source,
            choice.timestamp,
            choice.parent,
            choice.metadata,
            choice.timestamp_zone,
        ),
        segments=(entry,),
        settings=UpdateSettings(
            request.block_max,
            request.vector_index.recall,
            request.vector_index.kind.value,
            plan.specification,
        ),
        graph=graph_entry,
    )
    commit(out, manifest, lambda stage, rows: request.listener(BuildProgress(stage, rows)))


def _reusing(out: Path, before: Manifest | None, plan: EmbeddingPlan) -> EmbeddingPlan:
    """Let an embedding function off the texts that the index before has vectors of.

    The hash embedding is quicker made than looked up.
    """
    if before is None or not isinstance(plan.stage, FunctionStage):
        return plan
    known = stored_texts(out, before, plan.specification, plan.fingerprint)
    return plan if known is None else replace(plan, stage=ReusingStage(plan.stage.function, known))


def _present(out: Path) -> Manifest | None:
    """Return the committed state; ``None`` where there is none, or none that can be read."""
    if not layout.is_index(out):
        return None
    try:
        return read_manifest(out)
    except CorpusCorruptError:  # to be replaced; nothing of it is removed before
        return None


def _tidy(out: Path, *, created: bool) -> None:
    """Leave nothing of a build that failed."""
    if not layout.is_index(out) and created:
        shutil.rmtree(out, ignore_errors=True)
        return
    with suppress(OSError, CorpusCorruptError):
        remove_remains(out, _present(out))


def _with_vector_search(
    out: Path, entry: SegmentEntry, embedding: EmbeddingEntry | None, request: BuildRequest
) -> SegmentEntry:
    """Give a new segment the structure that its vectors are searched with, tuned."""
    if embedding is None:
        return entry
    function = None if isinstance(request.embedding, str) else request.embedding
    return with_vector_search(
        open_segment(out, entry, embedding.dimensions),
        QueryEmbedding(embedding, request.analyzer, function),
        VectorSearchSettings(
            request=request.vector_index,
            memory=request.memory_budget.working,
            threads=request.threads,
            progress=lambda stage, rows: request.listener(BuildProgress(stage, rows)),
        ),
    )


class _Documents:
    """The inputs as validated document batches, read once, remembering where each row came from."""

    def __init__(
        self,
        sources: Sequence[Source],
        parents: Sequence[Source],
        edges: Sequence[Source],
        choice: ColumnChoice,
    ) -> None:
        self._sources = sources
        self._parents = parents
        self._edges = edges
        self.choice = choice
        self._origins = RowOrigins()

    @classmethod
    def choose(cls, inputs: Input, request: BuildRequest, plan: EmbeddingPlan) -> "_Documents":
        """Find the inputs and decide which column plays which part."""
        requested = plan.request_columns(request.columns)
        sources = resolve_inputs(inputs)
        parents = () if request.parents is None else resolve_inputs(request.parents, "parents")
        edges = () if request.edges is None else resolve_inputs(request.edges, "edges")
        wanted = [name for _, name in requested.named()]
        schema = input_schema([*sources, *parents], wanted)
        return cls(sources, parents, edges, choose_columns(schema, requested))

    def graph(self, request: BuildRequest) -> GraphColumns | None:
        """Return the graph of the edge lists; ``None`` where there are none."""
        if not self._edges:
            return None
        return read_edges(
            self._edges,
            request.edge_columns,
            progress=lambda rows: request.listener(BuildProgress(Stage.EDGES, rows)),
        )

    def batches(self) -> Iterator[DocumentBatch]:
        """Yield the documents in row order; every vector has the dimensions of the first."""
        dimensions: int | None = None
        for batch in self._read(self._sources):
            documents = normalise(batch, self.choice, dimensions)
            if documents.vectors is not None and documents.vectors.dimensions:
                dimensions = documents.vectors.dimensions
            yield documents
        without_vectors = replace(self.choice, embedding=None)
        for batch in self._read(self._parents):
            yield replace(normalise(batch, without_vectors), only_parents=True)

    def _read(self, sources: Sequence[Source]) -> Iterator[InputBatch]:
        if not sources:
            return
        for batch in open_inputs(sources, columns=self.choice.columns()):
            self._origins.add(batch)
            yield batch

    def describe_row(self, row: int) -> str:
        """Name the input and the row in it that became row ``row`` of the index."""
        return self._origins.describe(row)


def _settings(documents: _Documents, request: BuildRequest, plan: EmbeddingPlan) -> SegmentSettings:
    return SegmentSettings(
        analyzer=request.analyzer,
        vector_stage=plan.stage,
        layout=DocumentLayout.of(documents.choice),
        threads=request.threads,
        heap_bytes=request.memory_budget.heap,
        progress=lambda stage, rows: request.listener(BuildProgress(stage, rows)),
        describe_row=documents.describe_row,
        block_max=request.block_max,
    )


def _check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a place that holds something else, or an index that must stay."""
    if not out.exists():
        return
    if not out.is_dir():
        raise CorpusFormatError(f"{out}: expected a directory for the index, found a file")
    if layout.is_index(out):
        if not overwrite:
            raise CorpusFormatError(
                f"{out}: holds an octavo index; to replace it say overwrite=True or --overwrite"
            )
        if not layout.has_segments(out):
            raise CorpusFormatError(
                f"{out / layout.SEGMENTS}: expected the segments of an octavo index, found none, "
                "or a link to others"
            )
        if (out / layout.GRAPH).is_symlink():
            raise CorpusFormatError(
                f"{out / layout.GRAPH}: expected the graphs of an octavo index, found a link"
            )
    elif not layout.is_ours(out):
        raise CorpusFormatError(
            f"{out}: expected an empty directory or an octavo index, found other files"
        )


def _create(out: Path) -> bool:
    """Make the directory if it is missing; say whether it was."""
    try:
        make_directory(out)
    except FileExistsError:
        return False
    return True
