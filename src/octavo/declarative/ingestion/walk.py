"""The files of a source, in a fixed order.

Order is by name, folder by folder, whatever the file system gives. Links are followed where they
end inside the root (mounted configurations are made of them) and refused where they end outside, so
that nobody who may write into the root can have other files read. A folder is entered through links
once at most, and never through a link to a folder that it lies in, so that loops end.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from octavo.declarative.ingestion.globs import PathFilter
from octavo.errors import ConfigurationError, SourceLoadingError, told


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One file.

    Parameters
    ----------
    place
        Its path with all links resolved.
    label
        Its absolute path as found, which names it.
    path
        Its path below the root, with ``/``.
    status
        Its size and times.
    """

    place: str
    label: str
    path: str
    status: os.stat_result


def absolute_path(path: str) -> str:
    """Return a declared path as an absolute one, from the working directory, links kept (S61).

    Raises
    ------
    ConfigurationError
        It is blank or holds a NUL.
    """
    text = str(path)
    if not text.strip() or "\0" in text:
        raise ConfigurationError(f"path: expected a file or directory, found {text!r}")
    return os.path.abspath(text)  # noqa: PTH100 - links stay


def found_files(path: str, admitted: PathFilter) -> Iterator[FoundFile]:
    """Yield the files that a declared path means.

    Parameters
    ----------
    path
        A file, which is its own root, or a directory.
    admitted
        Which paths below the root are meant.

    Raises
    ------
    SourceLoadingError
        The path, or something in it, is missing, unreadable, or a link out of the root.
    """
    label = absolute_path(path)
    place = _resolved(label)
    status = _status(label)
    if stat.S_ISDIR(status.st_mode):
        yield from _Walk(place, admitted).files(label, place, "", included=not admitted.include)
    elif not stat.S_ISREG(status.st_mode):
        raise SourceLoadingError(f"{label}: expected a file or directory, found another kind")
    elif _named_directly(os.path.basename(label), admitted):  # noqa: PTH119 - as text
        yield FoundFile(place, label, os.path.basename(label), status)  # noqa: PTH119


def _named_directly(name: str, admitted: PathFilter) -> bool:
    """Whether a file that is declared itself is admitted; that it is hidden does not matter."""
    if any(pattern.matches(name) for pattern in admitted.exclude):
        return False
    return not admitted.include or admitted.includes(name)


_Folder: TypeAlias = tuple[str, str, str, bool]
"""A folder to be entered: label, place, path, and whether all in it is included."""


class _Walk:
    def __init__(self, root: str, admitted: PathFilter) -> None:
        self._root = root
        self._admitted = admitted
        self._entered: set[str] = set()

    def files(self, label: str, place: str, path: str, *, included: bool) -> Iterator[FoundFile]:
        """Yield the files of a folder and those below, however deep they lie."""
        entered = [self._found(label, place, path, included)]
        while entered:
            found = next(entered[-1], None)
            if found is None:
                entered.pop()
            elif isinstance(found, FoundFile):
                yield found
            else:
                entered.append(self._found(*found))

    def _found(
        self,
        label: str,
        place: str,
        path: str,
        included: bool,  # noqa: FBT001
    ) -> Iterator[FoundFile | _Folder]:
        try:
            with os.scandir(place) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            raise SourceLoadingError(f"{label}: listing it failed: {told(error)}") from error
        for entry in ordered:
            below = f"{path}/{entry.name}" if path else entry.name
            if self._admitted.excludes(below):
                continue
            here = included or self._admitted.includes(below)
            name = f"{label}/{entry.name}"
            if entry.is_symlink():
                yield from self._linked(name, place, entry.path, below, included=here)
            elif entry.is_dir(follow_symlinks=False):
                yield name, entry.path, below, here
            elif here and entry.is_file(follow_symlinks=False):
                yield FoundFile(entry.path, name, below, _status(name))

    def _linked(
        self, label: str, folder: str, link: str, path: str, *, included: bool
    ) -> Iterator[FoundFile | _Folder]:
        # A broken or outside link to what nobody asked for is nobody's concern.
        is_folder = os.path.isdir(link)  # noqa: PTH112
        if not is_folder and not included:
            return
        place = _resolved(label)
        if not _is_within(place, self._root):
            raise SourceLoadingError(
                f"{label}: expected links that end below {self._root}, found one to {place}; "
                "leave it out with exclude"
            )
        status = _status(label)
        if stat.S_ISREG(status.st_mode):
            yield FoundFile(place, label, path, status)
        elif is_folder and not _is_within(folder, place) and place not in self._entered:
            self._entered.add(place)
            yield label, place, path, included


def _is_within(place: str, root: str) -> bool:
    return place == root or place.startswith(root.rstrip("/") + "/")


def _resolved(label: str) -> str:
    try:
        return os.path.realpath(label, strict=True)
    except OSError as error:
        raise _unreachable(label, error) from error


def _status(label: str) -> os.stat_result:
    try:
        return os.stat(label)  # noqa: PTH116 - fewer objects for many files
    except OSError as error:
        raise _unreachable(label, error) from error


def _unreachable(label: str, error: OSError) -> SourceLoadingError:
    return SourceLoadingError(f"{label}: expected a readable file or directory: {told(error)}")
