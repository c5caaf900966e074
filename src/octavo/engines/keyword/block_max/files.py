"""Block-max postings on disk: a directory of flat arrays, opened by memory map.

``description.json`` counts what the arrays hold. Terms are in the order of (hash, bytes):

===================  =============  ==========================================================
file                 type           content
===================  =============  ==========================================================
``hashes.npy``       uint64[t]      the FNV-1a hash of each term
``text_ends.npy``    int64[t]       where the UTF-8 bytes of each term end
``text.npy``         uint8[...]     the bytes of all terms
``ends.npy``         int64[t]       where the postings of each term end
``rows.npy``         int32[p]       the row of each posting, rising within a term
``codes.npy``        uint16[p]      frequency (at most 255) * 256 + length code of the row
``bounds.npy``       uint16[b, 2]   two codes for each block of 64 postings, see
                                    :func:`octavo.kernels.merge_postings.bound_blocks`
``large_places``,    int64[l]       place and frequency of each posting whose frequency is 255
``large_counts.npy``                or more
``frequent.npy``     int64[f]       the numbers of the terms that have levels, rising
``levels.npy``       uint8[f, n/4]  for each of them two bits a row, the lowest first: the frequency
                                    in the row where it is 0, 1 or 2, and 3 where it is more
===================  =============  ==========================================================

Nothing here depends on other segments: scores are made when the statistics of the whole are known.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.errors import CorpusCorruptError, CorpusFormatError, is_exhausted

VERSION = 1
DESCRIPTION = "description.json"
LARGEST_ROWS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Description:
    """How much a directory of block-max postings holds."""

    version: int
    rows: int
    tokens: int
    """Of all rows together."""
    terms: int
    text_bytes: int
    postings: int
    blocks: int
    large: int
    """Postings whose frequency does not fit a byte."""
    frequent: int
    """Terms that have levels."""

    def shapes(self) -> Mapping[str, tuple[type[np.generic], tuple[int, ...]]]:
        """Return the type and the shape of each array."""
        return {
            "hashes": (np.uint64, (self.terms,)),
            "text_ends": (np.int64, (self.terms,)),
            "text": (np.uint8, (self.text_bytes,)),
            "ends": (np.int64, (self.terms,)),
            "rows": (np.int32, (self.postings,)),
            "codes": (np.uint16, (self.postings,)),
            "bounds": (np.uint16, (self.blocks, 2)),
            "large_places": (np.int64, (self.large,)),
            "large_counts": (np.int64, (self.large,)),
            "frequent": (np.int64, (self.frequent,)),
            "levels": (np.uint8, (self.frequent, -(-self.rows // 4))),
        }

    def write(self, directory: Path) -> None:
        """Write the description beside the arrays."""
        body = json.dumps(asdict(self), indent=1) + "\n"
        (directory / DESCRIPTION).write_text(body, encoding="utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class BlockMaxPostings:
    """The postings of one segment, memory-mapped; see the module for each array."""

    directory: Path
    description: Description
    hashes: NDArray[np.uint64]
    text_ends: NDArray[np.int64]
    text: NDArray[np.uint8]
    ends: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint16]
    bounds: NDArray[np.uint16]
    large_places: NDArray[np.int64]
    large_counts: NDArray[np.int64]
    frequent: NDArray[np.int64]
    levels: NDArray[np.uint8]


def array_path(directory: Path, name: str) -> Path:
    """Return the file of an array."""
    return directory / f"{name}.npy"


def open_postings(directory: Path, rows: int) -> BlockMaxPostings:
    """Open the postings of ``rows`` rows; reads nothing of the size of the corpus.

    Raises
    ------
    CorpusCorruptError
        A file is missing or does not hold what the description promises.
    CorpusFormatError
        The directory was written by a newer octavo.
    """
    description = _read_description(directory / DESCRIPTION)
    if description.rows != rows:
        raise CorpusCorruptError(
            f"{directory}: expected postings of {rows} rows, found {description.rows}"
        )
    arrays: dict[str, Any] = {
        name: open_array(array_path(directory, name), dtype, shape)
        for name, (dtype, shape) in description.shapes().items()
    }
    return BlockMaxPostings(directory, description, **arrays)


def _read_description(path: Path) -> Description:
    try:
        body = json.loads(path.read_bytes())
        if isinstance(body["version"], int) and body["version"] > VERSION:
            raise CorpusFormatError(
                f"{path}: written by format {body['version']}, this octavo reads up to {VERSION}"
            )
        found = Description(**body)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if is_exhausted(error):
            raise
        raise CorpusCorruptError(f"{path}: expected a description: {error!r}") from error
    for name, value in asdict(found).items():
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
            raise CorpusCorruptError(f"{path}: expected a count as {name}, found {value!r}")
    return found
