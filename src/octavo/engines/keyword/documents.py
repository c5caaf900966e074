"""Rows on their way into tantivy: analysed text, filter terms and row numbers as documents."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tantivy import Document

from octavo.engines.keyword.schema import FILTER, ROW, filter_term
from octavo.errors import InvalidArgumentError

StringArray: TypeAlias = pa.StringArray | pa.LargeStringArray

_BLOCK_ROWS, _BLOCK_BYTES = 4096, 4_000_000
_VALUES_AT_HAND = 65_536  # more would be a second copy of a large dictionary


@dataclass(frozen=True, slots=True, eq=False)
class FilterColumn:
    """The values of one metadata key for consecutive rows, dictionary-encoded.

    Parameters
    ----------
    key
        The metadata key.
    codes
        Integers, one a row: the position in ``values``, or -1 where the row has no value.
    values
        The distinct values; each becomes a term once.
    """

    key: str
    codes: NDArray[np.integer]
    values: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentBlock:
    """Some consecutive rows, small enough to hold as Python strings.

    Parameters
    ----------
    first_row
        The row number of the first text.
    texts
        The analysed text of each row.
    terms
        For each filter column a code of each row, and the term of each code.
    """

    first_row: int
    texts: StringArray
    terms: "Sequence[tuple[NDArray[np.integer], Terms]]" = ()

    def __len__(self) -> int:
        return len(self.texts)

    def slice(self, start: int, stop: int) -> "DocumentBlock":
        """Return the block of rows ``start`` to ``stop``, counted within this one."""
        terms = [(codes[start:stop], terms) for codes, terms in self.terms]
        return DocumentBlock(self.first_row + start, self.texts.slice(start, stop - start), terms)

    def documents(self) -> Iterator[Document]:
        """Yield one tantivy document a row."""
        columns = [[terms[code] for code in codes.tolist()] for codes, terms in self.terms]
        filters = zip(*columns, strict=True) if columns else repeat(())
        rows = enumerate(self.texts.to_pylist(), self.first_row)
        for (row, text), terms in zip(rows, filters, strict=False):
            document = Document(body=text or "")
            document.add_unsigned(ROW, row)
            for term in terms:
                if term is not None:
                    document.add_text(FILTER, term)
            yield document


class Terms(Protocol):
    """The filter term of each code; none for -1."""

    def __getitem__(self, code: int, /) -> str | None:
        """Return the term."""
        ...


def document_blocks(
    analyzed: Iterable[StringArray], first_row: int = 0, filters: Sequence[FilterColumn] = ()
) -> Iterator[DocumentBlock]:
    """Yield the rows block by block, reading no further than the block.

    Parameters
    ----------
    analyzed
        Arrays of analysed text (string or large_string), one element a row: tokens joined by
        single spaces; null or empty where a row has none, which is a document all the same.
    first_row
        The row number of the first text.
    filters
        One column a metadata key; its first code belongs to the first text.

    Raises
    ------
    InvalidArgumentError
        A text is no string, a code has no value, or there are not as many codes as rows.
    """
    terms = [_terms(column) for column in filters]
    start = 0
    for array in analyzed:
        if not (pa.types.is_large_string(array.type) or pa.types.is_string(array.type)):
            raise InvalidArgumentError(f"analyzed: expected string arrays, found {array.type}")
        stop = start + len(array)
        for column in filters:
            if len(column.codes) < stop:
                raise _wrong_count(column, stop)
        codes = [column.codes[start:stop] for column in filters]
        whole = DocumentBlock(first_row + start, array, [*zip(codes, terms, strict=True)])
        step = max(1, min(_BLOCK_ROWS, len(array) * _BLOCK_BYTES // max(1, array.nbytes)))
        for position in range(0, len(array), step):
            yield whole.slice(position, min(position + step, len(array)))
        start = stop
    for column in filters:
        if len(column.codes) != start:
            raise _wrong_count(column, start)


class _TermsOnDemand:
    """The terms of a key with very many values, made when they are asked for."""

    def __init__(self, column: FilterColumn) -> None:
        self._column = column

    def __getitem__(self, code: int) -> str | None:
        column = self._column
        return None if code < 0 else filter_term(column.key, column.values[code])


def _terms(column: FilterColumn) -> Terms:
    codes = column.codes
    if len(codes) and not (int(codes.min()) >= -1 and int(codes.max()) < len(column.values)):
        raise InvalidArgumentError(
            f"filter column {column.key!r}: expected codes from -1 to {len(column.values) - 1}, "
            f"found {int(codes.min())} to {int(codes.max())}"
        )
    if len(column.values) > _VALUES_AT_HAND:
        return _TermsOnDemand(column)
    # The code -1 finds the last element.
    return [*(filter_term(column.key, value) for value in column.values), None]


def _wrong_count(column: FilterColumn, rows: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"filter column {column.key!r}: expected one code a row, "
        f"found {len(column.codes)} codes for {rows} rows"
    )
