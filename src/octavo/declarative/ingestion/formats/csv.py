"""CSV: the first line names the columns, every other is a record; streamed, every value a text."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Final

from octavo.declarative.ingestion.decoding import encoding_of
from octavo.declarative.ingestion.detection import ending
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Record

_DELIMITERS: Final = (",", ";", "\t", "|")


def read_csv(resource: Resource, limits: IngestionLimits) -> Iterator[Record]:
    """Yield the rows of a CSV file; an empty value is none.

    The header says which of comma, semicolon, tab and bar parts the values; ``.tsv`` is tabs. A
    quoted value may hold line ends and is at most 131,072 characters long.

    Raises
    ------
    DamagedSource
        A row has more values than the header, quotes are not closed, column names repeat or are
        too many, or the file is not text.
    """
    with resource.opened() as file:
        encoding, mark = encoding_of(file.read(4), resource.charset)
        file.seek(mark)
        reader = io.TextIOWrapper(file, encoding, newline="")
        lines = _bounded(reader, limits)
        try:
            first = next(lines, None)
            if first is not None:
                yield from _rows(first, lines, resource, limits)
        except csv.Error as error:
            raise DamagedSource(f"expected CSV: {error}") from error
        except UnicodeError as error:
            raise DamagedSource(
                f"expected text in {encoding.upper()}, found other bytes"
            ) from error
        finally:
            reader.detach()


def _rows(
    first: str, lines: Iterator[str], resource: Resource, limits: IngestionLimits
) -> Iterator[Record]:
    delimiter = "\t" if ending(resource.path) == "tsv" else max(_DELIMITERS, key=first.count)
    rows = csv.reader(_with_first(first, lines), delimiter=delimiter, strict=True)
    header = [name.strip() for name in next(rows, [])]
    _check_header(header, limits)
    number, line = 0, rows.line_num + 1
    for row in rows:
        if row:
            number += 1
            if len(row) > len(header):
                raise DamagedSource(
                    f"line {line}: expected at most {len(header)} values, found {len(row)}"
                )
            values = {name: value for name, value in zip(header, row, strict=False) if value}
            yield Record(number, values, line)
        line = rows.line_num + 1


def _with_first(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _bounded(reader: io.TextIOWrapper, limits: IngestionLimits) -> Iterator[str]:
    line = 0
    while text := reader.readline(limits.record_bytes):
        line += 1
        if len(text) >= limits.record_bytes:
            raise DamagedSource(
                f"line {line}: expected less than {limits.record_bytes:,} characters, found more"
            )
        if "\0" in text:
            raise DamagedSource(f"line {line}: expected text, found a NUL: it is binary")
        yield text


def _check_header(header: list[str], limits: IngestionLimits) -> None:
    if len(header) > limits.record_fields:
        raise DamagedSource(
            f"expected at most {limits.record_fields:,} columns, found {len(header):,}"
        )
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise DamagedSource(f"expected distinct column names, found {repeated[0]!r} again")
