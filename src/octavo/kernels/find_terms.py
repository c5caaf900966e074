"""Tokens of queries to term numbers, and to clauses in the one order that scores are summed in."""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.fnv import OFFSET_BASIS, PRIME

_BYTES = readonly(types.uint8)
_INTS = readonly(types.int64)


@kernel(types.int64(readonly(types.uint64), types.uint64))
def _first_at_least(hashes: NDArray[np.uint64], value: np.uint64) -> Any:  # noqa: ANN401 - an integer
    """Return where a hash would be: near its share of the range, since hashes are even."""
    count = hashes.shape[0]
    width = np.int64(2.0 * np.sqrt(np.float64(count))) + 8
    guess = np.int64(np.float64(value >> np.uint64(11)) * 2.0**-53 * count)
    low = max(np.int64(0), guess - width)
    high = min(count, guess + width)
    if low > 0 and hashes[low - 1] >= value:
        low = np.int64(0)
    if high < count and hashes[high] < value:
        high = count
    while low < high:
        middle = (low + high) // 2
        if hashes[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(types.void(_BYTES, _INTS, readonly(types.uint64), _INTS, _BYTES, writable(types.int64)))
def find_terms(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    text_ends: NDArray[np.int64],
    text: NDArray[np.uint8],
    terms: NDArray[np.int64],
) -> None:
    """Write the number of each token ``data[offsets[i]:offsets[i + 1]]``, -1 where it is unknown.

    ``hashes``, ``text_ends`` and ``text`` are those of
    :mod:`octavo.engines.keyword.block_max.files`. O(log terms) a token, and usually less.
    """
    prime = np.uint64(PRIME)
    for token in range(offsets.shape[0] - 1):
        value = np.uint64(OFFSET_BASIS)
        width = offsets[token + 1] - offsets[token]
        for position in range(offsets[token], offsets[token + 1]):
            value = (value ^ np.uint64(data[position])) * prime
        terms[token] = -1
        term = _first_at_least(hashes, value)
        while term < hashes.shape[0] and hashes[term] == value:
            begin = text_ends[term - 1] if term else np.int64(0)
            # A damaged file may say anything; a sum with `begin` could wrap round.
            if 0 <= begin <= text.shape[0] - width and text_ends[term] - begin == width:
                index = 0
                while index < width and text[begin + index] == data[offsets[token] + index]:
                    index += 1
                if index == width:
                    terms[token] = term
                    break
            term += 1


@kernel(types.int64(_BYTES, _INTS, _INTS, types.int64, types.int64))
def _compare(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    frequencies: NDArray[np.int64],
    first: int,
    second: int,
) -> Any:  # noqa: ANN401 - an integer
    """Return a number below, of or above 0, as token ``first`` sorts before ``second`` or not."""
    if frequencies[first] != frequencies[second]:
        return frequencies[first] - frequencies[second]
    length = offsets[first + 1] - offsets[first]
    other_length = offsets[second + 1] - offsets[second]
    for index in range(min(length, other_length)):
        byte = np.int64(data[offsets[first] + index])
        other_byte = np.int64(data[offsets[second] + index])
        if byte != other_byte:
            return byte - other_byte
    return length - other_length


@kernel(
    types.void(
        _BYTES, _INTS, _INTS, _INTS, writable(types.int64), writable(types.int64),
        writable(types.int64), writable(types.int64),
    )
)  # fmt: skip
def order_clauses(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    frequencies: NDArray[np.int64],
    query_offsets: NDArray[np.int64],
    clauses: NDArray[np.int64],
    repetitions: NDArray[np.int64],
    clause_offsets: NDArray[np.int64],
    unknown: NDArray[np.int64],
) -> None:
    """Sort the distinct known tokens of each query by (document frequency, bytes).

    Parameters
    ----------
    data, offsets
        The tokens.
    frequencies
        The document frequency of each token, 0 for an unknown one.
    query_offsets
        The tokens of query ``q`` are ``query_offsets[q]`` to ``query_offsets[q + 1]``.
    clauses, repetitions, clause_offsets
        Written: a token for each clause, how often the query says it, and where the clauses of each
        query begin; room for every token.
    unknown
        Written: the number of distinct unknown tokens of each query.

    Notes
    -----
    Shell's sort with Knuth's gaps: O(n**1.5) comparisons for n tokens.
    """
    order = np.arange(offsets.shape[0] - 1)
    written = 0
    for query in range(query_offsets.shape[0] - 1):
        start = query_offsets[query]
        stop = query_offsets[query + 1]
        gap = 1
        while gap < (stop - start) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for position in range(start + gap, stop):
                token = order[position]
                place = position
                while (
                    place - gap >= start
                    and _compare(data, offsets, frequencies, token, order[place - gap]) < 0
                ):
                    order[place] = order[place - gap]
                    place -= gap
                order[place] = token
            gap //= 3
        unknown[query] = 0
        clause_offsets[query] = written
        for position in range(start, stop):
            token = order[position]
            repeated = (
                position > start
                and _compare(data, offsets, frequencies, token, order[position - 1]) == 0
            )
            if frequencies[token] == 0:
                if not repeated:
                    unknown[query] += 1
            elif repeated:
                repetitions[written - 1] += 1
            else:
                clauses[written] = token
                repetitions[written] = 1
                written += 1
    clause_offsets[query_offsets.shape[0] - 1] = written
