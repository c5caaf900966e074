"""Merge runs into the block-max postings of a segment."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import save_array
from octavo.engines.keyword.block_max.files import VERSION, Description, array_path
from octavo.engines.keyword.block_max.runs import Run
from octavo.engines.keyword.block_max.term_order import order_terms
from octavo.kernels.merge_postings import bound_blocks, copy_postings, gather_texts
from octavo.kernels.posting_codes import BLOCK

_POSTINGS_AT_ONCE = 1 << 22
_TERMS_AT_ONCE = 1 << 19
"""Terms merged at a time, about 100 bytes each."""

FREQUENT_ROWS, LEAST_FREQUENT = 64, 1024
"""A term in one row of 64, but of no fewer than 1,024, gets levels: the frequency in most rows is
then read off two bits, where it would have to be searched for in the postings."""


def write_block_max(directory: Path, runs: Sequence[Run]) -> None:
    """Write the postings of consecutive runs into the new directory ``directory``.

    The bytes depend on the rows alone, not on how they were cut into runs. Runs are merged by
    ranges of hashes, so that memory holds a bounded number of terms, and of postings, at a time.

    Raises
    ------
    OSError
        The disk is full.
    """
    directory.mkdir(parents=True)
    rows = sum(run.rows for run in runs)
    postings = sum(int(run.counts.sum()) for run in runs)
    with ExitStack() as files:
        merger = _Merger(
            rows,
            np.zeros((-(-postings // BLOCK), 2), np.uint16),
            files.enter_context(_array_file(directory, "hashes", np.uint64)),
            files.enter_context(_array_file(directory, "text_ends", np.int64)),
            files.enter_context(_array_file(directory, "text", np.uint8)),
            files.enter_context(_array_file(directory, "ends", np.int64)),
            files.enter_context(_array_file(directory, "rows", np.int32)),
            files.enter_context(_array_file(directory, "codes", np.uint16)),
            files.enter_context(_array_file(directory, "large_places", np.int64)),
            files.enter_context(_array_file(directory, "large_counts", np.int64)),
            files.enter_context(_array_file(directory, "frequent", np.int64)),
            files.enter_context(_array_file(directory, "levels", np.uint8, -(-rows // 4))),
        )
        taken = [0] * len(runs)
        for parts in _hash_ranges(runs):
            pieces = [
                _Piece.of(run, part, first)
                for run, part, first in zip(runs, parts, taken, strict=True)
            ]
            taken = [piece.stop for piece in pieces]
            merger.add(pieces)
    save_array(array_path(directory, "bounds"), merger.bounds)
    Description(
        version=VERSION,
        rows=rows,
        tokens=sum(run.tokens for run in runs),
        terms=merger.hashes.length,
        text_bytes=merger.text.length,
        postings=postings,
        blocks=len(merger.bounds),
        large=merger.large_places.length,
        frequent=merger.frequent.length,
    ).write(directory)


def _hash_ranges(runs: Sequence[Run]) -> Iterator[list[slice]]:
    """Yield, range of hashes by range of hashes, which terms of each run are in it."""
    count = max(1, -(-sum(len(run.hashes) for run in runs) // _TERMS_AT_ONCE))
    edges = np.array([number * 2**64 // count for number in range(1, count)], np.uint64)
    cuts = [[0, *np.searchsorted(run.hashes, edges).tolist(), len(run.hashes)] for run in runs]
    for number in range(count):
        yield [slice(cut[number], cut[number + 1]) for cut in cuts]


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """The terms of a run in one range of hashes, and their postings ``start`` to ``stop``."""

    run: Run
    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]
    text: NDArray[np.uint8]
    text_ends: NDArray[np.int64]
    start: int
    stop: int

    @classmethod
    def of(cls, run: Run, part: slice, start: int) -> "_Piece":
        """Read the terms ``part`` of a run, whose postings begin at ``start``."""
        counts = run.counts[part]
        starts, stops = run.text_starts[part], run.text_stops[part]
        text_ends = np.cumsum(stops - starts)
        text = np.empty(int(text_ends[-1]) if len(text_ends) else 0, np.uint8)
        gather_texts(run.text, starts, stops, text)
        return cls(run, run.hashes[part], counts, text, text_ends, start, start + int(counts.sum()))

    @property
    def posting_starts(self) -> NDArray[np.int64]:
        """Where the postings of each term start in the run."""
        starts: NDArray[np.int64] = self.start + np.cumsum(self.counts) - self.counts
        return starts

    def large(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return place and frequency of each posting whose frequency does not fit a byte."""
        held = slice(*np.searchsorted(self.run.large_places, (self.start, self.stop)))
        large, starts = self.run.large_places[held], self.posting_starts
        term = np.searchsorted(starts, large, side="right") - 1
        return places[term] + large - starts[term], self.run.large_counts[held]


class _ArrayFile:
    """An array that grows on disk."""

    def __init__(self, file: BinaryIO, dtype: type[np.generic], width: int | None) -> None:
        self._file, self._dtype, self._width = file, np.dtype(dtype), width
        self.length = 0
        self.write_header()

    def write_header(self) -> None:
        """Write the header; numpy leaves room in it for any length."""
        shape = (self.length,) if self._width is None else (self.length, self._width)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        self._file.seek(0)
        np.lib.format.write_array_header_1_0(self._file, header)

    def append(self, values: NDArray[np.generic]) -> None:
        """Write further values, with a width one line of them."""
        self.length += 1 if self._width is not None else len(values)
        self._file.write(np.ascontiguousarray(values, self._dtype).data)


@dataclass(frozen=True, slots=True, eq=False)
class _Merger:
    """The files of a segment while they are written."""

    rows_total: int
    bounds: NDArray[np.uint16]
    hashes: _ArrayFile
    text_ends: _ArrayFile
    text: _ArrayFile
    ends: _ArrayFile
    rows: _ArrayFile
    codes: _ArrayFile
    large_places: _ArrayFile
    large_counts: _ArrayFile
    frequent: _ArrayFile
    levels: _ArrayFile

    def add(self, pieces: Sequence[_Piece]) -> None:
        """Merge the terms of one range of hashes, which are after all that came before."""
        base, text_base, term_base = self.rows.length, self.text.length, self.hashes.length
        hashes = np.concatenate([piece.hashes for piece in pieces])
        counts = np.concatenate([piece.counts for piece in pieces])
        text = np.concatenate([piece.text for piece in pieces])
        sizes = np.concatenate([np.diff(piece.text_ends, prepend=0) for piece in pieces])
        stops = np.cumsum(sizes)
        starts = stops - sizes
        order, new = order_terms(hashes, text, starts, stops)
        firsts = order[new]
        merged_text = np.empty(int(sizes[firsts].sum()), np.uint8)
        gather_texts(text, starts[firsts], stops[firsts], merged_text)
        self.hashes.append(hashes[firsts])
        self.text_ends.append(text_base + np.cumsum(sizes[firsts]))
        self.text.append(merged_text)
        ordered_ends = base + np.cumsum(counts[order])
        places = np.empty(len(order), np.int64)
        places[order] = ordered_ends - counts[order]
        last_of_term = np.concatenate((new[1:], np.ones(1, np.bool_)))[: len(order)]
        ends = ordered_ends[last_of_term]
        self.ends.append(ends)
        each_places = np.split(places, np.cumsum([len(piece.hashes) for piece in pieces])[:-1])
        large = [piece.large(where) for piece, where in zip(pieces, each_places, strict=True)]
        large_places = np.concatenate([each[0] for each in large])
        rising = np.argsort(large_places)
        self.large_places.append(large_places[rising])
        self.large_counts.append(np.concatenate([each[1] for each in large])[rising])
        self._add_postings(pieces, each_places, ends, term_base)

    def _add_postings(
        self,
        pieces: Sequence[_Piece],
        each_places: Sequence[NDArray[np.int64]],
        ends: NDArray[np.int64],
        term_base: int,
    ) -> None:
        """Write postings, bounds and levels of the terms whose postings end at ``ends``."""
        done = self.rows.length
        total = int(ends[-1]) if len(ends) else done
        counts = np.diff(ends, prepend=done)
        frequent = np.flatnonzero(counts >= max(LEAST_FREQUENT, self.rows_total / FREQUENT_ROWS))
        self.frequent.append(term_base + frequent)
        starts = [piece.posting_starts for piece in pieces]
        term = 0
        while done < total:
            first = term
            term = max(term + 1, int(np.searchsorted(ends, done + _POSTINGS_AT_ONCE, side="right")))
            stop = int(ends[term - 1])
            rows, codes = np.empty(stop - done, np.int32), np.empty(stop - done, np.uint16)
            for piece, held, places in zip(pieces, starts, each_places, strict=True):
                # A run's terms are in the order of the merged terms.
                part = slice(*np.searchsorted(places, (done, stop)))
                copy_postings(
                    piece.run.posting_rows, piece.run.posting_codes, held[part],
                    piece.counts[part], places[part], done, rows, codes,
                )  # fmt: skip
            bound_blocks(codes, done, self.bounds)
            self.rows.append(rows)
            self.codes.append(codes)
            for each in frequent[slice(*np.searchsorted(frequent, (first, term)))].tolist():
                held_by = slice(ends[each] - counts[each] - done, ends[each] - done)
                self.levels.append(_levels(rows[held_by], codes[held_by], self.rows_total))
            done = stop


def _levels(
    rows: NDArray[np.int32], codes: NDArray[np.uint16], rows_total: int
) -> NDArray[np.uint8]:
    """Return the frequency of a term in each row, at most 3, as two bits."""
    levels = np.zeros((-(-rows_total // 4), 4), np.uint8)
    levels.reshape(-1)[rows] = np.minimum(codes >> 8, 3)
    packed: NDArray[np.uint8] = np.bitwise_or.reduce(
        levels << np.array([0, 2, 4, 6], np.uint8), axis=1
    )
    return packed


@contextmanager
def _array_file(
    directory: Path, name: str, dtype: type[np.generic], width: int | None = None
) -> Iterator[_ArrayFile]:
    """Open the file of an array, so that the values themselves can be written one after another."""
    with array_path(directory, name).open("wb") as file:
        array = _ArrayFile(file, dtype, width)
        yield array
        array.write_header()
