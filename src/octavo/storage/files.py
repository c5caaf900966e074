"""Listing and checking the files that a manifest names."""

import os
from pathlib import Path

from octavo.errors import CorpusCorruptError
from octavo.storage.durable import sync_directory, sync_file
from octavo.storage.layout import segment_directory
from octavo.storage.manifest import FileEntry, SegmentEntry


def sync_and_list(directory: Path) -> dict[str, FileEntry]:
    """Flush every file below ``directory`` to the disk and return their entries by relative path."""
    entries = {}
    for path in sorted(directory.rglob("*")):
        if path.is_dir():
            sync_directory(path)
            continue
        sync_file(path)
        entries[path.relative_to(directory).as_posix()] = FileEntry.of(path)
    sync_directory(directory)
    return entries


def check_sizes(index: Path, segment: SegmentEntry) -> None:
    """Check that every file of a segment is there, inside, and has its size; reads no content.

    Raises
    ------
    CorpusCorruptError
        Naming the first file that is missing, lies elsewhere or has another size.
    """
    inside = os.path.realpath(index)
    directory = segment_directory(index, segment.name)
    for name, entry in segment.files.items():
        path = directory / name
        if not Path(os.path.realpath(path)).is_relative_to(inside):
            raise CorpusCorruptError(f"{path}: leads out of the index")
        try:
            found = path.stat().st_size
        except FileNotFoundError:
            raise CorpusCorruptError(f"{path}: the file is missing") from None
        if found != entry.size:
            raise CorpusCorruptError(f"{path}: expected {entry.size} bytes, found {found}")
