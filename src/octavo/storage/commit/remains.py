"""Removing what no manifest names: of killed or failed writers, and of the state before."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from octavo.storage.format import layout
from octavo.storage.format.entries import Manifest


def remove_unnamed(index: Path, manifests: Collection[Manifest]) -> None:
    """Remove the segments and graphs, and the files inside them, that no manifest names.

    Only names that octavo could have made are removed, and no link is followed. A reader that holds
    a file keeps it.

    Raises
    ------
    OSError
        Something cannot be removed.
    """
    for name in (layout.MANIFEST, layout.MANIFEST_COPY):
        (index / f"{name}{layout.TEMPORARY}").unlink(missing_ok=True)
    for parent, named in named_files(manifests).items():
        if not layout.is_own_directory(index / parent):
            continue
        for directory in _directories(index / parent):
            if layout.is_numbered_name(directory.name):
                _remove_below(directory, directory, named.get(directory.name, set()))
                if directory.name not in named:
                    _remove_if_empty(directory)
        if not named:
            _remove_if_empty(index / parent)


def named_files(manifests: Iterable[Manifest]) -> dict[str, dict[str, set[str]]]:
    """Return what manifests name: below ``segments`` and ``graph``, the files of each directory."""
    segments: dict[str, set[str]] = {}
    graphs: dict[str, set[str]] = {}
    for manifest in manifests:
        for segment in manifest.segments:
            segments.setdefault(segment.name, set()).update(segment.files)
        if manifest.graph is not None:
            graphs.setdefault(manifest.graph.name, set()).update(manifest.graph.files)
    return {layout.SEGMENTS: segments, layout.GRAPH: graphs}


def _remove_below(top: Path, directory: Path, named: Collection[str]) -> None:
    is_ours = layout.is_graph_path if top.parent.name == layout.GRAPH else layout.is_segment_path
    for entry in list(os.scandir(directory)):
        path = Path(entry.path)
        name = path.relative_to(top).as_posix()
        if not is_ours(name):
            continue
        if entry.is_dir(follow_symlinks=False):
            _remove_below(top, path, named)
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
