"""Listing and checking the files that a manifest names."""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from octavo.errors import CorpusCorruptError
from octavo.storage.format.durable import sync_directory, sync_file
from octavo.storage.format.manifest import FileEntry

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


def check_sizes(index: Path, directory: Path, files: Mapping[str, FileEntry]) -> None:
    """Check that every file of a directory is there, inside, and has its size; reads no content.

    Nothing below the directory may lead out of the index, whether the manifest names it or not.

    Raises
    ------
    CorpusCorruptError
        Naming the first file that is missing, lies elsewhere or has another size.
    """
    home = os.path.realpath(index)
    _check_inside(directory, home)
    sizes = dict(_sizes_below(directory, "", home))
    for name, entry in files.items():
        found = sizes.get(os.path.normpath(name))
        if found is None:
            raise CorpusCorruptError(f"{directory / name}: the file is missing")
        if found != entry.size:
            raise CorpusCorruptError(
                f"{directory / name}: expected {entry.size} bytes, found {found}"
            )


def _sizes_below(directory: Path, prefix: str, home: str) -> Iterator[tuple[str, int]]:
    """Yield the relative path and the size of every regular file."""
    with suppress(FileNotFoundError), os.scandir(directory) as entries:
        for entry in entries:
            path, name = Path(entry.path), f"{prefix}{entry.name}"
            if entry.is_symlink():
                _check_inside(path, home)
                if path.is_dir():
                    raise CorpusCorruptError(f"{path}: expected a directory, found a link to one")
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes_below(path, f"{name}/", home)
            elif entry.is_file():
                yield name, entry.stat().st_size


def _check_inside(path: Path, home: str) -> None:
    if not Path(os.path.realpath(path)).is_relative_to(home):
        raise CorpusCorruptError(f"{path}: leads out of the index")
