"""Text to tokens: UTF-8 bytes in, folded tokens joined by spaces out.

A word is a maximal run of letters, marks and digits that begins with a letter or digit. Words
joined by one dot and any number of underscores are a compound. A compound gives itself, then
each of its words; a word gives itself, then its parts if camel case splits it. Runs of scripts
written without spaces give overlapping pairs of characters (a character is a letter with its
marks). Nothing is looked at more than a fixed number of times, so the time is linear.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from octavo.kernels.compile import kernel, readonly, writable
from octavo.kernels.utf8 import decode, encode

SEPARATOR = 0
LETTER = 1
UPPER = 2
DIGIT = 3
MARK = 4
BIGRAM = 5
JOINER = 6
IGNORED = 7

TOKEN_CHARACTERS = 255
"""A token is cut after this many code points."""

OUTPUT_FACTOR = 12
"""Output bytes per input byte at most: three copies, each folded to at most three times the bytes
plus a space."""

_FULL_STOP = 0x2E
_SMALL_S = 0x73

_bytes = readonly(types.uint8)
_numbers = readonly(types.int32)
_pair = types.Tuple((types.int64, types.int64))  # type: ignore[no-untyped-call]
_triple = types.Tuple((types.int64,) * 3)  # type: ignore[no-untyped-call]
Bytes = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@kernel(_pair(_bytes, types.int64, types.int64, _bytes))
def classify(text: Bytes, at: int, end: int, classes: Bytes) -> tuple[int, int]:
    """Return the class of the code point at a byte and where the next one begins."""
    first = int(np.int64(text[at]))
    if first < 0x80:
        return int(np.int64(classes[first])), at + 1
    code_point, after = decode(text, at, end)
    if code_point < 0:
        return SEPARATOR, after
    return int(np.int64(classes[code_point])), after


@kernel(
    types.int64(
        _bytes, types.int64, types.int64, _bytes, _numbers, _numbers,
        writable(types.uint8), types.int64, types.int64,
    )
)  # fmt: skip
def write_token(
    text: Bytes, begin: int, end: int, classes: Bytes, folds: Int32s, expansions: Int32s,
    out: Bytes, row_begin: int, to: int,
) -> int:  # fmt: skip
    """Write ``text[begin:end]``, folded and cut, after a space unless it is the row's first."""
    if to > row_begin:
        out[to] = np.uint8(0x20)
        to += 1
    at = begin
    written = 0
    while at < end and written < TOKEN_CHARACTERS:
        first = int(np.int64(text[at]))
        if first < 0x80:
            out[to] = np.uint8(folds[first])
            to += 1
            at += 1
            written += 1
            continue
        code_point, at = decode(text, at, end)
        if classes[code_point] == IGNORED:
            continue
        fold = int(np.int64(folds[code_point])) if code_point < folds.shape[0] else code_point
        if fold >= 0:
            to = encode(fold, out, to)
            written += 1
            continue
        row = 3 * (-1 - fold)
        for column in range(row, row + 3):
            if expansions[column] > 0 and written < TOKEN_CHARACTERS:
                to = encode(int(np.int64(expansions[column])), out, to)
                written += 1
    return to


@kernel(_pair(_bytes, types.int64, types.int64, _bytes))
def next_base(text: Bytes, at: int, end: int, classes: Bytes) -> tuple[int, int]:
    """Return class and end of the first code point from ``at`` that is no mark; -1 at the end."""
    while at < end:
        kind, at = classify(text, at, end, classes)
        if kind != MARK and kind != IGNORED:
            return kind, at
    return -1, at


@kernel(types.int64(_bytes, types.int64, types.int64, _bytes))
def camel_part_end(text: Bytes, begin: int, end: int, classes: Bytes) -> int:
    """Return the end of the camel-case part of the word ``text[begin:end]`` that starts it."""
    previous, at = classify(text, begin, end, classes)
    while at < end:
        kind, after = classify(text, at, end, classes)
        if kind == UPPER:
            if previous == LETTER:
                return at
            following, after_following = next_base(text, after, end, classes)
            if following == LETTER:
                # A plural stays with its abbreviation: URLs, PDFsReader.
                plural = previous == UPPER and int(np.int64(text[after_following - 1])) == _SMALL_S
                if not plural:
                    return at
                beyond, _ = next_base(text, after_following, end, classes)
                if beyond == LETTER:
                    return at
        if kind != MARK and kind != IGNORED:
            previous = kind
        at = after
    return end


@kernel(_triple(_bytes, types.int64, types.int64, _bytes))
def scan_word(text: Bytes, begin: int, end: int, classes: Bytes) -> tuple[int, int, int]:
    """Return where the word at ``begin`` ends, where the next compound word begins, and if camel.

    The second is -1 where no joiner leads to another word; the third is 1 if a capital follows
    the first character, so that the word may have parts.
    """
    at = begin
    camel = 0
    kind = SEPARATOR
    after = at
    while at < end:
        kind, after = classify(text, at, end, classes)
        if kind == SEPARATOR or kind == BIGRAM or kind == JOINER:  # noqa: SIM109 - faster
            break
        if kind == UPPER and at > begin:
            camel = 1
        at = after
    word_end = at
    if at >= end or kind != JOINER:
        return word_end, -1, camel
    stops = 0
    while at < end:
        kind, after = classify(text, at, end, classes)
        if LETTER <= kind <= DIGIT:
            return word_end, at, camel
        if kind != JOINER and kind != IGNORED:
            break
        if int(np.int64(text[at])) == _FULL_STOP:
            stops += 1
            if stops > 1:
                break
        at = after
    return word_end, -1, camel


@kernel(
    _pair(
        _bytes, types.int64, types.int64, _bytes, _numbers, _numbers,
        writable(types.uint8), types.int64, types.int64,
    )
)  # fmt: skip
def write_compound(
    text: Bytes, begin: int, end: int, classes: Bytes, folds: Int32s, expansions: Int32s,
    out: Bytes, row_begin: int, to: int,
) -> tuple[int, int]:  # fmt: skip
    """Write all tokens of the compound at ``begin``; return its end and the output position."""
    word = begin
    word_end, following, camel = scan_word(text, word, end, classes)
    if following >= 0:
        compound_end = word_end
        member = following
        while member >= 0:
            compound_end, member, _ = scan_word(text, member, end, classes)
        to = write_token(text, begin, compound_end, classes, folds, expansions, out, row_begin, to)
    while True:
        to = write_token(text, word, word_end, classes, folds, expansions, out, row_begin, to)
        part = word
        part_end = camel_part_end(text, part, word_end, classes) if camel == 1 else word_end
        while part > word or part_end < word_end:
            to = write_token(text, part, part_end, classes, folds, expansions, out, row_begin, to)
            if part_end >= word_end:
                break
            part = part_end
            part_end = camel_part_end(text, part, word_end, classes)
        if following < 0:
            break
        word = following
        word_end, following, camel = scan_word(text, word, end, classes)
    return word_end, to


@kernel(
    _pair(
        _bytes, types.int64, types.int64, _bytes, _numbers, _numbers,
        writable(types.uint8), types.int64, types.int64,
    )
)  # fmt: skip
def write_bigrams(
    text: Bytes, begin: int, end: int, classes: Bytes, folds: Int32s, expansions: Int32s,
    out: Bytes, row_begin: int, to: int,
) -> tuple[int, int]:  # fmt: skip
    """Write the overlapping pairs of the run at ``begin``; return its end and output position."""
    previous = -1
    current = begin
    _, at = classify(text, begin, end, classes)
    while True:
        kind = SEPARATOR
        after = at
        if at < end:
            kind, after = classify(text, at, end, classes)
        if kind == MARK or kind == IGNORED:  # noqa: SIM109 - faster
            at = after
            continue
        if previous >= 0:
            to = write_token(text, previous, at, classes, folds, expansions, out, row_begin, to)
        if kind != BIGRAM:
            break
        previous = current
        current = at
        at = after
    if previous < 0:
        to = write_token(text, current, at, classes, folds, expansions, out, row_begin, to)
    return at, to


@kernel(
    types.int64(
        _bytes, readonly(types.int64), types.int64, _bytes, _numbers, _numbers,
        writable(types.uint8), writable(types.int64),
    )
)  # fmt: skip
def tokenize_rows(
    text: Bytes, offsets: Int64s, first_row: int, classes: Bytes, folds: Int32s,
    expansions: Int32s, out: Bytes, out_offsets: Int64s,
) -> int:  # fmt: skip
    """Write the tokens of rows from ``first_row`` while the output is sure to have room.

    Parameters
    ----------
    text, offsets
        UTF-8 bytes, and where each of ``n`` rows begins: int64[n + 1].
    first_row
        The row to begin with; ``out_offsets[first_row]`` is where its output goes.
    classes, folds, expansions
        The code-point tables of ``octavo.analysis.tables``.
    out, out_offsets
        Filled: uint8, and int64[n + 1].

    Returns
    -------
    int
        The first row that was not written, ``n`` when all were.
    """
    rows = len(offsets) - 1
    for row in range(first_row, rows):
        at = int(offsets[row])
        end = int(offsets[row + 1])
        row_begin = int(out_offsets[row])
        if row_begin + OUTPUT_FACTOR * (end - at) + 1 > out.shape[0]:
            return row
        to = row_begin
        while at < end:
            kind, after = classify(text, at, end, classes)
            if LETTER <= kind <= DIGIT:
                word_end, following, camel = scan_word(text, at, end, classes)
                if following < 0 and camel == 0:  # the usual case, kept free of a costly call
                    to = write_token(
                        text, at, word_end, classes, folds, expansions, out, row_begin, to
                    )
                    at = word_end
                else:
                    at, to = write_compound(
                        text, at, end, classes, folds, expansions, out, row_begin, to
                    )
            elif kind == BIGRAM:
                at, to = write_bigrams(
                    text, at, end, classes, folds, expansions, out, row_begin, to
                )
            else:
                at = after
        out_offsets[row + 1] = to
    return rows
