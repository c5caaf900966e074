"""Files that a command is told to write: what would go wrong is said before any work."""

import os
from collections.abc import Iterable, Mapping
from errno import EISDIR, ENOENT
from pathlib import Path

import typer


def check_output_files(
    outputs: Mapping[str, Path | None], inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse files that could not be written, or would replace what is to be kept.

    Parameters
    ----------
    outputs
        By option; ``None`` is none.
    inputs
        What the command reads.

    Raises
    ------
    typer.BadParameter
        A file is an input, or another of the outputs.
    OSError
        Its directory is missing, or it is a directory.
    """
    taken = {each.resolve(): "an input" for each in inputs if each is not None}
    for option, file in outputs.items():
        if file is None:
            continue
        if not file.parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(file.parent))
        if file.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(file))
        if other := taken.get(file.resolve()):
            raise typer.BadParameter(
                f"{option}: expected a file of its own, found {file}, which is {other} too"
            )
        taken[file.resolve()] = option
