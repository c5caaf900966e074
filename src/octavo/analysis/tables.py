"""The code-point tables of the analyser, loaded once from the shipped file."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_FILE = Path(__file__).with_name("unicode.npz")
_CODE_POINTS = 0x110000


@dataclass(frozen=True, slots=True, eq=False)
class CodePointTables:
    """Class and case fold of every code point.

    Parameters
    ----------
    classes
        uint8[0x110000]: one of the classes of ``octavo.kernels.tokenize``.
    folds
        int32[m]: the code point each of the first ``m`` folds to (those beyond fold to
        themselves), or ``-1 - row`` of ``expansions``.
    expansions
        int32[3 * rows]: folds of more than one code point, three a row, padded with zeros.
    unicode_version
        The version of Unicode the tables were made from.
    checksum
        SHA-256 of the shipped file, in hex.
    """

    classes: NDArray[np.uint8]
    folds: NDArray[np.int32]
    expansions: NDArray[np.int32]
    unicode_version: str
    checksum: str


@lru_cache(maxsize=1)
def code_point_tables() -> CodePointTables:
    """Return the tables; the first call reads the file (about 3 ms), later calls nothing."""
    content = _FILE.read_bytes()
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        starts, values = arrays["class_starts"], arrays["class_values"]
        fold_from, fold_to = arrays["fold_from"], arrays["fold_to"]
        expansions = np.ascontiguousarray(arrays["expansions"], dtype=np.int32)
        version = ".".join(str(part) for part in arrays["unicode_version"])
    classes = np.repeat(values, np.diff(starts, append=_CODE_POINTS))
    folds = np.arange(fold_from[-1] + 1, dtype=np.int32)
    folds[fold_from] = fold_to
    for table in (classes, folds, expansions):
        table.setflags(write=False)
    checksum = hashlib.sha256(content).hexdigest()
    return CodePointTables(classes, folds, expansions, version, checksum)
