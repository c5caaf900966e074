"""Merge runs into the block-max postings of a segment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import save_array
from octavo.engines.keyword.block_max.files import VERSION, Description, array_path
from octavo.engines.keyword.block_max.runs import Run
from octavo.engines.keyword.block_max.term_order import order_terms
from octavo.kernels.merge_postings import bound_blocks, copy_postings, gather_texts
from octavo.kernels.posting_codes import BLOCK

_POSTINGS_AT_ONCE = 1 << 22

FREQUENT_ROWS, LEAST_FREQUENT = 64, 1024
"""A term in one row of 64, but of no fewer than 1,024, gets levels: the frequency in most rows is
then read off two bits, where it would have to be searched for in the postings."""


def write_block_max(directory: Path, runs: Sequence[Run]) -> None:
    """Write the postings of consecutive runs into the new directory ``directory``.

    The bytes depend on the rows alone, not on how they were cut into runs. Holds the terms of all
    runs in memory (about 60 bytes each), and of the postings only a few million at a time.

    Raises
    ------
    OSError
        The disk is full.
    """
    directory.mkdir(parents=True)
    terms = _merge_terms(runs)
    total = int(terms.ends[-1]) if len(terms.ends) else 0
    rows = sum(run.rows for run in runs)
    frequent = _write_postings(directory, runs, terms, rows)
    large = _large(runs, terms)
    arrays: dict[str, NDArray[Any]] = {
        "hashes": terms.hashes,
        "text_ends": terms.text_ends,
        "text": terms.text,
        "ends": terms.ends,
        "large_places": large[0],
        "large_counts": large[1],
        "frequent": frequent,
    }
    for name, array in arrays.items():
        save_array(array_path(directory, name), array)
    Description(
        version=VERSION,
        rows=rows,
        tokens=sum(run.tokens for run in runs),
        terms=len(terms.hashes),
        text_bytes=len(terms.text),
        postings=total,
        blocks=-(-total // BLOCK),
        large=len(large[0]),
        frequent=len(frequent),
    ).write(directory)


@dataclass(frozen=True, slots=True, eq=False)
class _MergedTerms:
    """The distinct terms of all runs, and where the postings of each run's terms go."""

    hashes: NDArray[np.uint64]
    text_ends: NDArray[np.int64]
    text: NDArray[np.uint8]
    ends: NDArray[np.int64]
    places: Sequence[NDArray[np.int64]]
    """For each run the place of the first posting of each of its terms."""


def _merge_terms(runs: Sequence[Run]) -> _MergedTerms:
    hashes = np.concatenate([run.hashes for run in runs])
    counts = np.concatenate([run.counts for run in runs])
    text = np.concatenate([run.text for run in runs])
    bases = np.cumsum([0, *(len(run.text) for run in runs)])
    starts = np.concatenate(
        [run.text_starts + base for run, base in zip(runs, bases, strict=False)]
    )
    stops = np.concatenate([run.text_stops + base for run, base in zip(runs, bases, strict=False)])
    order, new = order_terms(hashes, text, starts, stops)
    firsts = order[new]
    sizes = stops[firsts] - starts[firsts]
    merged_text = np.empty(int(sizes.sum()), np.uint8)
    gather_texts(text, starts[firsts], stops[firsts], merged_text)
    ends = np.cumsum(counts[order])
    places = np.empty(len(order), np.int64)
    places[order] = ends - counts[order]
    last_of_term = np.concatenate((new[1:], np.ones(1, np.bool_)))[: len(order)]
    cuts = np.cumsum([len(run.hashes) for run in runs])[:-1]
    return _MergedTerms(
        hashes[firsts],
        np.cumsum(sizes),
        merged_text,
        ends[last_of_term],
        np.split(places, cuts),
    )


def _write_postings(
    directory: Path, runs: Sequence[Run], terms: _MergedTerms, rows_total: int
) -> NDArray[np.int64]:
    """Write postings, bounds and levels; return the terms that have levels."""
    total = int(terms.ends[-1]) if len(terms.ends) else 0
    counts = np.diff(terms.ends, prepend=0)
    frequent = np.flatnonzero(counts >= max(LEAST_FREQUENT, rows_total / FREQUENT_ROWS))
    bounds = np.zeros((-(-total // BLOCK), 2), np.uint16)
    run_starts = [np.cumsum(run.counts) - run.counts for run in runs]
    with (
        _array_file(directory, "rows", np.int32, (total,)) as rows_file,
        _array_file(directory, "codes", np.uint16, (total,)) as codes_file,
        _array_file(
            directory, "levels", np.uint8, (len(frequent), -(-rows_total // 4))
        ) as levels_file,
    ):
        done = term = 0
        while done < total:
            first = term
            term = max(
                term + 1, int(np.searchsorted(terms.ends, done + _POSTINGS_AT_ONCE, side="right"))
            )
            stop = int(terms.ends[term - 1])
            rows, codes = np.empty(stop - done, np.int32), np.empty(stop - done, np.uint16)
            for run, starts, places in zip(runs, run_starts, terms.places, strict=True):
                # A run's terms are in the order of the merged terms.
                part = slice(*np.searchsorted(places, (done, stop)))
                copy_postings(
                    run.posting_rows, run.posting_codes, starts[part], run.counts[part],
                    places[part], done, rows, codes,
                )  # fmt: skip
            bound_blocks(codes, done, bounds)
            rows_file.write(rows.data)
            codes_file.write(codes.data)
            for each in frequent[slice(*np.searchsorted(frequent, (first, term)))].tolist():
                held = slice(terms.ends[each] - counts[each] - done, terms.ends[each] - done)
                levels_file.write(_levels(rows[held], codes[held], rows_total).data)
            done = stop
    save_array(array_path(directory, "bounds"), bounds)
    return frequent


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


def _large(runs: Sequence[Run], terms: _MergedTerms) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return place and frequency of each posting whose frequency does not fit a byte."""
    places, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for run, term_places in zip(runs, terms.places, strict=True):
        starts = np.cumsum(run.counts) - run.counts
        term = np.searchsorted(starts, run.large_places, side="right") - 1
        places.append(term_places[term] + run.large_places - starts[term])
        counts.append(np.asarray(run.large_counts))
    joined = np.concatenate(places)
    order = np.argsort(joined)
    return joined[order], np.concatenate(counts)[order]


@contextmanager
def _array_file(
    directory: Path, name: str, dtype: type[np.generic], shape: tuple[int, ...]
) -> Iterator[BinaryIO]:
    """Open the file of an array, so that the values themselves can be written one after another."""
    with array_path(directory, name).open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
        )
        yield file
