"""Listing and checking the files that a manifest names."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from octavo.errors import CorpusCorruptError
from octavo.storage.durable import sync_directory, sync_file
from octavo.storage.layout import segment_directory
from octavo.storage.manifest import FileEntry, SegmentEntry

_THREADS = 8
"""Flushed side by side, many files take a disk little longer than one."""


def sync_and_list(directory: Path) -> dict[str, FileEntry]:
    """Flush every file below ``directory`` to the disk and return their entries by relative path."""
    directories: list[Path] = [directory]
    files: list[Path] = []
    for path in sorted(directory.rglob("*")):
        (directories if path.is_dir() else files).append(path)

    def flush(path: Path) -> FileEntry:
        sync_file(path)
        return FileEntry.of(path)

    with ThreadPoolExecutor(min(_THREADS, max(1, len(files)))) as pool:
        entries = list(pool.map(flush, files))
        list(pool.map(sync_directory, directories))
    names = [path.relative_to(directory).as_posix() for path in files]
    return dict(zip(names, entries, strict=True))


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
