"""Build an index from documents: read, write beside, and swap in with one commit.

Whatever happens before the commit, the old index (or none) is what a reader finds; whatever happens
after it, the new one.
"""

from dataclasses import replace
from pathlib import Path

from octavo.columns.documents_file import DocumentLayout
from octavo.columns.sources import (
    Input,
)
from octavo.parallel import checked_threads
from octavo.storage.build.build_inputs import BuildInputs
from octavo.storage.build.build_request import VECTORS_REUSED, BuildProgress, BuildRequest
from octavo.storage.build.embedding_plan import EmbeddingPlan, plan_embedding
from octavo.storage.build.reuse import ReusingStage, stored_texts
from octavo.storage.build.segment_build import build_segment
from octavo.storage.build.target import (
    check_target,
    create_target,
    present_state,
    tidy_target,
)
from octavo.storage.commit.commit import commit, remove_remains
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format import layout
from octavo.storage.format.durable import errors_naming
from octavo.storage.format.graph_files import write_graph_columns
from octavo.storage.format.manifest import (
    ColumnsEntry,
    EmbeddingEntry,
    Manifest,
    SegmentEntry,
    UpdateSettings,
)
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import open_segment
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.vector_search import VectorSearchSettings, with_vector_search
from octavo.storage.snapshot.vector_stage import FunctionStage
from octavo.version import __version__


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
    check_target(out, overwrite=request.overwrite)
    documents = BuildInputs.choose(inputs, request, plan)
    if documents.model is not None:
        plan = replace(plan, model=documents.model)
    request.listener(documents.choice)
    with errors_naming(out):
        created = create_target(out)
        with writer_lock(out):
            try:
                check_target(out, overwrite=request.overwrite)
                _build_and_commit(documents, out, request, plan)
            except BaseException:
                # Only the holder of the lock may remove what is there.
                tidy_target(out, created=created)
                raise


def _build_and_commit(
    documents: "BuildInputs", out: Path, request: BuildRequest, plan: EmbeddingPlan
) -> None:
    before = present_state(out)
    if before is not None or not layout.is_index(out):
        remove_remains(out, before)
    lender = out if request.vectors_of is None else request.vectors_of
    plan = _reusing(lender, before if lender == out else present_state(lender), plan)
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


def _reusing(lender: Path, state: Manifest | None, plan: EmbeddingPlan) -> EmbeddingPlan:
    """Let an embedding function off the texts that another index, or the one before, has vectors of.

    The hash embedding is quicker made than looked up.
    """
    if state is None or not isinstance(plan.stage, FunctionStage):
        return plan
    known = stored_texts(lender, state, plan.specification, plan.fingerprint)
    return plan if known is None else replace(plan, stage=ReusingStage(plan.stage.function, known))


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


def _settings(
    documents: BuildInputs, request: BuildRequest, plan: EmbeddingPlan
) -> SegmentSettings:
    return SegmentSettings(
        analyzer=request.analyzer,
        vector_stage=plan.stage,
        layout=DocumentLayout.of(documents.choice),
        threads=request.threads,
        heap_bytes=request.memory_budget.heap,
        progress=lambda stage, rows: request.listener(BuildProgress(stage, rows)),
        describe_row=request.describe_row or documents.describe_row,
        block_max=request.block_max,
    )
