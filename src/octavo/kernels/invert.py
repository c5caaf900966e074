"""Analysed text to postings: which rows hold each term, and how often.

The first half of inversion (Zobel and Moffat 2006, "Inverted files for text search engines", in
memory): :func:`invert_rows` numbers the terms of a run of rows by a hash table and lists postings in
row order, :func:`sort_postings` counts them into the order of their terms.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.fnv import OFFSET_BASIS, PRIME
from octavo.kernels.posting_codes import LARGE_FREQUENCY, LONGEST_TOKEN


@kernel(
    types.int64(
        readonly(types.uint8),
        readonly(types.int64),
        types.int64,
        types.int64,
        writable(types.int32),
        writable(types.uint64),
        writable(types.int64),
        writable(types.uint8),
        writable(types.int64),
        writable(types.int64),
        writable(types.int64),
        writable(types.int32),
        writable(types.int32),
        writable(types.int32),
        writable(types.int64),
    )
)
def invert_rows(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    row: int,
    first_row: int,
    table: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    ends: NDArray[np.int64],
    text: NDArray[np.uint8],
    counts: NDArray[np.int64],
    newest: NDArray[np.int64],
    used: NDArray[np.int64],
    terms: NDArray[np.int32],
    rows: NDArray[np.int32],
    frequencies: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> int:
    """List the postings of rows ``row`` on, until the table or the text might be too small.

    Parameters
    ----------
    data, offsets
        Analysed text: tokens between ASCII white space; row ``i`` is
        ``data[offsets[i]:offsets[i + 1]]``.
    row, first_row
        The first row to read, and the row number of the row at ``offsets[0]``.
    table
        Hash table of term numbers, -1 where free; its length is a power of two.
    hashes, ends, text, counts, newest
        For each term number: the FNV-1a hash; where its bytes end in ``text`` (they begin where
        those of the term before end); the number of postings; the posting number of the newest.
        Half as many as ``table`` holds.
    used
        The number of terms and of postings so far, and of the postings before this call's arrays.
    terms, rows, frequencies
        Written, one a posting: term number, row number, frequency; room for every token.
    lengths
        Written, one a row: the number of tokens.

    Returns
    -------
    int
        The row to go on from, once the table is larger; the number of rows at the end.
    """
    prime = np.uint64(PRIME)
    mask = table.shape[0] - 1
    last = offsets.shape[0] - 1
    while row < last:
        position = offsets[row]
        stop = offsets[row + 1]
        size = stop - position
        text_used = ends[used[0] - 1] if used[0] else np.int64(0)
        if used[0] + (size + 1) // 2 > hashes.shape[0] or text_used + size > text.shape[0]:
            return row
        before = used[1]
        length = 0
        while position < stop:
            byte = data[position]
            if byte == 32 or byte == 9 or byte == 10 or byte == 12 or byte == 13:
                position += 1
                continue
            start = position
            value = np.uint64(OFFSET_BASIS)
            while position < stop:
                byte = data[position]
                if byte == 32 or byte == 9 or byte == 10 or byte == 12 or byte == 13:
                    break
                value = (value ^ np.uint64(byte)) * prime
                position += 1
            width = position - start
            if width > LONGEST_TOKEN:
                continue
            length += 1
            slot = np.int64((value ^ (value >> np.uint64(32))) & np.uint64(mask))
            while True:
                term = np.int64(table[slot])
                if term < 0:
                    term = used[0]
                    table[slot] = np.int32(term)
                    hashes[term] = value
                    for index in range(width):
                        text[text_used + index] = data[start + index]
                    text_used += width
                    ends[term] = text_used
                    counts[term] = 0
                    newest[term] = -1
                    used[0] += 1
                    break
                if hashes[term] == value:
                    begin = ends[term - 1] if term else np.int64(0)
                    if ends[term] - begin == width:
                        index = 0
                        while index < width and text[begin + index] == data[start + index]:
                            index += 1
                        if index == width:
                            break
                slot = (slot + 1) & mask
            if newest[term] >= before:
                frequencies[newest[term] - used[2]] += 1
            else:
                posting = used[1] - used[2]
                terms[posting] = np.int32(term)
                rows[posting] = np.int32(first_row + row)
                frequencies[posting] = np.int32(1)
                newest[term] = used[1]
                counts[term] += 1
                used[1] += 1
        lengths[row] = length
        row += 1
    return row


@kernel(types.void(readonly(types.uint64), writable(types.int32)))
def fill_table(hashes: NDArray[np.uint64], table: NDArray[np.int32]) -> None:
    """Put distinct terms into an empty, larger table of :func:`invert_rows`."""
    mask = table.shape[0] - 1
    for term in range(hashes.shape[0]):
        value = hashes[term]
        slot = np.int64((value ^ (value >> np.uint64(32))) & np.uint64(mask))
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = np.int32(term)


@kernel(
    types.void(
        readonly(types.int32),
        readonly(types.int32),
        readonly(types.int32),
        readonly(types.uint8),
        types.int64,
        writable(types.int64),
        writable(types.int32),
        writable(types.uint16),
        writable(types.int64),
        writable(types.int64),
        writable(types.int64),
    )
)
def sort_postings(
    terms: NDArray[np.int32],
    rows: NDArray[np.int32],
    frequencies: NDArray[np.int32],
    length_codes: NDArray[np.uint8],
    first_row: int,
    places: NDArray[np.int64],
    sorted_rows: NDArray[np.int32],
    sorted_codes: NDArray[np.uint16],
    large_places: NDArray[np.int64],
    large_frequencies: NDArray[np.int64],
    used: NDArray[np.int64],
) -> None:
    """Put postings where they belong by term; called in row order it keeps the row order.

    Parameters
    ----------
    terms, rows, frequencies
        Postings of :func:`invert_rows`.
    length_codes, first_row
        The length code of each row from ``first_row`` on.
    places
        For each term number the place of its next posting; advanced.
    sorted_rows, sorted_codes
        Written: row, and code as in :mod:`octavo.kernels.posting_codes`.
    large_places, large_frequencies, used
        Written: place and frequency of each large one, and ``used[0]``, how many there are.
    """
    for posting in range(terms.shape[0]):
        place = places[terms[posting]]
        places[terms[posting]] = place + 1
        row = rows[posting]
        frequency = np.int64(frequencies[posting])
        if frequency >= LARGE_FREQUENCY:
            large_places[used[0]] = place
            large_frequencies[used[0]] = frequency
            used[0] += 1
            frequency = np.int64(LARGE_FREQUENCY)
        sorted_rows[place] = row
        sorted_codes[place] = np.uint16(frequency * 256 + np.int64(length_codes[row - first_row]))
