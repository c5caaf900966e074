"""Inputs that lie on another file system, read by copies."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from octavo.columns.remote_files import download
from octavo.columns.sources import Input, is_input
from octavo.columns.uris import is_remote


@contextmanager
def local_inputs(inputs: Input | Sequence[Input]) -> Iterator[Input | Sequence[Input]]:
    """Yield the inputs with files of this machine in the place of URIs, for the time of a block.

    Parameters
    ----------
    inputs
        As for :func:`octavo.columns.sources.resolve_inputs`; also URIs of files and of directories,
        such as ``s3://bucket/queries/``. They are copied to a temporary directory.

    Raises
    ------
    SourceLoadingError, ConfigurationError, InvalidArgumentError
        As :func:`octavo.columns.remote_files.download`.
    """
    given = [inputs] if is_input(inputs) else inputs
    if not isinstance(given, Sequence) or not any(map(is_remote, given)):
        yield inputs
        return
    with tempfile.TemporaryDirectory(prefix="octavo-") as scratch:
        copied: list[Input] = []
        for each in given:
            if is_remote(each):
                copied += download(each, Path(tempfile.mkdtemp(dir=scratch)))
            else:
                copied.append(each)
        yield copied
