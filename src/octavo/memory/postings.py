"""The keyword engine's files of a store: runs of rows, few in number and each written once.

New rows come as a run of their own and runs are merged in tiers: a row is written again a logarithmic
number of times, and an entry that is replaced or removed costs the writing of its run only.
"""

import os
import shutil
import weakref
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa

from octavo.columns.tiers import Tiers
from octavo.engines.keyword import KeywordIndex, write_segment
from octavo.engines.keyword.schema import META
from octavo.memory.changes import Edit
from octavo.memory.private_files import place_for, private_directory

_TIERS = Tiers(fan_out=4, small_rows=256, largest_rows=16_384, largest_share=16)
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


def _bounded(runs: Sequence[Run]) -> list[Run]:
    """Cut new runs that are too large."""
    largest = _TIERS.largest(sum(map(len, runs)))
    pieces: list[Run] = []
    for run in runs:
        if run.directory is not None or len(run) <= largest:
            pieces.append(run)
        else:
            starts = range(0, len(run), largest)
            pieces += [Run(run.texts.slice(start, largest)) for start in starts]
    return pieces


def _merged(runs: Sequence[Run]) -> list[Run]:
    groups = [runs[group.start : group.stop] for group in _TIERS.groups([len(run) for run in runs])]
    return [
        group[0] if len(group) == 1 else Run(pa.concat_arrays([run.texts for run in group]))
        for group in groups
    ]


def _remove(directory: Path, process: int) -> None:
    # A process forked from the one that made the files must leave them alone.
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)
