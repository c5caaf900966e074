"""The directory that an index is built in: what may be there, and what a failed build leaves."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from octavo.columns.uris import refuse_uri
from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.commit.commit import remove_remains
from octavo.storage.format import layout
from octavo.storage.format.durable import make_directory
from octavo.storage.format.manifest import Manifest, read_manifest


def is_taken(out: Path) -> bool:
    """Whether there is a directory at a place for an index.

    Raises
    ------
    CorpusFormatError
        Something else is there.
    InvalidArgumentError
        It is a URI.
    """
    if out.is_dir():
        return True
    if os.path.lexists(out):
        found = "a file" if out.exists() else "a link to nothing"
        raise CorpusFormatError(f"{out}: expected a directory for the index, found {found}")
    refuse_uri(out)
    return False


def check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a place that holds something else, or an index that must stay."""
    if not is_taken(out):
        return
    if layout.is_index(out):
        if not overwrite:
            raise CorpusFormatError(
                f"{out}: holds an octavo index; to replace it say overwrite=True or --overwrite"
            )
        if not layout.has_segments(out):
            raise CorpusFormatError(
                f"{out / layout.SEGMENTS}: expected the segments of an octavo index, found none, "
                "or a link to others"
            )
        if (out / layout.GRAPH).is_symlink():
            raise CorpusFormatError(
                f"{out / layout.GRAPH}: expected the graphs of an octavo index, found a link"
            )
    elif not layout.is_ours(out):
        raise CorpusFormatError(
            f"{out}: expected an empty directory or an octavo index, found other files"
        )


def create_target(out: Path) -> bool:
    """Make the directory if it is missing; say whether it was."""
    try:
        make_directory(out)
    except FileExistsError:
        return False
    return True


def present_state(out: Path) -> Manifest | None:
    """Return the committed state; ``None`` where there is none, or none that can be read."""
    if not layout.is_index(out):
        return None
    try:
        return read_manifest(out)
    except CorpusCorruptError:  # to be replaced; nothing of it is removed before
        return None


def tidy_target(out: Path, *, created: bool) -> None:
    """Leave nothing of a build that failed."""
    if not layout.is_index(out) and created:
        shutil.rmtree(out, ignore_errors=True)
        return
    with suppress(OSError, CorpusCorruptError):
        remove_remains(out, present_state(out))
