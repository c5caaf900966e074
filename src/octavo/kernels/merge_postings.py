"""Runs of postings to one: terms compared, postings copied, blocks bounded."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.posting_codes import BLOCK


@kernel(
    types.void(
        readonly(types.uint8), readonly(types.int64), readonly(types.int64), writable(types.bool_)
    )
)
def mark_new_texts(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    new: NDArray[np.bool_],
) -> None:
    """Set ``new[i]`` where the text ``text[starts[i]:stops[i]]`` is not that of ``i - 1``."""
    for item in range(starts.shape[0]):
        if item == 0 or stops[item] - starts[item] != stops[item - 1] - starts[item - 1]:
            new[item] = True
            continue
        width = stops[item] - starts[item]
        index = 0
        while index < width and text[starts[item] + index] == text[starts[item - 1] + index]:
            index += 1
        new[item] = index < width


@kernel(
    types.void(
        readonly(types.uint8), readonly(types.int64), readonly(types.int64), writable(types.uint8)
    )
)
def gather_texts(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> None:
    """Write the texts ``text[starts[i]:stops[i]]`` one after the other."""
    place = 0
    for item in range(starts.shape[0]):
        for position in range(starts[item], stops[item]):
            out[place] = text[position]
            place += 1


@kernel(
    types.void(
        readonly(types.int32),
        readonly(types.uint16),
        readonly(types.int64),
        readonly(types.int64),
        readonly(types.int64),
        types.int64,
        writable(types.int32),
        writable(types.uint16),
    )
)
def copy_postings(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    places: NDArray[np.int64],
    first_place: int,
    out_rows: NDArray[np.int32],
    out_codes: NDArray[np.uint16],
) -> None:
    """Copy the ``counts[i]`` postings from ``starts[i]`` to ``places[i] - first_place``."""
    for item in range(starts.shape[0]):
        shift = places[item] - first_place - starts[item]
        for posting in range(starts[item], starts[item] + counts[item]):
            out_rows[posting + shift] = rows[posting]
            out_codes[posting + shift] = codes[posting]


@kernel(types.void(readonly(types.uint16), types.int64, writable(types.uint16, 2)))
def bound_blocks(codes: NDArray[np.uint16], first_place: int, bounds: NDArray[np.uint16]) -> None:
    """Widen the bounds of blocks by the postings from ``first_place`` on.

    Parameters
    ----------
    codes
        The code of each posting.
    first_place
        The place of the first among all postings.
    bounds
        uint16, shape (blocks, 2), zero at first: two codes a block. No posting of frequency 1
        scores above the first, no other above the second, whatever the mean length: the first has
        their smallest length, the second their largest frequency and their smallest length.
    """
    for posting in range(codes.shape[0]):
        block = (first_place + posting) // BLOCK
        code = np.int64(codes[posting])
        frequency = code >> 8
        kind = 0 if frequency == 1 else 1
        bound = np.int64(bounds[block, kind])
        if bound == 0:
            bounds[block, kind] = np.uint16(code)
        else:
            largest = max(frequency, bound >> 8)
            shortest = min(code & 255, bound & 255)
            bounds[block, kind] = np.uint16(largest * 256 + shortest)
