"""The one way in which an index changes: files first, then the manifest, then its copy.

Until the new manifest is on the disk the copy is the state before, and every file of that state is
still there. From then on the new state is what is found, whichever of the two is lost. Only after
both are new do the files of the state before go.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from octavo.errors import CorpusCorruptError
from octavo.storage.commit.lock import check_lock
from octavo.storage.commit.remains import remove_unnamed
from octavo.storage.format import layout
from octavo.storage.format.durable import replace_file, sync_directory, write_temporary
from octavo.storage.format.entries import Manifest
from octavo.storage.format.manifest import read_manifest
from octavo.storage.format.manifest_json import decode_manifest, encode_manifest

_log = logging.getLogger("octavo.storage")


class CommitStep(StrEnum):
    """The steps of a commit in order; each is told before it is taken."""

    SETTLE = "commit: settle what is there"
    FLUSH = "commit: flush directories"
    WRITE = "commit: write the manifest"
    REPLACE = "commit: replace the manifest"
    SYNC = "commit: flush the manifest's name"
    COPY = "commit: write the copy"
    REPLACE_COPY = "commit: replace the copy"
    SYNC_COPY = "commit: flush the copy's name"
    REMOVE = "commit: remove what is not named"
    DONE = "commit: done"


def commit(
    index: Path,
    manifest: Manifest,
    progress: Callable[[str, int], None] = lambda _stage, _rows: None,
) -> None:
    """Make ``manifest`` the state of the index, atomically and durably; under the writer's lock.

    If it raises, an interrupt excepted, the state before is what is found, and files that are new
    may be removed by :func:`remove_remains`. What fails after the new state is durable (there is no
    room for the copy, a file cannot be removed) is logged as a warning, and the next writer's to do.

    Parameters
    ----------
    index
        The directory.
    manifest
        Names files that are written and flushed, and whose directories are, up to their segment's.
    progress
        Told each :class:`CommitStep` and the number of rows.

    Raises
    ------
    OSError
        The disk is full, the index cannot be written, or it is no longer what was locked.
    """
    check_lock(index)
    content = encode_manifest(manifest)

    def tell(step: CommitStep) -> None:
        progress(step, manifest.rows)

    tell(CommitStep.SETTLE)
    first = not _settle(index)
    tell(CommitStep.FLUSH)
    sync_directory(index / layout.SEGMENTS)
    sync_directory(index)
    try:
        tell(CommitStep.WRITE)
        temporary = write_temporary(index / layout.MANIFEST, content)
        tell(CommitStep.REPLACE)
        temporary.replace(index / layout.MANIFEST)
        tell(CommitStep.SYNC)
        sync_directory(index)
    except BaseException:
        with suppress(OSError):
            _undo(index, content, first=first)
        raise
    try:
        tell(CommitStep.COPY)
        temporary = write_temporary(index / layout.MANIFEST_COPY, content)
        tell(CommitStep.REPLACE_COPY)
        temporary.replace(index / layout.MANIFEST_COPY)
        tell(CommitStep.SYNC_COPY)
        sync_directory(index)
        tell(CommitStep.REMOVE)
        remove_unnamed(index, [manifest])
        tell(CommitStep.DONE)
    except Exception as error:  # noqa: BLE001 - the commit is done, whatever a listener raises
        _log.warning("%s: committed; the next writer will tidy up after: %r", index, error)


def remove_remains(index: Path, manifest: Manifest | None) -> None:
    """Begin or abandon a write: finish or undo what a killed or failed writer left.

    Afterwards both copies of the manifest are the present state and durable, and nothing is there
    that they, or ``manifest``, do not name. Every writer calls this first, under the writer's lock.

    Parameters
    ----------
    index
        The directory.
    manifest
        The committed state, or ``None`` where there is none.

    Raises
    ------
    CorpusCorruptError
        Both copies of the manifest are damaged; nothing is removed.
    OSError
        The disk is full, the index cannot be written, or it is no longer what was locked.
    """
    check_lock(index)
    kept = [] if manifest is None else [manifest]
    if layout.is_index(index):
        # The manifest that is there decides, even if the caller's is out of date.
        kept.append(read_manifest(index))
        _settle(index)
    remove_unnamed(index, kept)


@contextmanager
def without_remains(index: Path, manifest: Manifest) -> Iterator[None]:
    """Write between :func:`remove_remains` before, and once more if the block raises."""
    remove_remains(index, manifest)
    try:
        yield
    except BaseException:
        with suppress(OSError, CorpusCorruptError):
            remove_remains(index, manifest)
        raise


def _settle(index: Path) -> bool:
    """Make both copies of the manifest the present state, durably; say whether there is one.

    A killed writer may have replaced the manifest, and not flushed it, nor replaced the copy.
    """
    names = (layout.MANIFEST, layout.MANIFEST_COPY)
    found = [_content(index / name) for name in names]
    sync_directory(index)
    if found[0] is not None and found[0] == found[1]:
        return True  # as nearly always; nothing has to be decoded
    whole = [_whole(index / name, content) for name, content in zip(names, found, strict=True)]
    present = whole[0] or whole[1]
    if present is None:
        return False
    for name, content in zip(names, whole, strict=True):
        if content != present:
            replace_file(index / name, present)
    return True


def _content(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        if path.is_file() and not path.is_symlink():
            return path.read_bytes()
    return None


def _whole(path: Path, content: bytes | None) -> bytes | None:
    """Return the content of a manifest if it is whole."""
    with suppress(CorpusCorruptError):
        if content is not None:
            decode_manifest(content, path)
            return content
    return None


def _undo(index: Path, content: bytes, *, first: bool) -> None:
    """Bring the manifest before back; needs no room on the disk."""
    manifest = index / layout.MANIFEST
    manifest.with_name(f"{layout.MANIFEST}{layout.TEMPORARY}").unlink(missing_ok=True)
    if manifest.is_file() and manifest.read_bytes() == content:
        if first:
            manifest.unlink()
        else:
            (index / layout.MANIFEST_COPY).replace(manifest)
        sync_directory(index)
