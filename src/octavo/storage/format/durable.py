"""Writing so that what was reported as done survives a crash."""

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BLOCK = 1 << 20


def sync_file(path: Path) -> None:
    """Flush a file's content to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Flush a directory's entries to the disk, so that a new name survives."""
    sync_file(path)


def make_directory(path: Path) -> None:
    """Make a directory that is not there, and those above it, so that they survive a crash."""
    if not path.parent.exists():
        make_directory(path.parent)
    path.mkdir()
    sync_directory(path.parent)


def write_temporary(path: Path, content: bytes) -> Path:
    """Write and flush what is to replace ``path``, beside it; return where.

    What had that name, be it a link, is gone; where writing fails, so is what was written.
    """
    temporary = path.with_name(path.name + ".tmp")
    temporary.unlink(missing_ok=True)
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _remove(temporary)
        raise
    return temporary


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file's content so that a reader, or a crash, sees the old or the new, never a mix."""
    temporary = write_temporary(path, content)
    try:
        temporary.replace(path)
    except BaseException:
        _remove(temporary)
        raise
    sync_directory(path.parent)


def _remove(temporary: Path) -> None:
    """Remove what is of no use, if that can be done; why it is of none is the error to tell."""
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


def checksum(path: Path) -> str:
    """Return the CRC-32 of a file as eight hexadecimal digits (about 2 GB/s)."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            value = zlib.crc32(block, value)
    return f"{value:08x}"


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Give an ``OSError`` that names no file (a full disk, from Arrow) the path it is about."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error
