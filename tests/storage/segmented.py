"""Indexes of several segments with dead rows, put together from builds without a writer."""

import shutil
from dataclasses import replace

import numpy as np

from octavo import Corpus
from octavo.storage.commit.commit import commit
from octavo.storage.format import layout
from octavo.storage.format.manifest import FileEntry, LiveEntry, read_manifest
from octavo.storage.snapshot.live_rows import write_live
from octavo.storage.snapshot.segment import open_columns


def segmented(out, parts, dead=(), parents=(), **options):
    """Build an index at ``out`` with a segment for each table of ``parts``.

    ``dead`` has for each part the rows that are deleted; ``parents`` a table for parts that have
    documents that are only parents.
    """
    options = {"embedding": "hash", "threads": 1, **options}
    entries = []
    for number, table in enumerate(parts, 1):
        beside = out.with_name(f"{out.name}-part{number}")
        parent = dict(zip(range(1, 99), parents, strict=False)).get(number)
        Corpus.build(table, beside, **options, parents=parent)
        manifest = read_manifest(beside)
        (entry,) = manifest.segments
        directory = layout.segment_directory(out, f"{number:08d}")
        directory.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(layout.segment_directory(beside, entry.name), directory)
        shutil.rmtree(beside)
        rows = dict(enumerate(dead, 1)).get(number, ())
        entries.append(_without(directory, replace(entry, name=directory.name), rows))
    (out / layout.LOCK).touch()
    commit(out, replace(manifest, segments=tuple(entries)))
    return Corpus.open(
        out, embedding=options["embedding"] if callable(options["embedding"]) else None
    )


def _without(directory, entry, dead):
    if not len(dead):
        return entry
    live = np.ones(entry.rows, bool)
    live[list(dead)] = False
    name = layout.live_file(1)
    write_live(directory / name, live)
    present = directory / layout.VECTOR_PRESENT
    without_vector = np.load(present) if present.exists() else np.ones(entry.rows, bool)
    texts = open_columns(directory, entry.rows)
    everything = range(entry.rows)
    words = zip(texts.texts("title", everything), texts.texts("content", everything), strict=True)
    silent = np.array([not ((title or "") + (content or "")) for title, content in words], bool)
    marks = directory / layout.ONLY_PARENTS
    silent |= np.load(marks) if marks.exists() else False
    return replace(
        entry,
        live=LiveEntry(name, int(live.sum())),
        empty_texts=int((live & silent).sum()),
        null_vectors=int((live & ~without_vector).sum()),
        files={**entry.files, name: FileEntry.of(directory / name)},
    )


def files_of(index, *, without=()):
    """The content of each file of the one segment of an index, tantivy's own aside."""
    (segment,) = (index / layout.SEGMENTS).iterdir()
    return {
        name: path.read_bytes()
        for path in sorted(segment.rglob("*"))
        if path.is_file()
        and not (name := path.relative_to(segment).as_posix()).startswith("keyword/")
        and name not in without
    }
