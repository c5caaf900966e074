"""Indexes of several segments with deleted rows, made by hand.

A writer merges small segments and so drops deleted rows; here each stays where a test wants it.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from octavo import Analyzer, Corpus
from octavo.storage.commit.commit import commit
from octavo.storage.format import layout
from octavo.storage.format.manifest import FileEntry, LiveEntry, read_manifest
from octavo.storage.snapshot.live_rows import write_live
from octavo.storage.snapshot.segment import open_segment


def append(path, table, **options):
    """Add documents as a segment of their own, built as the first was: with ``options``."""
    manifest = read_manifest(path)
    name = layout.next_segment_name(path)
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / "index"
        Corpus.build(table, other, **options)
        (entry,) = read_manifest(other).segments
        built = layout.segment_directory(other, entry.name)
        shutil.move(built, layout.segment_directory(path, name))
    segments = (*manifest.segments, replace(entry, name=name))
    commit(path, replace(manifest, generation=manifest.generation + 1, segments=segments))


def delete(path, ids):
    """Mark the live rows of some ids as deleted; unknown ids are nothing."""
    manifest = read_manifest(path)
    generation = manifest.generation + 1
    segments = [_without(path, segment, set(ids), generation, manifest) for segment in manifest.segments]  # fmt: skip
    commit(path, replace(manifest, generation=generation, segments=tuple(segments)))


def upsert(path, table, **options):
    """Replace documents: their rows die, and new ones come at the end."""
    delete(path, table[options.get("id", "id")].to_pylist())
    append(path, table, **options)


def _without(path, entry, ids, generation, manifest):
    dimensions = None if manifest.embedding is None else manifest.embedding.dimensions
    segment = open_segment(path, entry, dimensions)
    live = np.ones(entry.rows, np.bool_) if segment.live is None else segment.live.copy()
    own = segment.columns.texts("id", list(range(entry.rows)))
    live &= np.array([each not in ids for each in own], np.bool_)
    file = layout.live_file(generation)
    write_live(segment.directory / file, live)
    files = {name: each for name, each in entry.files.items() if not name.startswith(layout.LIVE)}
    rows = np.flatnonzero(live)
    missing = 0 if segment.vector_present is None else np.sum(~segment.vector_present[rows])
    words = Analyzer.from_dict(manifest.analyzer).tokens_batch(_texts(segment.columns, rows))
    return replace(
        entry,
        live=LiveEntry(file, len(rows)),
        null_vectors=int(missing),
        empty_texts=sum(not each for each in words),
        files={**files, file: FileEntry.of(segment.directory / file)},
    )


def _texts(columns, rows):
    parts = [columns.texts(name, rows.tolist()) for name in ("title", "content") if name in columns.names]  # fmt: skip
    return ["\n".join(part or "" for part in each) for each in zip(*parts, strict=True)]
