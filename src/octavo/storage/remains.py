"""Removing what no manifest names: of killed or failed writers, and of the state before."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from octavo.storage import layout
from octavo.storage.entries import Manifest


def remove_unnamed(index: Path, manifests: Collection[Manifest]) -> None:
    """Remove the segments, and the files inside segments, that none of ``manifests`` names.

    Only names that octavo could have made are removed, and no link is followed. A reader that holds
    a file keeps it.

    Raises
    ------
    OSError
        Something cannot be removed.
    """
    for name in (layout.MANIFEST, layout.MANIFEST_COPY):
        (index / f"{name}{layout.TEMPORARY}").unlink(missing_ok=True)
    if not layout.has_segments(index):
        return
    named: dict[str, set[str]] = {}
    for manifest in manifests:
        for segment in manifest.segments:
            named.setdefault(segment.name, set()).update(segment.files)
    for directory in _directories(index / layout.SEGMENTS):
        if layout.is_segment_name(directory.name):
            _remove_below(directory, directory, named.get(directory.name, set()))
            if directory.name not in named:
                _remove_if_empty(directory)


def _remove_below(segment: Path, directory: Path, named: Collection[str]) -> None:
    for entry in list(os.scandir(directory)):
        path = Path(entry.path)
        name = path.relative_to(segment).as_posix()
        if not layout.is_segment_path(name):
            continue
        if entry.is_dir(follow_symlinks=False):
            _remove_below(segment, path, named)
            if not any(each.startswith(f"{name}/") for each in named):
                _remove_if_empty(path)
        elif name not in named:
            path.unlink(missing_ok=True)


def _directories(parent: Path) -> Iterator[Path]:
    with os.scandir(parent) as entries:
        found = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    yield from map(Path, found)


def _remove_if_empty(directory: Path) -> None:
    with os.scandir(directory) as entries:
        if next(entries, None) is None:
            directory.rmdir()
