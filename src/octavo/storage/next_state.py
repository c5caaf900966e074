"""The state of an index after a transaction: live rows, segments and the manifest that names them."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from octavo.engines.choice import requested_vector_index
from octavo.storage import layout
from octavo.storage.commit import commit
from octavo.storage.durable import sync_directory, sync_file
from octavo.storage.embedding_plan import EmbeddingPlan
from octavo.storage.live_counts import without_rows
from octavo.storage.live_rows import write_live
from octavo.storage.manifest import (
    EmbeddingEntry,
    FileEntry,
    LiveEntry,
    Manifest,
    SegmentEntry,
    read_manifest,
)
from octavo.storage.pending_segment import PendingSegment
from octavo.storage.query_embedding import QueryEmbedding
from octavo.storage.segment import Segment, open_segment
from octavo.storage.segment_build import build_segment, discard
from octavo.storage.segment_settings import SegmentSettings
from octavo.storage.snapshot import Snapshot
from octavo.storage.stages import Stage
from octavo.storage.vector_search import VectorSearchSettings, with_vector_search
from octavo.storage.vector_stage import Mask
from octavo.storage.work import Work
from octavo.version import __version__


class NextState:
    """Writes what a transaction has come to, and commits it.

    Parameters
    ----------
    snapshot
        The state it began with.
    settings
        How segments are built.
    work
        Memory, threads and a listener, told each stage.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: SegmentSettings,
        work: Work,
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._work = work
        self._generation = snapshot.manifest.generation + 1
        self._created: list[Path] = []

    def commit(
        self, live: Mask, pending: PendingSegment | None, plan: EmbeddingPlan | None
    ) -> bool:
        """Commit, unless nothing has changed; say whether it was.

        Parameters
        ----------
        live
            Which rows of the snapshot, and then of ``pending``, are live.
        pending
            The segment that was written; ``None`` where nothing was added.
        plan
            Where its vectors came from.
        """
        before = self._snapshot.rows
        ends = np.cumsum([segment.rows for segment in self._snapshot.segments])
        masks = np.split(live[:before], ends[:-1])
        added = pending is not None and bool(live[before:].any())
        if not added and all(map(_same, self._snapshot.segments, masks)):
            return False
        try:
            manifest = self._manifest(masks, live[before:], pending if added else None, plan)
            self._work.progress(Stage.MANIFEST, manifest.rows)
            self._commit(manifest)
        except BaseException:
            self._discard_unless_committed()
            raise
        return True

    def _manifest(
        self,
        masks: list[Mask],
        added: Mask,
        pending: PendingSegment | None,
        plan: EmbeddingPlan | None,
    ) -> Manifest:
        old = self._snapshot.manifest
        entries: list[SegmentEntry] = []
        for segment, mask in zip(self._snapshot.segments, masks, strict=True):
            if mask.any():
                entries.append(
                    segment.entry if _same(segment, mask) else self._with_live(segment, mask)
                )
        embedding = old.embedding
        if pending is not None and plan is not None:
            entry = pending.finish(added)
            embedding = embedding or plan.entry(pending.dimensions, entry.rows)
            entry = self._marked(pending.directory, entry, added)
            entries.append(self._searchable(entry, embedding))
        return replace(
            old,
            generation=self._generation,
            created_by=f"octavo {__version__}",
            embedding=embedding,
            segments=tuple(entries) or (self._empty_segment(),),
        )

    def _with_live(self, segment: Segment, live: Mask) -> SegmentEntry:
        """Return the entry of a segment of which rows have died."""
        before = np.ones(segment.rows, np.bool_) if segment.live is None else segment.live
        dead = np.flatnonzero(before & ~live)
        entry = without_rows(segment, dead, self._snapshot.analyzer)
        return self._marked(segment.directory, entry, live)

    def _marked(self, directory: Path, entry: SegmentEntry, live: Mask) -> SegmentEntry:
        """Write down which rows of a segment are live."""
        if live.all():
            return entry
        name = layout.live_file(self._generation)
        path = directory / name
        self._work.progress(Stage.LIVE_ROWS, entry.rows)
        self._created.append(path if path.parent.is_dir() else path.parent)
        write_live(path, live)
        sync_file(path)
        sync_directory(path.parent)
        sync_directory(directory)
        old = None if entry.live is None else entry.live.file
        files = {file: stated for file, stated in entry.files.items() if file != old}
        count = int(np.count_nonzero(live))
        return replace(
            entry, live=LiveEntry(name, count), files={**files, name: FileEntry.of(path)}
        )

    def _searchable(self, entry: SegmentEntry, embedding: EmbeddingEntry | None) -> SegmentEntry:
        """Give a new segment the structure that so many vectors are searched with."""
        if embedding is None:
            return entry
        asked = self._snapshot.manifest.settings
        return with_vector_search(
            open_segment(self._snapshot.path, entry, embedding.dimensions),
            QueryEmbedding(embedding, self._snapshot.analyzer, self._snapshot.function),
            VectorSearchSettings(
                requested_vector_index(asked.recall, asked.vector_index),
                self._work.memory_budget.working,
                self._work.threads,
                self._work.progress,
            ),
        )

    def _empty_segment(self) -> SegmentEntry:
        """Build a segment of no rows: an index that has lost its last document has one."""
        directory = layout.next_segment(self._snapshot.path)
        self._created.append(directory)
        return build_segment(directory, (), replace(self._settings, vector_stage=None))[0]

    def _commit(self, manifest: Manifest) -> None:
        commit(self._snapshot.path, manifest, self._work.progress)

    def _discard_unless_committed(self) -> None:
        if read_manifest(self._snapshot.path).generation == self._generation:
            return
        for path in self._created:
            if path.is_dir():
                discard(path)
            else:
                path.unlink(missing_ok=True)


def _same(segment: Segment, live: Mask) -> bool:
    """Whether the live rows of a segment are what they were."""
    return bool(live.all()) if segment.live is None else bool(np.array_equal(segment.live, live))
