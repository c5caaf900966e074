"""Tokens of queries to their postings in segments whose arrays lie one behind the other."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.find_terms import find_terms

_BYTES = readonly(types.uint8)
_INTS = readonly(types.int64)
_NUMBERS = writable(types.int64, 2)

TERMS, TEXT, POSTINGS, BLOCKS, LARGE, ROWS = 0, 1, 2, 3, 4, 5
"""The columns of ``ends``: how much of each array the segments up to this one take together."""


@kernel(
    types.void(
        _BYTES, _INTS, readonly(types.uint64), _INTS, _BYTES, _INTS, _INTS, readonly(types.int64, 2),
        _NUMBERS, _NUMBERS, _NUMBERS,
    )
)  # fmt: skip
def find_postings(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    text_ends: NDArray[np.int64],
    text: NDArray[np.uint8],
    posting_ends: NDArray[np.int64],
    frequent: NDArray[np.int64],
    ends: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    levels: NDArray[np.int64],
) -> None:
    """Look up every token ``data[offsets[i]:offsets[i + 1]]`` in every segment.

    Parameters
    ----------
    data, offsets
        The tokens.
    hashes, text_ends, text, posting_ends, frequent
        As in :mod:`octavo.engines.keyword.block_max.files`, those of all segments in a row;
        ``frequent`` only where there is one segment, else empty.
    ends
        Shape ``(segments + 1, 6)``: line ``s + 1`` says where segment ``s`` ends in each array.
    starts, stops, levels
        Shape ``(segments, tokens)``, written: where the postings of each token are, counted within
        the segment, and the number of its levels, -1 for none; nothing for an unknown token.
    """
    terms = np.empty(offsets.shape[0] - 1, np.int64)
    for segment in range(starts.shape[0]):
        first = ends[segment, TERMS]
        last = ends[segment + 1, TERMS]
        postings = ends[segment + 1, POSTINGS] - ends[segment, POSTINGS]
        find_terms(
            data, offsets, hashes[first:last], text_ends[first:last],
            text[ends[segment, TEXT] : ends[segment + 1, TEXT]], terms,
        )  # fmt: skip
        for token in range(terms.shape[0]):
            term = terms[token]
            starts[segment, token] = 0
            stops[segment, token] = 0
            levels[segment, token] = -1
            if term < 0:
                continue
            # A damaged file may say anything.
            stop = min(max(posting_ends[first + term], np.int64(0)), postings)
            start = np.int64(0)
            if term > 0:
                start = min(max(posting_ends[first + term - 1], np.int64(0)), stop)
            starts[segment, token] = start
            stops[segment, token] = stop
            place = np.searchsorted(frequent, term)
            if place < frequent.shape[0] and frequent[place] == term:
                levels[segment, token] = place
