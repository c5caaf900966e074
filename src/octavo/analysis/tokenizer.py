"""Arrow text to Arrow text of tokens: normalisation (NFKC), then the tokenizing kernel."""

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from octavo.analysis.buffers import TextBuffers, text_array, text_buffers
from octavo.analysis.tables import code_point_tables
from octavo.errors import InvalidArgumentError
from octavo.kernels.tokenize import OUTPUT_FACTOR, tokenize_rows

RULES_VERSION = 1
"""Raised whenever a rule changes what any text is analysed to."""


def normalise(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return the texts in Unicode normalisation form NFKC.

    Raises
    ------
    InvalidArgumentError
        A text is not valid UTF-8.
    """
    ascii_rows = pc.string_is_ascii(texts)
    if pc.all(ascii_rows).as_py() is not False:
        return texts
    others = pc.invert(ascii_rows)
    try:
        normal = pc.utf8_normalize(texts.filter(others), form="NFKC")  # type: ignore[attr-defined]
    except pa.ArrowInvalid as error:
        raise InvalidArgumentError(f"texts: expected valid UTF-8, found {error}") from error
    return cast("pa.LargeStringArray", pc.replace_with_mask(texts, others, normal))


def tokenize(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return, for each text without nulls, its tokens joined by single spaces.

    Linear in the bytes of ``texts``; the output takes about as many bytes as the input for prose
    and never more than `OUTPUT_FACTOR` times as many.
    """
    return text_array(tokenize_buffers(text_buffers(normalise(texts))))


def tokenize_buffers(texts: TextBuffers) -> TextBuffers:
    """Tokenize normalised text."""
    tables = code_point_tables()
    offsets = texts.offsets
    rows = offsets.shape[0] - 1
    longest = int(np.diff(offsets).max(initial=0))
    # Room for the usual case; the kernel stops before a row that might not fit.
    room = int(offsets[-1] - offsets[0]) * 3 // 2 + OUTPUT_FACTOR * longest + 1
    out = np.empty(room, np.uint8)
    out_offsets = np.zeros(rows + 1, np.int64)
    row = 0
    while True:
        row = tokenize_rows(
            texts.data, offsets, row, tables.classes, tables.folds, tables.expansions,
            out, out_offsets,
        )  # fmt: skip
        written = int(out_offsets[row])
        if row == rows:
            return TextBuffers(out[:written], out_offsets)
        larger = np.empty(2 * out.shape[0], np.uint8)
        larger[:written] = out[:written]
        out = larger
