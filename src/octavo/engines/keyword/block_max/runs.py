"""Runs: the postings of as many consecutive rows as fit the memory, each in scratch files.

A small run stays in memory, since files would take longer than all the rest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.analysis.buffers import TextBuffers, text_buffers
from octavo.columns.array_file import open_array, save_array
from octavo.engines.keyword.block_max.lengths import length_codes
from octavo.engines.keyword.block_max.term_order import order_terms
from octavo.kernels.invert import fill_table, invert_rows, sort_postings
from octavo.kernels.posting_codes import LARGE_FREQUENCY

_FIRST_TERMS = 1 << 14
_FIRST_TEXT_BYTES = 1 << 18
_SORTING_BYTES = 6
"""A posting takes 13 bytes until it is sorted into another 6."""
_POSTING_BYTES = 13
_HELD_BYTES = 1 << 21  # a run of one megabyte or two
_Int32s: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Some consecutive rows, inverted: the arrays are in memory, or memory-mapped scratch files.

    Terms are in the order of (hash, bytes); postings are sorted by (term, row).
    """

    rows: int
    tokens: int
    hashes: NDArray[np.uint64]
    text_starts: NDArray[np.int64]
    text_stops: NDArray[np.int64]
    text: NDArray[np.uint8]
    counts: NDArray[np.int64]
    posting_rows: NDArray[np.int32]
    posting_codes: NDArray[np.uint16]
    large_places: NDArray[np.int64]
    large_counts: NDArray[np.int64]


def invert(
    directory: Path, analyzed: Iterable[pa.LargeStringArray], first_row: int, memory: int
) -> Iterator[Run]:
    """Invert consecutive rows into runs, one after the other.

    Parameters
    ----------
    directory
        An empty directory for scratch files, made if missing.
    analyzed
        Arrays of analysed text, without nulls: tokens joined by single spaces.
    first_row
        The row number of the first text.
    memory
        About how many bytes a run under construction may take.
    """
    number = 0
    terms = _Terms()
    postings = _Postings(first_row)
    for array in analyzed:
        postings.add(text_buffers(array), terms)
        if terms.nbytes + postings.nbytes > memory:
            yield _finish(directory / str(number), terms, postings)
            number += 1
            terms, postings = _Terms(), _Postings(postings.next_row)
    yield _finish(directory / str(number), terms, postings)


class _Terms:
    """The distinct terms of a run under construction, and the hash table that finds them."""

    def __init__(self) -> None:
        self.used = np.zeros(3, np.int64)
        self.table = np.full(2 * _FIRST_TERMS, -1, np.int32)
        self.hashes = np.zeros(_FIRST_TERMS, np.uint64)
        self.ends = np.zeros(_FIRST_TERMS, np.int64)
        self.counts = np.zeros(_FIRST_TERMS, np.int64)
        self.newest = np.zeros(_FIRST_TERMS, np.int64)
        self.text = np.zeros(_FIRST_TEXT_BYTES, np.uint8)

    @property
    def count(self) -> int:
        return int(self.used[0])

    @property
    def nbytes(self) -> int:
        return len(self.hashes) * 32 + self.table.nbytes + self.text.nbytes

    def make_room(self, row_bytes: int) -> None:
        """Make room for the terms of a row of ``row_bytes`` bytes, at least doubling what is."""
        size = len(self.hashes)
        while self.count + (row_bytes + 1) // 2 > size:
            size *= 2
        if size > len(self.hashes):
            for name in ("hashes", "ends", "counts", "newest"):
                setattr(self, name, _enlarged(getattr(self, name), size))
            self.table = np.full(2 * size, -1, np.int32)
            fill_table(self.hashes[: self.count], self.table)
        text_bytes = (int(self.ends[self.count - 1]) if self.count else 0) + row_bytes
        if text_bytes > len(self.text):
            self.text = _enlarged(self.text, max(2 * len(self.text), text_bytes))


class _Postings:
    """The postings of a run under construction, in row order."""

    def __init__(self, first_row: int) -> None:
        self.first_row = first_row
        self.next_row = first_row
        self.batches: list[tuple[_Int32s, _Int32s, _Int32s]] = []
        self.lengths: list[NDArray[np.int64]] = []

    @property
    def nbytes(self) -> int:
        postings = sum(len(batch[0]) for batch in self.batches)
        rows = self.next_row - self.first_row
        return postings * (_POSTING_BYTES + _SORTING_BYTES) + 8 * rows

    def add(self, texts: TextBuffers, terms: _Terms) -> None:
        """Invert the rows of one batch."""
        offsets = texts.offsets
        rows = len(offsets) - 1
        room = (int(offsets[-1] - offsets[0]) + rows) // 2 + 1
        found = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
        lengths = np.zeros(rows, np.int64)
        terms.used[2] = terms.used[1]
        row = 0
        with np.errstate(over="ignore"):
            while True:
                row = invert_rows(
                    texts.data, offsets, row, self.next_row, terms.table, terms.hashes,
                    terms.ends, terms.text, terms.counts, terms.newest, terms.used,
                    *found, lengths,
                )  # fmt: skip
                if row == rows:
                    break
                terms.make_room(int(offsets[row + 1] - offsets[row]))
        written = int(terms.used[1] - terms.used[2])
        found_terms, rows_held, frequencies = (array[:written].copy() for array in found)
        self.batches.append((found_terms, rows_held, frequencies))
        self.lengths.append(lengths)
        self.next_row += rows


def _finish(directory: Path, terms: _Terms, postings: _Postings) -> Run:
    """Sort a run and move it to scratch files, if it is not small."""
    text_stops = terms.ends[: terms.count]
    text_starts = np.concatenate((np.zeros(1, np.int64), text_stops))[:-1]
    order, _ = order_terms(terms.hashes[: terms.count], terms.text, text_starts, text_stops)
    counts = terms.counts[: terms.count][order]
    places = np.empty(terms.count, np.int64)
    places[order] = np.cumsum(counts) - counts
    lengths = np.concatenate([np.zeros(0, np.int64), *postings.lengths])
    codes_of_lengths = length_codes(lengths)
    total = int(counts.sum())
    large = sum(int(np.count_nonzero(batch[2] >= LARGE_FREQUENCY)) for batch in postings.batches)
    rows, codes = np.empty(total, np.int32), np.empty(total, np.uint16)
    large_places, large_counts = np.empty(large, np.int64), np.empty(large, np.int64)
    used = np.zeros(1, np.int64)
    for batch in postings.batches:
        sort_postings(
            *batch, codes_of_lengths, postings.first_row, places, rows, codes,
            large_places, large_counts, used,
        )  # fmt: skip
    rising = np.argsort(large_places)
    arrays: dict[str, NDArray[Any]] = {
        "hashes": terms.hashes[: terms.count][order],
        "text_starts": text_starts[order],
        "text_stops": text_stops[order],
        "text": terms.text[: int(text_stops[-1]) if terms.count else 0],
        "counts": counts,
        "posting_rows": rows,
        "posting_codes": codes,
        "large_places": large_places[rising],
        "large_counts": large_counts[rising],
    }
    if sum(array.nbytes for array in arrays.values()) > _HELD_BYTES:
        arrays = _mapped(directory, arrays)
    return Run(len(lengths), int(lengths.sum()), **arrays)


def _mapped(directory: Path, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    directory.mkdir(parents=True)
    for name, array in arrays.items():
        save_array(directory / f"{name}.npy", array)
    return {
        name: open_array(directory / f"{name}.npy", array.dtype.type, array.shape)
        for name, array in arrays.items()
    }


def _enlarged(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger
