"""The ids that a user gives in a file: one a line, or a column of a table."""

import sys
from pathlib import Path

from octavo.columns.arrow_types import is_id_like
from octavo.columns.files import has_reader
from octavo.columns.naming import find_column, listed
from octavo.columns.place import Place
from octavo.columns.schema import ID_NAMES
from octavo.columns.sources import input_schema, open_inputs, resolve_inputs
from octavo.columns.text import as_ids
from octavo.errors import InvalidArgumentError, SourceLoadingError

STANDARD_INPUT = "-"


def read_ids(path: str, id_column: str) -> list[str]:
    """Return the ids in a file, in order; repeats stay.

    Parameters
    ----------
    path
        ``-`` for lines of standard input; a parquet, Arrow, JSON lines or CSV file by its ending; any
        other file is read as lines. Blank lines and nulls are passed over.
    id_column
        What the ids' column was called where the index was built; common names are tried after it.

    Raises
    ------
    SourceLoadingError
        The file is missing, or no UTF-8 text.
    InvalidArgumentError
        The table has no column of ids.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:  # closed by whoever started the command
            raise SourceLoadingError("standard input: expected ids, found it closed")
        return _lines(sys.stdin.buffer.read(), "standard input")
    if has_reader(path):
        return _column(path, id_column)
    try:
        return _lines(Path(path).read_bytes(), path)
    except OSError as error:
        raise SourceLoadingError(f"{path}: {error.strerror or error}") from error


def _lines(content: bytes, origin: str) -> list[str]:
    """Split at line feeds only: an id may hold any other character that Python breaks lines at."""
    ids = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            text = line.removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            raise SourceLoadingError(f"{origin}: line {number} is no UTF-8: {error}") from error
        if text.strip():
            ids.append(text)
    return ids


def _column(path: str, id_column: str) -> list[str]:
    sources = resolve_inputs(path)
    schema = input_schema(sources, [id_column])
    if not schema.names:  # a text format without a line
        return []
    name = find_column(schema, (id_column, *ID_NAMES), is_id_like)
    if name is None:
        wanted = ", ".join(dict.fromkeys((id_column, *ID_NAMES)))
        raise InvalidArgumentError(
            f"{path}: expected a column of ids, called one of {wanted}; "
            f"found the columns {listed(schema.names)}"
        )
    ids: list[str] = []
    for given in open_inputs(sources, columns=[name]):
        place = Place(name, given.origin, given.first_row)
        found = as_ids(given.batch.column(name), place).to_pylist()
        ids += [one for one in found if one is not None]
    return ids
