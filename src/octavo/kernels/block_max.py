"""The best rows of a query over block-max postings, skipping what cannot be among them.

This is MaxScore (Turtle and Flood 1995) with block maxima (Ding and Suel 2011), a term at a time: the rows of the rarest term are scored first, each looked up in the postings of
the other terms, and so the threshold is high before frequent terms are reached. Rows of later terms
can gain from the terms after them only, because rows that hold an earlier one have been scored.

Scores are float32 and added in the order of the clauses, whatever is skipped: the bits are those of
tantivy's union. What is skipped is decided in float64. A sum of n float32 terms exceeds the exact
sum by a factor of at most (1 + 2**-24)**(n - 1), and a score its bound by less than (1 + 2**-24)**5
(frequency and length of a bound may come from two postings, so its quotient is rounded apart);
the margin is above both together.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.key_heap import hit_key, key_score, push_key, replace_root
from octavo.kernels.posting_codes import BLOCK, FIRST_LARGE_CODE, LARGE_FREQUENCY
from octavo.kernels.seek import seek_row

SCORED, SKIPPED, LOOKED_UP = 0, 1, 2
"""Counters: postings scored, blocks of postings skipped, rows looked up."""

_FEW_REFUSED = 8

POSTINGS = (
    readonly(types.int32),
    readonly(types.uint16),
    readonly(types.int64),
    readonly(types.int64),
)
SCORING = (readonly(types.float32), readonly(types.float32))
CLAUSES = (readonly(types.int64), readonly(types.int64), readonly(types.float32))
SELECTION = (readonly(types.bool_), types.int64, types.int64)
HEAP = (writable(types.int64), types.int64, types.int64, types.int64)
COUNTERS = writable(types.int64)


@kernel(
    types.float32(
        types.int64, types.int64, readonly(types.int64), readonly(types.int64),
        readonly(types.float32),
    )
)  # fmt: skip
def large_factor(
    place: int,
    code: int | np.int64,
    large_places: NDArray[np.int64],
    large_counts: NDArray[np.int64],
    norms: NDArray[np.float32],
) -> np.float32:
    """Return the factor of a posting whose frequency does not fit a byte."""
    low = np.int64(0)
    high = large_places.shape[0]
    while low < high:
        middle = (low + high) // 2
        if large_places[middle] < place:
            low = middle + 1
        else:
            high = middle
    missing = low == large_places.shape[0] or large_places[low] != place
    if missing or large_counts[low] < LARGE_FREQUENCY:
        return np.float32(1.0)  # only in a damaged file
    frequency = np.float32(large_counts[low])
    return np.float32(frequency / np.float32(frequency + norms[code & 255]))


@kernel(
    types.int64(
        *POSTINGS, readonly(types.uint16, 2), readonly(types.uint8, 2), *SCORING, *CLAUSES,
        readonly(types.int64), *SELECTION, *HEAP, COUNTERS,
    )
)  # fmt: skip
def rank_rarest_first(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    large_places: NDArray[np.int64],
    large_counts: NDArray[np.int64],
    bounds: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    factors: NDArray[np.float32],
    norms: NDArray[np.float32],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    weights: NDArray[np.float32],
    level_numbers: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    rows_total: int,
    first_row: int,
    heap: NDArray[np.int64],
    base: int,
    size: int,
    limit: int,
    counters: NDArray[np.int64],
) -> int:
    """Offer the rows of one segment that hold a clause's term to the heap of a query.

    Parameters
    ----------
    rows, codes, large_places, large_counts, bounds, levels
        The postings, see :mod:`octavo.engines.keyword.block_max.files`.
    factors
        float32[65536]: ``tf / (tf + norm)`` of each code, 1 where the frequency is large.
    norms
        float32[256]: the norm of each length code.
    starts, stops, weights, level_numbers
        For each clause in order: where its postings start and stop, the weight that factors are
        multiplied by, and the number of its levels, -1 for none.
    admitted
        Which rows of the segment may be returned; empty for all.
    rows_total, first_row
        The number of rows of the segment, and the row number of its first.
    heap, base, size, limit
        Keys of hits so far, from other segments: ``size`` of at most ``limit`` at ``base``.
    counters
        Added to.

    Returns
    -------
    int
        The number of keys in the heap.
    """
    clauses = starts.shape[0]
    margin = 1.0 + (clauses + 16) * 2.0**-23
    gains = np.zeros(clauses, np.float64)  # what a clause can add to a score
    rest = np.zeros(clauses + 1, np.float64)  # what it and those after it can
    searched = np.zeros(clauses + 1, np.float64)  # what those of them without levels can
    for clause in range(clauses - 1, -1, -1):
        best = np.float32(0.0)
        if starts[clause] < stops[clause]:
            for block in range(starts[clause] // BLOCK, (stops[clause] - 1) // BLOCK + 1):
                best = max(best, factors[bounds[block, 0]], factors[bounds[block, 1]])
        gains[clause] = np.float64(np.float32(weights[clause] * best)) * margin
        rest[clause] = rest[clause + 1] + gains[clause]
        searched[clause] = searched[clause + 1]
        if level_numbers[clause] < 0:
            searched[clause] += gains[clause]
    kept = np.empty(BLOCK, np.int64)
    places = np.empty(clauses, np.int64)
    taken = 0
    refused = 0
    threshold = -1.0
    if size == limit:
        threshold = np.float64(key_score(heap[base]))
    for clause in range(clauses):
        if rest[clause] < threshold:
            break
        for other in range(clauses):
            places[other] = starts[other]
        weight = weights[clause]
        start = starts[clause]
        while start < stops[clause]:
            block = start // BLOCK
            stop = min(stops[clause], (block + 1) * BLOCK)
            best = max(factors[bounds[block, 0]], factors[bounds[block, 1]])
            if np.float64(np.float32(weight * best)) * margin + rest[clause + 1] < threshold:
                counters[SKIPPED] += 1
                start = stop
                continue
            counters[SCORED] += stop - start
            # First without branches, since no processor could predict them.
            found = 0
            for place in range(start, stop):
                score = np.float32(weight * factors[codes[place]])
                row = np.int64(rows[place])
                kept[found] = place
                found += (
                    (np.float64(score) * margin + rest[clause + 1] >= threshold)
                    & (row >= 0)
                    & (row < rows_total)  # always, but in a damaged file
                )
            candidates = found
            if clause + 1 < clauses:
                candidates = 0
                for index in range(found):
                    place = kept[index]
                    row = np.int64(rows[place])
                    code = np.int64(codes[place])
                    most = np.float64(np.float32(weight * factors[code])) + searched[clause + 1]
                    for other in range(clause + 1, clauses):
                        number = level_numbers[other]
                        if number >= 0:
                            level = np.int64(levels[number, row >> 2] >> (2 * (row & 3))) & 3
                            if level == 3:
                                most += gains[other]
                            else:
                                factor = factors[level << 8 | (code & 255)]
                                most += np.float64(np.float32(weights[other] * factor))
                    kept[candidates] = place
                    candidates += most * margin >= threshold
            for index in range(candidates):
                place = kept[index]
                row = np.int64(rows[place])
                # Asking costs more than scoring does, unless many rows are not admitted.
                early = refused > taken + _FEW_REFUSED
                if early and not admitted[row]:
                    continue
                code = np.int64(codes[place])
                factor = factors[code]
                if code >= FIRST_LARGE_CODE:
                    factor = large_factor(place, code, large_places, large_counts, norms)
                score = np.float32(weight * factor)
                length = code & 255
                hopeless = False
                for other in range(clause + 1, clauses):
                    if np.float64(score) * margin + rest[other] < threshold:
                        hopeless = True
                        break
                    number = level_numbers[other]
                    level = np.int64(3)
                    if number >= 0:
                        level = np.int64(levels[number, row >> 2] >> (2 * (row & 3))) & 3
                    if level < 3:
                        factor = factors[level << 8 | length]
                    else:
                        counters[LOOKED_UP] += 1
                        place = seek_row(rows, places[other], stops[other], row)
                        places[other] = place
                        if place == stops[other] or rows[place] != row:
                            continue
                        code = np.int64(codes[place])
                        factor = factors[code]
                        if code >= FIRST_LARGE_CODE:
                            factor = large_factor(place, code, large_places, large_counts, norms)
                    score = np.float32(score + np.float32(weights[other] * factor))
                if hopeless or not score > 0.0:
                    continue
                key = hit_key(score, first_row + row)
                if size == limit and key < heap[base]:
                    continue
                if not early and admitted.shape[0] and not admitted[row]:
                    refused += 1
                    continue
                taken += 1
                seen = False
                for other in range(clause):
                    place = seek_row(rows, places[other], stops[other], row)
                    places[other] = place
                    if place < stops[other] and rows[place] == row:
                        seen = True
                        break
                if seen:
                    continue
                if size < limit:
                    push_key(heap, base, size, key)
                    size += 1
                else:
                    replace_root(heap, base, size, key)
                if size == limit:
                    threshold = np.float64(key_score(heap[base]))
            start = stop
    return size
