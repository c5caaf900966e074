"""Damage that checksums do not show: a file is changed, and the manifest states its new checksum."""

from dataclasses import replace

import numpy as np

from octavo.storage.commit.commit import commit
from octavo.storage.format import layout
from octavo.storage.format.manifest import FileEntry, read_manifest


def restated(index, number=0, **changes):
    """Let the manifest state what the files of a segment are now, and ``changes`` of its entry."""
    manifest = read_manifest(index)
    entry = manifest.segments[number]
    directory = layout.segment_directory(index, entry.name)
    files = {
        path.relative_to(directory).as_posix(): FileEntry.of(path)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }
    segments = list(manifest.segments)
    segments[number] = replace(entry, **{"files": files, **changes})
    commit(index, replace(manifest, generation=manifest.generation + 1, segments=tuple(segments)))


def flip(path, position=-1):
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def edit(path, change):
    """Change the array in a ``.npy`` file by a function."""
    array = np.load(path)
    np.save(path, change(array.copy()), allow_pickle=False)
