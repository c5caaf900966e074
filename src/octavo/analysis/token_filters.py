"""Stop words and stems over analysed text, each distinct token looked up once."""

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from octavo.analysis.languages import stemmer, stop_word_filter
from octavo.errors import ExecutionError

_ROWS_AT_ONCE = 1 << 16


def filter_tokens(
    analyzed: pa.LargeStringArray, stop_words: str | None, stems: str | None
) -> pa.LargeStringArray:
    """Drop the stop words of one language, then replace tokens by their stems in one language.

    Parameters
    ----------
    analyzed
        Tokens joined by single spaces, no nulls.
    stop_words, stems
        Languages of ``octavo.analysis.languages``; ``None`` leaves the step out.
    """
    parts = [
        _filter_slice(analyzed.slice(begin, _ROWS_AT_ONCE), stop_words, stems)
        for begin in range(0, len(analyzed), _ROWS_AT_ONCE)
    ]
    return pa.concat_arrays(parts) if parts else analyzed


def _filter_slice(
    analyzed: pa.LargeStringArray, stop_words: str | None, stems: str | None
) -> pa.LargeStringArray:
    lists = pc.split_pattern(analyzed, " ")
    encoded = lists.flatten().dictionary_encode()
    codes = encoded.indices.to_numpy()
    words = cast("list[str]", encoded.dictionary.to_pylist())
    kept, replaced = filter_words(words, stop_words, stems)
    # Where each distinct word went in the list of replacements; -1 if it was dropped.
    targets = np.full(len(words) + 1, -1, np.int32)
    targets[kept] = np.arange(len(kept), dtype=np.int32)
    new_codes = targets[codes]
    survives = new_codes >= 0
    offsets = lists.offsets.to_numpy() - lists.offsets[0].as_py()
    new_offsets = np.concatenate(([0], np.cumsum(survives)))[offsets].astype(np.int32)
    tokens = pa.array(replaced, pa.large_string()).take(pa.array(new_codes[survives]))
    surviving = pa.ListArray.from_arrays(pa.array(new_offsets), tokens)
    joined = pc.binary_join(surviving, pa.scalar(" ", pa.large_string()))
    return cast("pa.LargeStringArray", joined)


def filter_words(
    words: list[str], stop_words: str | None, stems: str | None
) -> tuple[list[int], list[str]]:
    """Return the positions of the words that stay and what replaces each of them.

    Raises
    ------
    ExecutionError
        The stemmer gave another number of words than it was given.
    """
    kept = [position for position, word in enumerate(words) if word]
    if stop_words is not None:
        remaining = stop_word_filter(stop_words).analyze(" ".join(words[at] for at in kept))
        allowed = set(remaining)
        kept = [position for position in kept if words[position] in allowed]
    replaced = [words[position] for position in kept]
    if stems is not None and replaced:
        found = stemmer(stems).analyze(" ".join(replaced))
        if len(found) != len(kept):
            raise ExecutionError(
                f"stemming {stems!r}: expected {len(kept)} stems, found {len(found)}"
            )
        # A word of which nothing would be left stays as it is.
        replaced = [stem or word for stem, word in zip(found, replaced, strict=True)]
    return kept, replaced
