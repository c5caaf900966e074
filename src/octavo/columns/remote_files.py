"""Files that lie on another file system: S3 and whatever else Arrow or fsspec can reach by a URI."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyarrow import fs

from octavo.columns.files import has_reader, reader_of
from octavo.columns.readers.base import FileSource
from octavo.columns.uris import remote_name, shown_uri, uri_below
from octavo.errors import (
    ConfigurationError,
    InvalidArgumentError,
    OctavoError,
    SourceLoadingError,
    told,
)
from octavo.importing import optional

_OBJECT_STORES = ("s3", "gcs", "abfs")
"""Where a file appears when it is complete; elsewhere it is written under another name first."""


def download(uri: str, directory: Path) -> list[FileSource]:
    """Copy a remote file, or the files of known formats below a remote directory, to this machine.

    Parameters
    ----------
    uri
        Of a file or directory.
    directory
        Where to; exists.

    Returns
    -------
    list of FileSource
        The copies, in the order of the names; messages call each by its own URI, without secrets.

    Raises
    ------
    SourceLoadingError
        There is no such file, no file of a known format, or reading it failed.
    ConfigurationError
        No library for this kind of URI is installed.
    InvalidArgumentError
        It is a file of no known format.
    """
    with _failures(uri, SourceLoadingError):
        system, path = _file_system(uri)
        found = system.get_file_info(path)
        if found.type == fs.FileType.Directory:
            below = system.get_file_info(fs.FileSelector(path, recursive=True))
            paths = sorted(each.path for each in below if _is_wanted(each, path))
        else:
            paths = [path] if found.type == fs.FileType.File else []
        if not paths:
            raise SourceLoadingError(
                f"{shown_uri(uri)}: expected a file, or a directory of files, found none"
            )
        sources = []
        for at, each in enumerate(paths):
            own = uri_below(uri, PurePosixPath(each).relative_to(path))
            copy = directory / f"{at:05d}" / remote_name(own)
            sources.append(reader_of(str(copy), shown_uri(own)))  # a wrong ending is not copied
            copy.parent.mkdir()
            fs.copy_files(each, str(copy), system, fs.LocalFileSystem())
        return sources


def upload(local: Path, uri: str) -> None:
    """Copy a file of this machine to a URI, where it appears complete or not at all.

    Raises
    ------
    OSError
        Writing failed.
    ConfigurationError
        No library for this kind of URI is installed.
    """
    with _failures(uri, OSError):
        system, path = _file_system(uri)
        parent = str(PurePosixPath(path).parent)
        atomic = system.type_name in _OBJECT_STORES
        if not atomic:
            system.create_dir(parent, recursive=True)
        name = path if atomic else f"{parent}/.{PurePosixPath(path).name}.tmp"
        try:
            fs.copy_files(str(local), name, fs.LocalFileSystem(), system)
            if not atomic:
                system.move(name, path)
        except BaseException:
            with suppress(Exception):
                system.delete_file(name)
            raise


def check_uploadable(uri: str) -> None:
    """Find out before any work is done whether a file can appear at a URI, and leave nothing there.

    A directory, or the nearest one above that exists, is written to. In an object store the bucket
    is only looked for: an object that Arrow removes leaves others that stand for its directories.

    Raises
    ------
    InvalidArgumentError
        It names no file, or a directory.
    ConfigurationError
        No library for this kind of URI is installed.
    OSError
        The file system cannot be reached, has no such bucket, or may not be written.
    """
    with _failures(uri, OSError):
        system, path = _file_system(uri)
        if not remote_name(uri) or system.get_file_info(path).type == fs.FileType.Directory:
            raise InvalidArgumentError(f"out: expected a file, found {shown_uri(uri)}")
        if system.type_name in _OBJECT_STORES:
            _check_bucket(system, path.partition("/")[0])
        else:
            _check_writable(system, path)


def _check_bucket(system: Any, bucket: str) -> None:  # noqa: ANN401 - a file system
    try:
        found = system.get_file_info(bucket).type
    except OSError:
        return  # who may write objects need not be allowed to look at buckets
    if found == fs.FileType.NotFound:
        raise FileNotFoundError(f"expected a bucket {bucket!r}, found none")


def _check_writable(system: Any, path: str) -> None:  # noqa: ANN401 - a file system
    place, found = _nearest_above(system, path)
    if found == fs.FileType.File:
        raise NotADirectoryError(f"expected a directory {place}, found a file")
    probe = f"{place.rstrip('/')}/.octavo-{uuid4().hex}.tmp"
    try:
        system.open_output_stream(probe).close()
    finally:
        with suppress(Exception):
            system.delete_file(probe)


def _nearest_above(system: Any, path: str) -> tuple[str, fs.FileType]:  # noqa: ANN401
    """Return what exists nearest above a path; the directory of the path where nothing does."""
    above = [str(each) for each in PurePosixPath(path).parents]
    for each in above:
        found = system.get_file_info(each).type
        if found != fs.FileType.NotFound:
            return each, found
    return above[0], fs.FileType.NotFound


def _file_system(uri: str) -> tuple[Any, str]:
    """Return Arrow's file system for a URI, or fsspec's where Arrow has none."""
    try:
        return fs.FileSystem.from_uri(uri)
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" not in str(error):
            raise
    scheme = uri.partition(":")[0]
    fsspec = optional("fsspec", "remote", f"{scheme}://")
    try:
        found, path = fsspec.core.url_to_fs(uri)
    except (ImportError, ValueError) as error:
        raise ConfigurationError(_said(uri, error)) from _shown_cause(uri, error)
    handler: Any = fs.FSSpecHandler  # its stubs leave the methods out
    return fs.PyFileSystem(handler(found)), path


def _is_wanted(entry: fs.FileInfo, root: str) -> bool:
    hidden = any(
        part.startswith((".", "_")) for part in PurePosixPath(entry.path).relative_to(root).parts
    )
    return entry.type == fs.FileType.File and not hidden and has_reader(entry.path)


@contextmanager
def _failures(uri: str, kind: type[OSError] | type[SourceLoadingError]) -> Iterator[None]:
    """Give what a library of file systems raises the URI that it is about, and a kind of its own."""
    try:
        yield
    except OctavoError:
        raise
    except Exception as error:  # those that fsspec knows raise whatever their libraries do
        if isinstance(error, kind) and uri in str(error) and shown_uri(uri) == uri:
            raise
        raise kind(_said(uri, error)) from _shown_cause(uri, error)


def _said(uri: str, error: Exception) -> str:
    return f"{shown_uri(uri)}: {told(error).replace(uri, shown_uri(uri))}"


def _shown_cause(uri: str, error: Exception) -> Exception | None:
    """Return the error, or ``None`` where its own message may hold a secret."""
    return error if shown_uri(uri) == uri else None
