"""Tune an index that exists: choose the width of its vector search again, and commit that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.embeddings.protocol import EmbeddingFunction
from octavo.engines.choice import VectorIndexRequest
from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.storage.build.memory_budget import MemoryBudget
from octavo.storage.commit.commit import commit, without_remains
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format.durable import errors_naming
from octavo.storage.format.manifest import Manifest, read_manifest
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.snapshot import Snapshot, open_snapshot
from octavo.storage.snapshot.vector_search import VectorSearchSettings, with_vector_search
from octavo.version import __version__

FEWEST_QUERIES = 20
"""Fewer queries of the caller's own say too little about recall."""


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What an index is tuned to, and for which queries."""

    vector_index: VectorIndexRequest
    memory_budget: MemoryBudget
    threads: int
    progress: Callable[[str, int], None] = lambda _stage, _rows: None
    texts: Sequence[str] | None = None
    """Queries to tune for; by default the index samples its own documents."""
    vectors: NDArray[np.floating] | None = None
    """The same as vectors, shape ``(queries, dimensions)``."""
    embedding: EmbeddingFunction | None = None
    """Embeds query texts where the index cannot name its own function."""


def tune_index(index: Path, request: TuneRequest) -> None:
    """Tune the vector search of an index; structures are built only where there are none yet.

    Readers see the old state until the new manifest is in place. Whatever fails, the old one stays.

    Raises
    ------
    CorpusFormatError
        ``index`` is no octavo index.
    CorpusLockedError
        Another process writes to it.
    ConfigurationError
        The index has no vectors, or query texts cannot be embedded.
    InvalidArgumentError
        There are fewer than 20 queries, or their vectors do not fit.
    OSError
        The disk is full, or the index cannot be written.
    """
    read_manifest(index)
    with errors_naming(index), writer_lock(index), without_remains(index, read_manifest(index)):
        commit(index, _tuned(index, request), request.progress)


def _tuned(index: Path, request: TuneRequest) -> Manifest:
    """Return what the tuned index will be; writes the structures that are missing."""
    snapshot = open_snapshot(index, request.embedding)
    manifest = snapshot.manifest
    if manifest.embedding is None:
        raise ConfigurationError(f"{index}: the index has no vectors, so nothing can be tuned")
    samples = _samples(snapshot, request)
    embedding = QueryEmbedding(manifest.embedding, snapshot.analyzer, request.embedding)
    settings = VectorSearchSettings(
        request.vector_index,
        request.memory_budget.working,
        request.threads,
        request.progress,
    )
    segments = tuple(
        with_vector_search(segment, embedding, settings, samples) for segment in snapshot.segments
    )
    return replace(
        manifest,
        generation=manifest.generation + 1,
        created_by=f"octavo {__version__}",
        segments=segments,
        settings=replace(
            manifest.settings,
            recall=request.vector_index.recall,
            vector_index=request.vector_index.kind.value,
        ),
    )


def _samples(snapshot: Snapshot, request: TuneRequest) -> "list[Any] | None":
    from octavo.engines.vector.queries import unit_queries  # noqa: PLC0415 - heavy
    from octavo.storage.snapshot.held_back import text_sample  # noqa: PLC0415

    vectors = request.vectors
    if vectors is None:
        if request.texts is None:
            return None
        vectors = snapshot.embed(request.texts)
    sample = text_sample("queries", unit_queries(vectors, snapshot.vector_index.dimensions))
    if len(sample) < FEWEST_QUERIES:
        raise InvalidArgumentError(
            f"queries: expected at least {FEWEST_QUERIES} that say something, found {len(sample)}"
        )
    return [sample]
