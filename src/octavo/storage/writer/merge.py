"""Merge consecutive segments into one: a build of their live rows, with the vectors that are there."""

from collections.abc import Sequence
from pathlib import Path

from octavo.errors import CorpusCorruptError, InvalidArgumentError
from octavo.storage.build.rewrite import Rewriting
from octavo.storage.build.work import Work
from octavo.storage.format import layout
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.snapshot.segment import Segment, whole_file
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.snapshot.stored_batches import StoredVectors

KEPT_FILES = (
    layout.DOCUMENTS,
    layout.DICTIONARIES,
    layout.VECTORS,
    layout.VECTOR_PRESENT,
    layout.ONLY_PARENTS,
)
"""What is read back from a segment; the other files follow from these and are made again."""


def merge_segments(
    index: Path,
    name: str,
    segments: Sequence[Segment],
    snapshot: Snapshot,
    work: Work,
    *,
    documents: int | None = None,
) -> SegmentEntry:
    """Write the live rows of consecutive segments as one new segment, flushed to the disk.

    The result is what a build from scratch of the same documents writes, but for the random names
    that tantivy gives its files: the same columns, the same postings, the same bits of every
    vector. The vectors' structure is of the kind, and tuned to the recall, that the index was
    built for.

    Peak memory is that of a build. On the disk the new segment stands beside the old ones, and its
    scratch files for a while.

    Parameters
    ----------
    index
        The directory of the index, whose writer's lock the caller holds.
    name
        Of the new segment, see :func:`octavo.storage.format.layout.next_segment_name`.
    segments
        Open segments of ``snapshot``, neighbours in row order.
    snapshot
        The present state.
    work
        Memory, threads, progress.
    documents
        Of the whole index when this is done; by default as many as there are.

    Raises
    ------
    CorpusCorruptError
        A file that is read back is not what was written: a merge must not make damage look whole.
        Nothing is left behind.
    OSError
        The disk is full. Nothing is left behind.
    """
    for segment in segments:
        for file in KEPT_FILES:
            if file in segment.entry.files:
                whole_file(segment.directory, segment.entry, file)
    stage = None if snapshot.manifest.embedding is None else StoredVectors()
    rewriting = Rewriting(
        index, snapshot.manifest, snapshot.analyzer, snapshot.query_embedding, work, documents
    )
    try:
        return rewriting.segment(name, segments, stage)
    except InvalidArgumentError as error:  # what was acceptable once
        raise CorpusCorruptError(f"{index}: {error}") from error
