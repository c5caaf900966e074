"""The state of an index after a transaction: live rows, segments and the manifest that names them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from octavo.columns.tiers import Tiers
from octavo.embeddings.vector_model import VectorModel
from octavo.engines.choice import EXACT_ROWS
from octavo.storage.build.embedding_plan import EmbeddingPlan
from octavo.storage.build.rewrite import Rewriting
from octavo.storage.build.segment_build import build_segment
from octavo.storage.build.stages import Stage
from octavo.storage.build.work import Work
from octavo.storage.commit.commit import commit
from octavo.storage.format import layout
from octavo.storage.format.durable import sync_directory, sync_file
from octavo.storage.format.manifest import FileEntry, LiveEntry, Manifest, SegmentEntry
from octavo.storage.snapshot.live_counts import without_rows
from octavo.storage.snapshot.live_rows import write_live
from octavo.storage.snapshot.query_embedding import QueryEmbedding
from octavo.storage.snapshot.segment import Segment
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.storage.snapshot.vector_stage import Mask
from octavo.storage.writer.merge import merge_segments
from octavo.storage.writer.pending_segment import PendingSegment
from octavo.version import __version__

TIERS = Tiers(fan_out=4, small_rows=256, largest_rows=EXACT_ROWS, largest_share=8)
"""A merge of a commit is a second or two, and up to 400,000 rows needs no structure for vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment of the next state before it is written: one that is there, or the pending one."""

    segment: Segment | PendingSegment
    live: Mask
    taken_back: bool = False
    """Whether it holds rows of operations that failed, of which no trace may stay."""

    @property
    def count(self) -> int:
        """The number of live rows."""
        return int(np.count_nonzero(self.live))

    @property
    def wasteful(self) -> bool:
        """Whether it should be written again even without neighbours: few of its rows are live."""
        small = self.count <= TIERS.largest_rows
        return self.taken_back or (small and 2 * self.count < len(self.live))


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
    plan
        Where the vectors of what was added came from; ``None`` where nothing was.
    model
        Which model made the vectors that came in a column, where anything says so.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: SegmentSettings,
        work: Work,
        plan: EmbeddingPlan | None,
        model: VectorModel | None,
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._work = work
        self._plan = plan
        self._model = model
        self._old = snapshot.manifest
        self._embedding = self._old.embedding
        """Known from the first vectors on."""
        self._generation = self._old.generation + 1
        self._documents = self._old.documents

    def commit(self, live: Mask, pending: PendingSegment | None, *, taken_back: bool) -> bool:
        """Commit, unless nothing has changed; say whether it was.

        Parameters
        ----------
        live
            Which rows of the snapshot, and then of ``pending``, are live.
        pending
            The segment that was written; ``None`` where nothing was added.
        taken_back
            Whether it holds rows of operations that failed.
        """
        segments = self._snapshot.segments
        *masks, added = np.split(live, np.cumsum([segment.rows for segment in segments]))
        parts = [Part(each, mask) for each, mask in zip(segments, masks, strict=True)]
        if pending is not None and added.any():
            parts.append(Part(pending, added, taken_back))
        elif all(map(_same, segments, masks)):
            return False
        parts = [part for part in parts if part.count]
        self._documents = sum(part.count for part in parts)
        groups = [
            parts[group.start : group.stop]
            for group in TIERS.groups([part.count for part in parts])
        ]
        entries = [self._entry(group) for group in groups] or [self._empty_segment()]
        manifest = self._manifest(entries)
        self._work.progress(Stage.MANIFEST, manifest.rows)
        commit(self._snapshot.path, manifest, self._work.progress)
        return True

    def _manifest(self, entries: Sequence[SegmentEntry]) -> Manifest:
        if self._embedding is not None and self._embedding.model is None:
            self._embedding = replace(self._embedding, model=self._model)
        return replace(
            self._old,
            generation=self._generation,
            created_by=f"octavo {__version__}",
            embedding=self._embedding,
            segments=tuple(entries),
        )

    def _entry(self, group: Sequence[Part]) -> SegmentEntry:
        """Write what there is to write of neighbours that become one segment."""
        part = group[0]
        if len(group) > 1 or (part.wasteful and self._can_rewrite(part)):
            self._work.progress(Stage.MERGING, sum(part.count for part in group))
            segments = [self._open(part) for part in group]
            name = layout.next_segment_name(self._snapshot.path)
            snapshot = self._snapshot
            return merge_segments(
                snapshot.path, name, segments, snapshot, self._work, documents=self._documents
            )
        if isinstance(part.segment, PendingSegment):
            return self._finished(part.segment, part.live)
        if _same(part.segment, part.live):
            return part.segment.entry
        return self._with_live(part.segment, part.live)

    def _can_rewrite(self, part: Part) -> bool:
        """Whether the index knows how vectors are made; not if the very first ones are pending."""
        return (
            isinstance(part.segment, Segment)
            or self._plan is None
            or (self._plan.stage is None or self._old.embedding is not None)
        )

    def _open(self, part: Part) -> Segment:
        """Return the segment of a part with the live rows of the next state."""
        if isinstance(part.segment, Segment):
            return part.segment.with_live(part.segment.entry, part.live)
        dimensions = None if self._old.embedding is None else self._old.embedding.dimensions
        return part.segment.opened(self._snapshot.path, part.live, dimensions)

    def _finished(self, pending: PendingSegment, live: Mask) -> SegmentEntry:
        """Write postings and the structure of its vectors for the segment that was added."""
        entry = pending.finish(live)
        if self._embedding is None and self._plan is not None:
            self._embedding = self._plan.entry(pending.dimensions, entry.rows)
        if self._embedding is not None:
            snapshot = self._snapshot
            manifest = replace(self._old, embedding=self._embedding)
            embedding = QueryEmbedding(self._embedding, snapshot.analyzer, snapshot.function)
            rewriting = Rewriting(
                snapshot.path, manifest, snapshot.analyzer, embedding, self._work, self._documents
            )
            entry = rewriting.searchable(entry, self._embedding.dimensions)
        return self._marked(pending.directory, entry, live)

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
        self._work.progress(Stage.LIVE_ROWS, entry.rows)
        name = layout.live_file(self._generation)
        path = directory / name
        write_live(path, live)
        sync_file(path)
        sync_directory(path.parent)
        sync_directory(directory)
        before = None if entry.live is None else entry.live.file
        files = {file: stated for file, stated in entry.files.items() if file != before}
        return replace(
            entry,
            live=LiveEntry(name, int(np.count_nonzero(live))),
            files={**files, name: FileEntry.of(path)},
        )

    def _empty_segment(self) -> SegmentEntry:
        """Build a segment of no rows: an index that has lost its last document has one."""
        directory = layout.next_segment(self._snapshot.path)
        return build_segment(directory, (), self._settings)[0]


def _same(segment: Segment, live: Mask) -> bool:
    """Whether the live rows of a segment are what they were."""
    return bool(live.all()) if segment.live is None else bool(np.array_equal(segment.live, live))
