"""Which rows of a segment are live: one bit a row on disk, one boolean in memory."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array, save_array
from octavo.errors import CorpusCorruptError


def write_live(path: Path, live: NDArray[np.bool_]) -> None:
    """Write the bits of ``live``, the first row in the lowest bit; the file is not flushed.

    Raises
    ------
    OSError
        The disk is full, or the file cannot be written.
    """
    path.parent.mkdir(exist_ok=True)
    save_array(path, np.packbits(live, bitorder="little"))


def read_live(path: Path, rows: int, live_rows: int) -> NDArray[np.bool_]:
    """Return one boolean a row, read-only.

    Raises
    ------
    CorpusCorruptError
        The file is missing or damaged, or has not ``live_rows`` live rows of ``rows``.
    """
    bits = open_array(path, np.uint8, (-(-rows // 8),))
    live = np.unpackbits(bits, count=rows, bitorder="little").view(np.bool_)
    found = int(np.count_nonzero(live))
    if found != live_rows:
        raise CorpusCorruptError(f"{path}: expected {live_rows} live rows, found {found}")
    live.flags.writeable = False
    return live
