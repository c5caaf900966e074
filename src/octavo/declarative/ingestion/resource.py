"""One readable thing: a file, or what a URL gave."""

import io
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from octavo.errors import SourceLoadingError, told


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """Bytes with a name, read by the function of their format.

    Parameters
    ----------
    label
        The absolute path or the URL, for messages and as the documents' source.
    path
        The path below the source's root, with ``/``; its ending tells the format.
    id
        What the ids of its documents begin with.
    size
        Bytes.
    opened
        Opens it for reading.
    modified
        Its own time, as an instant, if it has one.
    media_type, charset
        What a server said.
    """

    label: str
    path: str
    id: str
    size: int
    opened: Callable[[], AbstractContextManager[BinaryIO]]
    modified: str | None = None
    media_type: str | None = None
    charset: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def whole(self, limit: int) -> bytes:
        """Return all bytes.

        Raises
        ------
        SourceLoadingError
            There are more than ``limit``, or reading fails.
        """
        found = self.size
        if found <= limit:
            with self.opened() as file:
                content = file.read(limit + 1)
            if len(content) <= limit:
                return content
            found = len(content)
        raise SourceLoadingError(
            f"{self.label}: expected at most {limit:,} bytes in a format that is read as a whole, "
            f"found {found:,}"
        )

    def head(self, size: int) -> bytes:
        """Return the first bytes."""
        with self.opened() as file:
            return file.read(size)


def file_resource(
    place: str,
    *,
    label: str,
    path: str,
    identifier: str,
    status: os.stat_result,
    modified: str | None,
) -> Resource:
    """Return the resource of a regular file.

    Parameters
    ----------
    place
        Where the file is, links resolved: a link that takes its place later is not followed.
    label, path, identifier, modified
        As for :class:`Resource`.
    status
        What the file was when it was found.
    """
    opened = partial(_opened_file, place, label)
    return Resource(label, path, identifier, status.st_size, opened, modified)


def bytes_resource(content: bytes, resource: Resource) -> Resource:
    """Return a copy of a resource that reads from memory."""
    return Resource(
        resource.label,
        resource.path,
        resource.id,
        len(content),
        partial(_opened_bytes, content),
        resource.modified,
        resource.media_type,
        resource.charset,
        resource.metadata,
    )


@contextmanager
def _opened_bytes(content: bytes) -> Iterator[BinaryIO]:
    with io.BytesIO(content) as file:
        yield file


@contextmanager
def _opened_file(place: str, label: str) -> Iterator[BinaryIO]:
    """Open a regular file, and see at the end that it is what it was at the start."""
    try:
        # Without blocking: a pipe that has taken the file's place would wait for a writer.
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise SourceLoadingError(f"{label}: expected a regular file, found another kind")
            yield file
            after = os.fstat(descriptor)
    except OSError as error:
        raise SourceLoadingError(f"{label}: reading it failed: {told(error)}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise SourceLoadingError(f"{label}: expected a file at rest; it changed while it was read")
