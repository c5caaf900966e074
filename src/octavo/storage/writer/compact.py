"""Compact an index: one segment, without dead rows, as if it had been built from scratch."""

from dataclasses import replace
from pathlib import Path

from octavo.embeddings.protocol import EmbeddingFunction
from octavo.storage.build.work import Work
from octavo.storage.commit.commit import commit, without_remains
from octavo.storage.commit.lock import writer_lock
from octavo.storage.format import layout
from octavo.storage.format.durable import errors_naming
from octavo.storage.format.entries import Manifest
from octavo.storage.format.manifest import read_manifest
from octavo.storage.snapshot.snapshot import open_snapshot
from octavo.storage.writer.merge import merge_segments
from octavo.version import __version__


def compact_index(index: Path, work: Work, embedding: EmbeddingFunction | None = None) -> bool:
    """Merge all segments of an index into one and drop the rows that are not live.

    Afterwards the index gives what one gives that was built from scratch of the same documents:
    the surviving ones in their order, later ones after earlier ones. It costs about what such a
    build costs, but no document is embedded again. Until the commit the old state stays as it is,
    and on the disk beside the new: at most a second copy of the live documents, and scratch files
    of about the size of their words.

    Parameters
    ----------
    index
        The directory of the index.
    work
        Memory, threads, progress.
    embedding
        Embeds the queries that a vector structure is tuned for, where the index cannot name its
        own function.

    Returns
    -------
    bool
        Whether there was anything to do; not where there is one segment and every row is live.

    Raises
    ------
    CorpusFormatError
        ``index`` is no octavo index.
    CorpusLockedError
        Another process writes to it.
    CorpusCorruptError
        A file that must be read is damaged.
    OSError
        The disk is full, or the index cannot be written.
    """
    if is_compact(read_manifest(index)):
        return False
    with errors_naming(index), writer_lock(index):
        snapshot = open_snapshot(index, embedding)
        manifest = snapshot.manifest
        if is_compact(manifest):
            return False
        with without_remains(index, manifest):
            name = layout.next_segment_name(index)
            entry = merge_segments(index, name, snapshot.segments, snapshot, work)
            compacted = replace(
                manifest,
                generation=manifest.generation + 1,
                created_by=f"octavo {__version__}",
                segments=(entry,),
            )
            commit(index, compacted, work.progress)
    return True


def is_compact(manifest: Manifest) -> bool:
    """Whether there is one segment and all of its rows are live."""
    return len(manifest.segments) == 1 and manifest.documents == manifest.rows
