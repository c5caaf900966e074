"""The directory that shards are built in: what may be there, and what a build removes."""

import shutil
from pathlib import Path

from octavo.errors import CorpusFormatError
from octavo.shards import layout
from octavo.storage.format.layout import LOCK, LOCK_HOLDER


def check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a place that holds something else, or an index that must stay."""
    if not out.exists():
        return
    if not out.is_dir():
        raise CorpusFormatError(f"{out}: expected a directory for the index, found a file")
    if layout.is_sharded(out):
        if not overwrite:
            raise CorpusFormatError(
                f"{out}: holds a sharded index; to replace it say overwrite=True or --overwrite"
            )
        return
    names = {entry.name for entry in out.iterdir()} - {LOCK, LOCK_HOLDER}
    if not all(name.startswith("generation-") for name in names):
        raise CorpusFormatError(
            f"{out}: expected an empty directory or a sharded index, found other files"
        )


def remove_others(out: Path, kept: layout.ShardsDescription | None) -> None:
    """Remove the shards of builds that are not the present one."""
    name = None if kept is None else layout.generation_directory(out, kept.generation).name
    for entry in out.glob("generation-*"):
        if entry.name != name and entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
