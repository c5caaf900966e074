"""Opening the segments of a state, but for those that are open already."""

from collections.abc import Sequence
from pathlib import Path

from octavo.storage.format import layout
from octavo.storage.format.files import check_sizes
from octavo.storage.format.manifest import Manifest
from octavo.storage.snapshot.segment import Segment, open_segment, reopen_live


def open_segments(
    index: Path, manifest: Manifest, earlier: tuple[Manifest, Sequence[Segment]] | None = None
) -> list[Segment]:
    """Open the segments that a manifest names, in row order.

    Parameters
    ----------
    index
        The directory of the index.
    manifest
        The state to open.
    earlier
        Another state of the index, and its open segments. One that is still the same is shared; one
        that has lost rows since shares everything but its live rows.

    Raises
    ------
    CorpusCorruptError
        A file is missing or damaged.
    """
    known: dict[str, Segment] = {}
    if earlier is not None and earlier[0].embedding == manifest.embedding:
        known = {segment.entry.name: segment for segment in earlier[1]}
    dimensions = None if manifest.embedding is None else manifest.embedding.dimensions
    segments = []
    for entry in manifest.segments:
        segment = known.get(entry.name)
        if segment is None or not segment.entry.same_rows(entry):
            check_sizes(index, layout.segment_directory(index, entry.name), entry.files)
            segment = open_segment(index, entry, dimensions)
        elif segment.entry != entry:
            segment = reopen_live(index, segment, entry)
        segments.append(segment)
    return segments
