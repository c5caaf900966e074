"""Files of lines with white space between fields: TREC runs, TREC qrels, plain tables."""

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import TextBuffers, text_array
from octavo.columns.place import Place
from octavo.errors import SourceLoadingError

BLOCK_BYTES: Final = 4 << 20
_IS_SPACE: Final = np.isin(np.arange(256), np.frombuffer(b" \t\n\r\v\f", np.uint8))


@dataclass(frozen=True, slots=True)
class LinePlace(Place):
    """A field of some lines of a file; says lines, counted from 1, where others say rows.

    Parameters
    ----------
    lines
        The line of each row.
    """

    lines: Sequence[int] | NDArray[np.int64] = ()

    def __str__(self) -> str:
        return f"{self.origin}, field {self.column!r}"

    def rows(self, positions: Iterable[int], limit: int = 3) -> str:
        """Name the lines of the rows at ``positions``, the first ``limit`` of them.

        Examples
        --------
        >>> LinePlace("score", "a.run", lines=[1, 2, 5]).rows([0, 2])
        'lines 1, 5'
        """
        found = [int(self.lines[int(position)]) for position in islice(positions, limit + 1)]
        shown = ", ".join(str(line) for line in found[:limit])
        more = ", ..." if len(found) > limit else ""
        return f"line {shown}" if len(found) == 1 else f"lines {shown}{more}"


@dataclass(frozen=True, slots=True, eq=False)
class FieldRows:
    """Some consecutive lines, field by field.

    Parameters
    ----------
    fields
        For each field its text in every line.
    lines
        Numbers of the lines, from 1; blank ones are left out.
    """

    fields: list[pa.LargeStringArray]
    lines: NDArray[np.int64]


def read_fields(path: Path, widths: Collection[int], expected: str) -> Iterator[FieldRows]:
    """Yield the fields of a file's lines, in bounded memory.

    Fields end at ASCII white space, as for trec_eval. Files ending in ``.gz`` are decompressed.

    Parameters
    ----------
    path
        The file.
    widths
        How many fields a line may have; all lines have as many as the first.
    expected
        What a line should be, for messages.

    Raises
    ------
    SourceLoadingError
        The file is missing or unreadable, a line has another number of fields, or a field is not
        UTF-8; the message names file and line.
    """
    width = 0
    line = 1
    for block in _blocks(path):
        found = _split(np.frombuffer(block, np.uint8))
        lines, counts = np.unique(found.lines, return_counts=True)
        if len(lines):
            width = width or (int(counts[0]) if int(counts[0]) in widths else 0)
            wrong = np.flatnonzero(counts != width)
            if len(wrong):
                many = f"{width or ' or '.join(str(each) for each in sorted(widths))} fields"
                raise SourceLoadingError(
                    f"{path}, line {line + lines[wrong[0]]}: expected {many} ({expected}), "
                    f"found {counts[wrong[0]]}"
                )
            numbers = line + lines
            fields = [
                _texts(found.text, found.starts[at::width], found.ends[at::width], numbers, path)
                for at in range(width)
            ]
            yield FieldRows(fields, numbers)
        line += found.line_breaks


def first_line(path: Path) -> str:
    """Return the first line of a file that is not blank; empty where there is none or no text."""
    for block in _blocks(path):
        for line in block.splitlines():
            if line.strip():
                return line.decode("utf-8", "replace")
    return ""


def read_text(path: Path) -> str:
    """Return a text file's content, decompressed where it ends in ``.gz``.

    Raises
    ------
    SourceLoadingError
        The file is missing, unreadable or not UTF-8.
    """
    content = b"".join(_blocks(path))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceLoadingError(f"{path}, line {line}: expected UTF-8 text") from error


class _Split(NamedTuple):
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: NDArray[np.int64]  # of each field, from 0
    line_breaks: int


def _split(text: NDArray[np.uint8]) -> _Split:
    """Find the fields of a block of text."""
    edges = np.diff(_IS_SPACE[text].view(np.int8), prepend=1, append=1)
    starts, ends = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
    breaks = np.flatnonzero(text == ord("\n"))
    return _Split(text, starts, ends, np.searchsorted(breaks, starts), len(breaks))


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield a file in blocks of whole lines, without a byte order mark."""
    rest = b""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            if (start := file.read(len(BOM_UTF8))) != BOM_UTF8:
                rest = start
            while block := file.read(BLOCK_BYTES):
                whole, line_break, begun = block.rpartition(b"\n")
                if line_break:
                    yield rest + whole + line_break
                    rest = begun
                else:
                    rest += begun
    except FileNotFoundError as error:
        raise SourceLoadingError(f"{path}: no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        raise SourceLoadingError(f"{path}: reading it failed: {error}") from error
    if rest:
        yield rest


def _texts(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lines: NDArray[np.int64],
    path: Path,
) -> pa.LargeStringArray:
    """Return pieces of a text as an Arrow array."""
    sizes = ends - starts
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    data = text[np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])]
    texts = text_array(TextBuffers(data, offsets))
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid as error:
        for line, start, end in zip(lines, starts, ends, strict=True):
            try:
                text[start:end].tobytes().decode()
            except UnicodeDecodeError:
                raise SourceLoadingError(
                    f"{path}, line {line}: expected UTF-8 text, found {text[start:end].tobytes()!r}"
                ) from error
        raise
    return texts
