"""Give a segment the structure that its vectors are searched with, and tune it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo.engines.choice import VectorIndexKind, VectorIndexRequest
from octavo.storage.format import layout
from octavo.storage.format.manifest import SegmentEntry, VectorSearchEntry
from octavo.storage.format.structure_file import open_structure_file
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import Segment

if TYPE_CHECKING:
    from octavo.engines.vector.sample import Sample
    from octavo.engines.vector.search_cost import SearchCost


_FEW_HASH_DIMENSIONS = 512
"""Up to here comparing all hash vectors beats looking at most lists."""


@dataclass(frozen=True, slots=True)
class VectorSearchSettings:
    """What was asked for, and what the work may take."""

    request: VectorIndexRequest
    memory: int
    threads: int
    progress: Callable[[str, int], None]


def with_vector_search(
    segment: Segment,
    embedding: QueryEmbedding,
    settings: VectorSearchSettings,
    samples: "Sequence[Sample] | None" = None,
) -> SegmentEntry:
    """Return the entry of a segment with a structure of the kind and recall asked for.

    A structure that the segment has already is tuned again, not built again.

    Parameters
    ----------
    segment
        An open segment; new files are written beside its others.
    embedding
        Embeds the sample queries, where it can.
    settings
        Recall target, kind, memory and threads.
    samples
        The queries to tune for; by default sampled from the segment.

    Raises
    ------
    OSError
        The disk is full.
    """
    entry, vectors = segment.entry, segment.vectors
    if vectors is None:
        return entry
    target = settings.request.recall
    kind = _kind(segment, settings, vectors.shape[1], embedding)
    if kind is VectorIndexKind.FLAT:
        return replace(entry, vector_search=VectorSearchEntry("flat", target))
    from octavo.storage.snapshot.held_back import held_back  # noqa: PLC0415 - heavy

    built = replace(segment, entry=_with_files(segment, kind, settings))
    search = _tuned(built, kind, settings, lambda: samples or held_back(built, embedding))
    return replace(built.entry, vector_search=search)


def _kind(
    segment: Segment,
    settings: VectorSearchSettings,
    dimensions: int,
    embedding: QueryEmbedding,
) -> VectorIndexKind:
    """Return the structure asked for; where none is named, the one that is there already.

    None is built unasked for hash vectors: they hardly form groups, so that comparing all of them
    is faster (measured: 886,323 rows, a third of the time in a batch for twice the time alone).
    """
    request, entry = settings.request, segment.entry
    if request.kind is VectorIndexKind.AUTOMATIC and request.recall < 1.0:
        for kind in sorted(
            (VectorIndexKind.LISTS, VectorIndexKind.GRAPH),
            key=lambda kind: entry.vector_search is None or entry.vector_search.kind != kind.value,
        ):  # the one in use first
            if _file_of(kind) in entry.files:
                return kind
        if embedding.is_hash and dimensions <= _FEW_HASH_DIMENSIONS:
            return VectorIndexKind.FLAT
    present = segment.vector_present
    # Those of dead rows too, which the manifest's count of rows without a vector leaves out.
    count = segment.rows if present is None else int(present.sum())
    return request.kind_for(count, dimensions, settings.memory)


def _with_files(
    segment: Segment, kind: VectorIndexKind, settings: VectorSearchSettings
) -> SegmentEntry:
    from octavo.storage.snapshot.structures import write_structure  # noqa: PLC0415 - heavy

    entry = segment.entry
    if _file_of(kind) in entry.files or segment.vectors is None:
        return entry
    settings.progress("vectors", 0)
    written = write_structure(
        segment.directory,
        kind,
        segment.vectors,
        segment.vector_present,
        threads=settings.threads,
        progress=lambda rows: settings.progress("vectors", rows),
    )
    return replace(entry, files={**entry.files, **written})


def _tuned(
    segment: Segment,
    kind: VectorIndexKind,
    settings: VectorSearchSettings,
    samples: "Callable[[], Sequence[Sample]]",
) -> VectorSearchEntry:
    from octavo.engines.vector.tuning import tune  # noqa: PLC0415 - heavy
    from octavo.storage.snapshot.structures import load_nominator  # noqa: PLC0415

    target = settings.request.recall
    if segment.vectors is None:
        return VectorSearchEntry("flat", target)
    settings.progress("tuning", 0)
    file = open_structure_file(segment.directory, segment.entry, _file_of(kind))
    found = tune(
        load_nominator(file, segment.vectors),
        segment.vectors,
        segment.vector_present,
        samples(),
        target,
        live=segment.live,
        rival=_rival(segment, kind, settings.request),
        threads=settings.threads,
    )
    settings.progress("tuning", segment.rows)
    if found is None:
        return VectorSearchEntry("flat", target)
    return VectorSearchEntry(
        kind=kind.value,
        target=target,
        efforts=found.width.efforts,
        nominees=found.width.nominees,
        recall=found.recall,
        recalls=found.recalls,
        queries=found.queries,
        single_seconds=found.single_seconds,
        batch_seconds=found.batch_seconds,
        compared=found.compared,
    )


def _rival(
    segment: Segment, kind: VectorIndexKind, request: VectorIndexRequest
) -> "SearchCost | None":
    """Return what lists nobody asked for by name must cost less than."""
    from octavo.engines.vector.search_cost import scan_cost  # noqa: PLC0415 - heavy

    before = segment.entry.vector_search
    asked_for = request.kind is kind or (before is not None and before.kind == kind.value)
    if segment.vectors is None or kind is not VectorIndexKind.LISTS or asked_for:
        return None
    rows, dimensions = segment.vectors.shape
    return scan_cost(rows, dimensions, coded=segment.vector_codes is not None)


def _file_of(kind: VectorIndexKind) -> str:
    return layout.VECTOR_GRAPH if kind is VectorIndexKind.GRAPH else layout.VECTOR_LISTS
