"""Tokens are found in every segment of a stack, whatever lies before and behind it."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.find_postings import find_postings
from tests.kernels.test_find_terms import WORDS, dictionary, flat

TOKENS = st.lists(WORDS, min_size=1, max_size=12)
SEGMENTS = st.lists(st.dictionaries(WORDS, st.integers(1, 9), max_size=12), min_size=1, max_size=4)


def look_up(tokens, segments, frequent=(), spoil=None):
    """Return (starts, stops, levels) of a stack of dictionaries from words to numbers of postings."""
    parts = [dictionary(segment) for segment in segments]
    counts = [
        [segment[word] for word in part[0]] for segment, part in zip(segments, parts, strict=True)
    ]
    ends = np.zeros((len(segments) + 1, 6), np.int64)
    for number, (part, held) in enumerate(zip(parts, counts, strict=True), 1):
        ends[number] = ends[number - 1] + [len(held), len(part[3]), sum(held), 0, 0, 100]
    posting_ends = np.concatenate([np.cumsum(held, dtype=np.int64) for held in counts])
    if spoil is not None:
        posting_ends[:] = spoil
    data, offsets = flat(tokens)
    found = np.full((3, len(segments), len(tokens)), 77, np.int64)
    with np.errstate(over="ignore"):
        find_postings(
            data, offsets, np.concatenate([part[1] for part in parts]),
            np.concatenate([part[2] for part in parts]),
            np.concatenate([part[3] for part in parts]), posting_ends,
            np.array(frequent, np.int64), ends, *found,
        )  # fmt: skip
    return found.tolist(), [part[0] for part in parts], counts


@given(TOKENS, SEGMENTS)
def test_postings_are_those_of_the_term_in_each_segment(tokens, segments):
    (starts, stops, levels), words, counts = look_up(tokens, segments)
    for number, segment in enumerate(segments):
        edges = dict(
            zip(words[number], pairwise(np.cumsum([0, *counts[number]]).tolist()), strict=True)
        )
        for place, token in enumerate(tokens):
            expected = edges[token] if token in segment else (0, 0)
            assert (starts[number][place], stops[number][place]) == expected
            assert levels[number][place] == -1


def test_levels_are_numbered_by_the_frequent_terms():
    segment = {"a": 3, "b": 1, "ab": 2}
    _, (words,), _ = look_up(["a"], [segment])
    frequent = sorted([words.index("a"), words.index("ab")])
    (_, _, levels), _, _ = look_up(["a", "b", "ab", "none"], [segment], frequent)
    expected = [frequent.index(words.index(token)) for token in ("a", "ab")]
    assert levels == [[expected[0], -1, expected[1], -1]]


@given(SEGMENTS, st.integers(-(2**63), 2**63 - 1))
def test_damaged_ends_stay_inside(segments, spoil):
    tokens = [word for segment in segments for word in segment] or ["a"]
    (starts, stops, _), _, counts = look_up(tokens, segments, spoil=spoil)
    for number, held in enumerate(counts):
        for start, stop in zip(starts[number], stops[number], strict=True):
            assert 0 <= start <= stop <= sum(held)
