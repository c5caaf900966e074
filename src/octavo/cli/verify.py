"""``octavo verify``: whether every byte of an index is what was written."""

import typer

from octavo.cli.options import IndexPath
from octavo.cli.output import say, show, size


def verify(index: IndexPath) -> None:
    """Check every byte of an index; name the damaged files."""
    from octavo.shards.layout import is_sharded  # noqa: PLC0415
    from octavo.shards.verify import verify_shards  # noqa: PLC0415
    from octavo.storage.maintenance.verify import verify_index  # noqa: PLC0415

    found = verify_shards(index) if is_sharded(index) else verify_index(index)
    for problem in found.problems:
        show(str(problem))
    if found.problems:
        say(f"octavo: {index}: {len(found.problems)} of {found.files} files are damaged")
        raise typer.Exit(1)
    if found.remains:
        say(f"Not part of the index: {', '.join(map(str, found.remains))}")
    show(f"ok: {found.documents:,} documents, {found.files:,} files, {size(found.bytes)}")
