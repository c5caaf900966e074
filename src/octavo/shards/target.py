"""The directory that shards are built in: what may be there, and what a build removes."""

import shutil
from pathlib import Path

from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.shards import layout
from octavo.storage.build.target import is_taken
from octavo.storage.format.layout import LOCK, LOCK_HOLDER, SHARDS, TEMPORARY


def check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a place that holds something else, or an index that must stay."""
    if not is_taken(out):
        return
    if layout.is_sharded(out):
        if not overwrite:
            raise CorpusFormatError(
                f"{out}: holds a sharded index; to replace it say overwrite=True or --overwrite"
            )
        return
    unfinished = {LOCK, LOCK_HOLDER, f"{SHARDS}{TEMPORARY}"}
    unfinished |= {entry.name for entry in layout.generations(out)}
    if not {entry.name for entry in out.iterdir()} <= unfinished:
        raise CorpusFormatError(
            f"{out}: expected an empty directory or a sharded index, found other files"
        )


def present_description(out: Path) -> layout.ShardsDescription | None:
    """Return the present state; ``None`` where there is none, or none that can be read.

    Raises
    ------
    CorpusFormatError
        It is of a newer format.
    """
    if not layout.is_sharded(out):
        return None
    try:
        return layout.read_description(out)
    except CorpusCorruptError:  # to be replaced; nothing of it is removed before
        return None


def remove_others(out: Path, kept: layout.ShardsDescription | None) -> None:
    """Remove the shards of builds that are not the present one."""
    present = None if kept is None else layout.generation_directory(out, kept.generation)
    for entry in layout.generations(out):
        if entry != present:
            shutil.rmtree(entry, ignore_errors=True)
