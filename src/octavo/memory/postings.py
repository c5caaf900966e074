"""The keyword engine's files of a store: runs of rows, few in number and each written once.

New rows come as a run of their own and runs are merged in tiers, as in a log-structured merge tree
(O'Neil et al., Acta Informatica 1996): a row is written again a logarithmic number of times, and an
entry that is replaced or removed costs the writing of its run only.
"""

import os
import shutil
import weakref
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa

from octavo.engines.keyword import KeywordIndex, write_segment
from octavo.engines.keyword.schema import META
from octavo.memory.changes import Edit
from octavo.memory.private_files import place_for, private_directory

_FAN_OUT = 4
_SMALL_ROWS = 256
"""Runs that hold fewer rows together are always merged: opening one costs more than writing it."""
_LARGEST_ROWS = 16_384
_LARGEST_SHARE = 16
"""No run holds more than 16,384 rows and more than a sixteenth of all, so that edits stay local."""

_SMALLEST_HEAP, _LARGEST_HEAP = 30_000_000, 500_000_000
_HEAP_PER_TEXT_BYTE = 3
_FILES_PER_TEXT_BYTE = 2


class Run:
    """Analysed texts of consecutive rows, and their files once they are written.

    Parameters
    ----------
    texts
        One string a row: its tokens, joined by single spaces.
    """

    __slots__ = ("__weakref__", "directory", "texts")

    def __init__(self, texts: pa.LargeStringArray) -> None:
        self.texts = texts
        self.directory: Path | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def write(self) -> Path:
        """Return the directory of the files, which are made if need be and go with the run.

        They are made again where someone removed them: a system may clear its temporary files.
        """
        if self.directory is None or not (self.directory / META).is_file():
            size = self.texts.nbytes
            directory = private_directory(size * _FILES_PER_TEXT_BYTE)
            remove = weakref.finalize(self, _remove, directory, os.getpid())
            heap = min(max(_SMALLEST_HEAP, size * _HEAP_PER_TEXT_BYTE), _LARGEST_HEAP)
            try:
                write_segment(directory, [self.texts], heap_bytes=heap)
            except BaseException:
                remove()
                raise
            self.directory = directory
        return self.directory


def edited_runs(runs: Sequence[Run], edit: Edit[str]) -> list[Run]:
    """Return the runs after an edit; a run that it does not touch stays as it is."""
    replaced = sorted(edit.replaced)
    result = []
    start = 0
    for run in runs:
        stop = start + len(run)
        inside = replaced[bisect_left(replaced, start) : bisect_left(replaced, stop)]
        kept = None if edit.kept is None else edit.kept[start:stop]
        if kept is not None and kept.all():
            kept = None
        if inside or kept is not None:
            texts = run.texts.to_pylist()
            for row in inside:
                texts[row - start] = edit.replaced[row]
            array = pa.array(texts, pa.large_string())
            run = Run(array if kept is None else array.filter(pa.array(kept)))  # noqa: PLW2901
        result.append(run)
        start = stop
    result.append(Run(pa.array(edit.appended, pa.large_string())))
    return _merged(_bounded([run for run in result if len(run)]))


def open_runs(runs: Sequence[Run]) -> KeywordIndex:
    """Return the index of all runs, having written those that are new."""
    directories = [run.write() for run in runs]
    *starts, rows = accumulate(map(len, runs), initial=0)
    return KeywordIndex.open(directories, rows, first_rows=starts, scratch=place_for(0))


def _largest(runs: Sequence[Run]) -> int:
    return max(_LARGEST_ROWS, sum(map(len, runs)) // _LARGEST_SHARE)


def _bounded(runs: Sequence[Run]) -> list[Run]:
    """Cut new runs that are too large."""
    largest = _largest(runs)
    pieces: list[Run] = []
    for run in runs:
        if run.directory is not None or len(run) <= largest:
            pieces.append(run)
        else:
            starts = range(0, len(run), largest)
            pieces += [Run(run.texts.slice(start, largest)) for start in starts]
    return pieces


def _merged(runs: Sequence[Run]) -> list[Run]:
    """Merge neighbours until no merge would make each of its rows' runs ``_FAN_OUT`` times larger.

    So a row is written again at most once for each power of the fan-out, and neighbours of equal
    size are never as many as the fan-out, up to the largest size.
    """
    largest = _largest(runs)
    result: list[Run] = []
    for run in runs:
        result.append(run)
        while (count := _mergeable([len(each) for each in result], largest)) > 0:
            texts = pa.concat_arrays([each.texts for each in result[-count:]])
            result[-count:] = [Run(texts)]
    return result


def _mergeable(sizes: Sequence[int], largest: int) -> int:
    """Return how many of the last runs are worth merging, or 0."""
    total = longest = 0
    for count, size in enumerate(reversed(sizes), 1):
        total += size
        longest = max(longest, size)
        if total > largest:
            return 0
        if count > 1 and (total <= _SMALL_ROWS or total >= _FAN_OUT * longest):
            return count
    return 0


def _remove(directory: Path, process: int) -> None:
    # A process forked from the one that made the files must leave them alone.
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)
