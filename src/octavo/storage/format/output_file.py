"""Files that a user asked for: a report, a plot, a table; whole or not at all."""

from pathlib import Path

from octavo.storage.format.durable import replace_file


def write_output_file(path: Path, content: bytes) -> None:
    """Make or replace a file that a user named, so that no half of it is ever seen.

    Symbolic links are followed, and what is no file, such as ``/dev/stdout`` or a pipe, is written
    to: it cannot be replaced.

    Raises
    ------
    OSError
        The file cannot be written; names it. What was there before is there still.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # of a directory, an error
        else:
            replace_file(target, content)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
