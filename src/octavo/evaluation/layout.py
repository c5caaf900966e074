"""Finding the parts of a run or of judgements in whatever layout they come.

A layout is a table (parquet, Arrow, JSON lines, CSV, or TSV with a header line; also one in memory)
or lines of fields. The ending and, for TSV, the first line tell which.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array
from octavo.columns.files import has_reader
from octavo.columns.naming import find_column, listed
from octavo.columns.place import Place
from octavo.columns.sources import Input, input_schema, open_inputs, resolve_inputs
from octavo.columns.uris import refuse_uri
from octavo.errors import InvalidArgumentError, SourceLoadingError
from octavo.evaluation.lines import LinePlace, first_line, read_fields

QUERY_ID_NAMES: Final = ("query_id", "query-id", "qid", "query", "topic", "topic_id", "queryid")
DOCUMENT_ID_NAMES: Final = (
    *("doc_id", "docid", "docno", "corpus-id", "corpus_id", "document_id", "did", "pid"),
    *("document", "doc", "id"),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a kind of file is laid out.

    Parameters
    ----------
    what
        The argument's name, for messages.
    columns
        The parts, each with the names that its column may have in a table.
    lines
        The parts by position in a line of so many fields; ``None`` is of no use.
    expected
        What a line looks like, for messages.
    optional
        Parts that a table may lack.
    """

    what: str
    columns: Mapping[str, tuple[str, ...]]
    lines: Mapping[int, tuple[str | None, ...]]
    expected: str
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some consecutive rows.

    Parameters
    ----------
    parts
        The parts found, each an array of as many rows.
    place
        Where a part comes from, for messages.
    """

    parts: dict[str, Array]
    place: Callable[[str], Place]


def read_pieces(source: Input, layout: Layout) -> Iterator[Piece]:
    """Yield the rows of a file or table, in bounded memory, with the parts that a layout has.

    Raises
    ------
    SourceLoadingError
        The file is missing, unreadable or not what it should be.
    InvalidArgumentError
        A column is missing.
    """
    if isinstance(source, str | PathLike):
        refuse_uri(source)
        path = Path(fspath(source))
        if path.is_dir():
            raise SourceLoadingError(f"{path}: expected a file of {layout.what}, found a directory")
        if not is_table_file(path, layout):
            yield from _line_pieces(path, layout)
            return
    yield from _table_pieces(source, layout)


def is_table_file(path: Path, layout: Layout) -> bool:
    """Whether a file is read as a table; a TSV file only where its first line names the parts."""
    if not has_reader(str(path)):
        return False
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    if plain.suffix.lower() != ".tsv":
        return True
    found = {name.strip().casefold() for name in first_line(path).split("\t")}
    required = layout.columns.keys() - layout.optional
    return all(found & set(layout.columns[part]) for part in required)


def _line_pieces(path: Path, layout: Layout) -> Iterator[Piece]:
    for rows in read_fields(path, layout.lines.keys(), layout.expected):
        names = layout.lines[len(rows.fields)]
        parts = {name: each for name, each in zip(names, rows.fields, strict=True) if name}

        def place(part: str, lines: NDArray[np.int64] = rows.lines) -> Place:
            return LinePlace(part, str(path), lines=lines)

        yield Piece(dict(parts), place)


def _table_pieces(source: Input, layout: Layout) -> Iterator[Piece]:
    sources = resolve_inputs(source, layout.what)
    chosen = chosen_columns(input_schema(sources), layout, sources[0].origin)
    for batch in open_inputs(sources, columns=tuple(chosen.values())):
        lacking = [name for name in chosen.values() if name not in batch.batch.schema.names]
        if lacking:
            raise InvalidArgumentError(
                f"{batch.origin}: expected a column {lacking[0]!r} as the other inputs have"
            )

        def place(part: str, origin: str = batch.origin, first_row: int = batch.first_row) -> Place:
            return Place(chosen[part], origin, first_row)

        yield Piece({part: batch.batch[name] for part, name in chosen.items()}, place)


def chosen_columns(schema: pa.Schema, layout: Layout, origin: str) -> dict[str, str]:
    """Return the column of each part that a table has.

    Raises
    ------
    InvalidArgumentError
        One that is needed is missing.
    """
    chosen: dict[str, str] = {}
    for part, names in layout.columns.items():
        found = find_column(schema, names, _any_type, tuple(chosen.values()))
        if found is not None:
            chosen[part] = found
        elif part not in layout.optional:
            raise InvalidArgumentError(
                f"{origin}: expected a column of {layout.what} called "
                f"{' or '.join(names)}, found {listed(schema.names)}"
            )
    return chosen


def _any_type(dtype: object) -> bool:  # a wrong one is told when its values are read
    del dtype
    return True
