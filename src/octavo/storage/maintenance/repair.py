"""Repair an index: build again what follows from what is whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError, CorpusCorruptError
from octavo.storage.build.rewrite import Rewriting
from octavo.storage.build.work import Work
from octavo.storage.commit.commit import commit, without_remains
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format import layout
from octavo.storage.format.durable import errors_naming
from octavo.storage.format.manifest import Manifest, SegmentEntry, read_manifest
from octavo.storage.maintenance.verify import verify_manifest
from octavo.storage.maintenance.verify_segment import Problem
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.stored_analyzer import stored_analyzer
from octavo.storage.snapshot.stored_batches import PrimaryParts, StoredVectors
from octavo.storage.snapshot.vector_stage import FunctionStage, HashStage, VectorStage
from octavo.version import __version__

_PARTS = {
    layout.MANIFEST: "manifest",
    layout.MANIFEST_COPY: "manifest",
    layout.ID_HASHES: "ids",
    layout.ID_ROWS: "ids",
    layout.GRAPH_NODES: "graph nodes",
    layout.KEYWORD: "postings",
    layout.BLOCK_MAX: "block-max postings",
    layout.VECTOR_CODES: "vector codes",
    layout.VECTOR_BOUNDS: "vector codes",
    layout.VECTOR_LISTS: "vector lists",
    layout.LIST_OF_ROW: "vector lists",
    layout.VECTOR_GRAPH: "vector graph",
    layout.VECTORS: "vectors",
    layout.VECTOR_PRESENT: "vectors",
}
"""What a file or directory at the top of a segment is part of, if it can be made again."""

_COUNTS = "counts"


@dataclass(frozen=True, slots=True)
class Repair:
    """What was wrong with an index, and what was done about it.

    Parameters
    ----------
    problems
        What :func:`octavo.storage.maintenance.verify.verify_index` found; nothing in a whole index.
    rebuilt
        The parts that were damaged and are whole now: ``manifest``, ``ids``, ``graph nodes``,
        ``postings``, ``block-max postings``, ``vectors``, ``vector codes``, ``vector lists``,
        ``vector graph`` or ``counts``.
    segments
        How many segments were written again.
    """

    problems: tuple[Problem, ...] = ()
    rebuilt: tuple[str, ...] = ()
    segments: int = 0


def repair_index(index: Path, work: Work, embedding: EmbeddingFunction | None = None) -> Repair:
    """Build the damaged parts of an index again from its documents, and commit that.

    A segment with a damaged part is written again from its columns, without the rows that are not
    live; stored vectors pass bit by bit. Vectors that are damaged themselves are made again where
    the hash embedding or a function made them. A damaged manifest is written again from its copy.
    What nothing else tells cannot be made again: the documents and the values of their metadata,
    vectors that came in a column, which rows are deleted, which are only parents, and the edges of a
    graph. Then nothing is changed at all.

    Nothing is done to a whole index. Whatever happens before the commit, the index is as damaged
    as before and not more; the disk needs room for a second copy of the damaged segments.

    Parameters
    ----------
    index
        The directory of the index.
    work
        Memory, threads, progress.
    embedding
        The function that made the vectors, where they are damaged and the index cannot name it.

    Raises
    ------
    CorpusFormatError
        ``index`` is no octavo index, or one of another format or analyser.
    CorpusCorruptError
        Something that nothing else tells is damaged; the message names it.
    CorpusLockedError
        Another process writes to the index.
    OctavoError
        The embedding function fails, or its vectors do not fit the others.
    OSError
        The disk is full, or the index cannot be written.
    """
    read_manifest(index)
    with errors_naming(index), writer_lock(index):
        manifest = read_manifest(index)
        problems = verify_manifest(index, manifest).problems
        if not problems:
            return Repair()
        asked = QueryEmbedding(manifest.embedding, stored_analyzer(index, manifest), embedding)
        damaged = _damaged(index, manifest, problems, asked)
        with without_remains(index, manifest):
            repaired = _repaired(index, manifest, damaged, asked, work)
            commit(index, repaired, work.progress)
    parts = {part for each in damaged.values() for part in each}
    if any(problem.path.parent == index for problem in problems):
        parts.add("manifest")
    return Repair(problems, tuple(sorted(parts)), len(damaged))


def _damaged(
    index: Path, manifest: Manifest, problems: Sequence[Problem], embedding: QueryEmbedding
) -> dict[str, set[str]]:
    """Return the damaged parts of each damaged segment, all of which can be made again.

    Raises
    ------
    CorpusCorruptError
        One of them cannot.
    """
    damaged: dict[str, set[str]] = {}
    lost: list[str] = []
    again, why_not = _can_embed(manifest, embedding)
    for problem in problems:
        if problem.path.name in {layout.MANIFEST, layout.MANIFEST_COPY}:
            continue
        name, part = _part(index, problem.path)
        if part is None or (part == "vectors" and not again):
            edges = layout.GRAPH in problem.path.relative_to(index).parts[:1]
            why = " (build the index again with its edges)" if edges else ""
            lost.append(f"{problem}{why_not if part == 'vectors' else why}")
        else:
            damaged.setdefault(name, set()).add(part)
    if lost:
        raise CorpusCorruptError(
            f"{index}: cannot be repaired, and stays as it is; nothing else tells what is damaged "
            f"in {'; '.join(lost)}"
        )
    return damaged


def _part(index: Path, path: Path) -> tuple[str, str | None]:
    """Return the segment of a damaged file, and the part that it belongs to, if it can be made."""
    try:
        segment, *names = path.relative_to(index / layout.SEGMENTS).parts
    except ValueError:
        return "", None
    return segment, _PARTS.get(names[0]) if names else _COUNTS


def _can_embed(manifest: Manifest, embedding: QueryEmbedding) -> tuple[bool, str]:
    """Return whether vectors can be made again, and why not."""
    entry = manifest.embedding
    if entry is None or entry.specification.startswith("column:"):
        return False, " (the vectors came in a column)"
    try:
        embedding.function()
    except ConfigurationError as error:
        return False, f" ({error})"
    return True, ""


def _repaired(
    index: Path,
    manifest: Manifest,
    damaged: dict[str, set[str]],
    embedding: QueryEmbedding,
    work: Work,
) -> Manifest:
    """Write damaged segments again; return the state that has the new ones in their places."""
    rewriting = Rewriting(index, manifest, stored_analyzer(index, manifest), embedding, work)
    entries = [
        _again(rewriting, entry, damaged[entry.name]) if entry.name in damaged else entry
        for entry in manifest.segments
    ]
    return replace(
        manifest,
        generation=manifest.generation + 1,
        created_by=f"octavo {__version__}",
        segments=tuple(entries),
    )


def _again(rewriting: Rewriting, entry: SegmentEntry, parts: Iterable[str]) -> SegmentEntry:
    """Write one segment again."""
    index, embedding = rewriting.index, rewriting.manifest.embedding
    whole = embedding is not None and "vectors" not in parts
    dimensions = embedding.dimensions if embedding is not None and whole else None
    stored = PrimaryParts.open(layout.segment_directory(index, entry.name), entry, dimensions)
    stage: VectorStage | None = None
    if embedding is not None:
        stage = StoredVectors() if whole else _stage(rewriting.embedding, embedding.dimensions)
    return rewriting.segment(layout.next_segment_name(index), [stored], stage)


def _stage(embedding: QueryEmbedding, dimensions: int) -> VectorStage:
    function = embedding.function()
    if isinstance(function, HashEmbedding):
        return HashStage(function)
    return FunctionStage(function, dimensions)
