"""Which files a path means, and which reader a file needs."""

import glob
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from octavo.columns.readers.base import FileSource
from octavo.columns.readers.csv import CsvSource, TsvSource
from octavo.columns.readers.ipc import IpcSource
from octavo.columns.readers.json_lines import JsonLinesSource
from octavo.columns.readers.parquet import ParquetSource
from octavo.columns.uris import refuse_uri
from octavo.errors import InvalidArgumentError, SourceLoadingError

_READERS: Final[dict[str, Callable[[str, str | None], FileSource]]] = {
    ".parquet": ParquetSource,
    ".pq": ParquetSource,
    ".arrow": IpcSource,
    ".feather": IpcSource,
    ".ipc": IpcSource,
    ".arrows": IpcSource,
    ".jsonl": JsonLinesSource,
    ".ndjson": JsonLinesSource,
    ".json": JsonLinesSource,
    ".csv": CsvSource,
    ".tsv": TsvSource,
}
_COMPRESSIBLE: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")


def reader_of(path: str, name: str | None = None) -> FileSource:
    """Return the source that reads a file, by the file's ending.

    Parameters
    ----------
    path
        Of the file.
    name
        What messages call it; unset, its path.

    Raises
    ------
    InvalidArgumentError
        The ending is not known.
    """
    ending = _ending(path)
    if ending is None:
        raise InvalidArgumentError(
            f"{path if name is None else name}: expected a file ending in {', '.join(_READERS)} "
            f"(or {', '.join(end + '.gz' for end in _COMPRESSIBLE)})"
        )
    return _READERS[ending](path, name)


def has_reader(path: str) -> bool:
    """Whether a file's ending says that it is a table which can be read."""
    return _ending(path) is not None


def expand_path(path: str) -> list[str]:
    """Return the files that a path, directory or glob stands for, in a fixed order.

    Raises
    ------
    SourceLoadingError
        The path does not exist, or the directory or glob has no file of a known format.
    InvalidArgumentError
        It is a URI.
    """
    if Path(path).is_dir():
        return _known(_files_below(Path(path)), path, "directory")
    if Path(path).exists():
        return [path]
    refuse_uri(path)
    if not glob.has_magic(path):
        raise SourceLoadingError(f"{path}: no such file or directory")
    found: list[str] = []
    for match in sorted(glob.glob(path, recursive=True)):  # noqa: PTH207 - relative or absolute
        found.extend(_files_below(Path(match)) if Path(match).is_dir() else [match])
    # «**» matches a directory and again the files in it.
    return _known(dict.fromkeys(found), path, "glob")


def _known(paths: Iterable[str], given: str, what: str) -> list[str]:
    found = [path for path in paths if _ending(path) is not None]
    if not found:
        raise SourceLoadingError(
            f"{given}: this {what} has no file ending in {', '.join(_READERS)}"
        )
    return found


def _files_below(directory: Path) -> Iterator[str]:
    """Yield the files of a directory tree, without hidden ones and markers such as _SUCCESS."""
    for path in sorted(directory.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files_below(path)
        elif path.is_file():
            yield str(path)


def _ending(path: str) -> str | None:
    name = Path(path)
    suffix = name.suffix.lower()
    if suffix == ".gz":
        inner = name.with_suffix("").suffix.lower()
        return inner if inner in _COMPRESSIBLE else None
    return suffix if suffix in _READERS else None
