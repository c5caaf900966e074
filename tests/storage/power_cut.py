"""A power cut, simulated: what was never flushed to the disk may be lost, in any combination.

A :class:`Recorder` runs inside a writer. It notes what is flushed: the content of a file by
``os.fsync`` of it, the names in a directory by ``os.fsync`` of that; and it keeps what is replaced
or removed. After the writer's death :func:`cut_power` turns the directory into one that a disk could
have kept: every name that changed since its directory was flushed is the old or the new one, and
every file that was not flushed since it changed is whole, cut off, or full of something else.
"""

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

Names = dict[str, int]
"""The entries of a directory: name and inode."""


def begin_notes(root: Path, notes: Path) -> None:
    """Make the directory ``notes``, and note that all of ``root`` is on the disk.

    It must be on the same file system, since removed files are kept there by a second name, which
    also keeps their inodes from being used again.
    """
    (notes / "kept").mkdir(parents=True)
    lines = []
    for directory in [root, *root.rglob("*")]:
        if directory.is_dir():
            lines.append(_of_names(root, directory, _names(directory)))
        else:
            lines.append(_of_content(directory.stat()))
    (notes / "log").write_bytes(b"".join(lines))


class Recorder:
    """Notes what the process flushes below ``root``, in files beside it.

    Parameters
    ----------
    root
        The directory that the power cut will strike.
    notes
        What :func:`begin_notes` made, and perhaps writers before this one continued.
    """

    def __init__(self, root: Path, notes: Path) -> None:
        self._root = root.resolve()
        self._kept = notes / "kept"
        self._log = os.open(notes / "log", os.O_WRONLY | os.O_APPEND)

    def install(self) -> None:
        """Wrap the functions of :mod:`os` that matter."""
        fsync, replace, unlink = os.fsync, os.replace, os.unlink

        def noted_fsync(descriptor: int) -> None:
            path = Path(f"/proc/self/fd/{descriptor}").readlink()
            below = path.is_relative_to(self._root)
            if below and path.is_dir():
                note = _of_names(self._root, path, _names(path))
            else:
                note = _of_content(os.fstat(descriptor))
            fsync(descriptor)
            if below:
                os.write(self._log, note)

        def kept_replace(source: str, target: str, **options: int) -> None:
            self._keep(target)
            replace(source, target, **options)

        def kept_unlink(path: str, **options: int) -> None:
            if not options:
                self._keep(path)
            unlink(path, **options)

        os.fsync, os.replace, os.unlink = noted_fsync, kept_replace, kept_unlink

    def _keep(self, path: str | Path) -> None:
        if Path(path).parent.resolve().is_relative_to(self._root):
            with suppress(FileNotFoundError, FileExistsError):
                os.link(path, self._kept / str(os.lstat(path).st_ino))


def _of_names(root: Path, directory: Path, names: Names) -> bytes:
    return _line(directory=directory.relative_to(root).as_posix(), names=names)


def _of_content(status: os.stat_result) -> bytes:
    return _line(file=status.st_ino, state=[status.st_size, status.st_mtime_ns])


def _line(**note: Any) -> bytes:
    return json.dumps(note).encode() + b"\n"


def cut_power(root: Path, notes: Path, chance: random.Random) -> list[str]:
    """Turn ``root`` into what a disk could have kept; return what was done to it."""
    names: dict[str, Names] = {}
    contents: dict[int, list[int]] = {}
    for line in (notes / "log").read_bytes().splitlines():
        with suppress(ValueError):  # the writer was killed while it wrote the last
            note = json.loads(line)
            if "directory" in note:
                names[note["directory"]] = note["names"]
            else:
                contents[note["file"]] = note["state"]
    done: list[str] = []
    _settle_names(root, ".", names, notes / "kept", chance, done)
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        if path.is_file() and contents.get(status.st_ino) != [status.st_size, status.st_mtime_ns]:
            _spoil(path, status.st_size, chance, done)
    return done


def _settle_names(
    root: Path,
    directory: str,
    flushed: dict[str, Names],
    kept: Path,
    chance: random.Random,
    done: list[str],
) -> None:
    """Give each name that was not flushed its old or its new meaning."""
    here = root / directory
    old, new = flushed.get(directory, {}), _names(here)
    keep_all_old = chance.random() < 0.2
    for name in sorted(old.keys() | new.keys()):
        relative = os.path.normpath(f"{directory}/{name}")
        path = here / name
        if old.get(name) != new.get(name) and (keep_all_old or chance.random() < 0.5):
            done.append(f"{relative}: {new.get(name)} -> {old.get(name)}")
            if name in new:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            if name in old:
                if relative in flushed:
                    path.mkdir()
                elif (kept / str(old[name])).exists():
                    os.link(kept / str(old[name]), path)
        if path.is_dir():
            _settle_names(root, relative, flushed, kept, chance, done)


def _spoil(path: Path, size: int, chance: random.Random, done: list[str]) -> None:
    kind = chance.choice(("whole", "empty", "cut", "other"))
    if kind != "whole":
        content = path.read_bytes()
        path.unlink()  # the notes may hold the same file by another name
        keep = {"empty": 0, "cut": chance.randrange(size + 1), "other": 0}[kind]
        other = chance.randbytes(size) if kind == "other" else b""
        path.write_bytes(content[:keep] + other)
        done.append(f"{path.name}: {kind}")


def _names(directory: Path) -> Names:
    with os.scandir(directory) as entries:
        return {entry.name: entry.inode() for entry in entries}
