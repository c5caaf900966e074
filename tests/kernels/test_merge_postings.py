"""Merging runs, against slicing in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.merge_postings import (
    bound_blocks,
    copy_postings,
    gather_texts,
    mark_new_texts,
)
from octavo.kernels.posting_codes import BLOCK


def pieces(texts):
    ends = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return np.frombuffer(b"".join(texts), np.uint8), ends[:-1].copy(), ends[1:].copy()


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"aa"]), max_size=12), st.randoms())
def test_texts_are_compared_and_gathered(texts, random):
    order = list(range(len(texts)))
    random.shuffle(order)
    text, starts, stops = pieces(texts)
    starts, stops = starts[order], stops[order]
    chosen = [texts[item] for item in order]
    new = np.empty(len(texts), np.bool_)
    mark_new_texts(text, starts, stops, new)
    assert new.tolist() == [
        number == 0 or chosen[number] != chosen[number - 1] for number in range(len(chosen))
    ]
    out = np.empty(len(text), np.uint8)
    gather_texts(text, starts, stops, out)
    assert out.tobytes() == b"".join(chosen)


def test_postings_are_copied_to_their_places():
    rows, codes = np.arange(6, dtype=np.int32), np.arange(10, 16, dtype=np.uint16)
    out_rows, out_codes = np.full(8, -1, np.int32), np.zeros(8, np.uint16)
    starts, counts = np.array([0, 2, 5]), np.array([2, 3, 1])
    copy_postings(rows, codes, starts, counts, np.array([100, 103, 107]), 100, out_rows, out_codes)
    assert out_rows.tolist() == [0, 1, -1, 2, 3, 4, -1, 5]
    assert out_codes.tolist() == [10, 11, 0, 12, 13, 14, 0, 15]


@given(
    st.lists(st.tuples(st.integers(1, 255), st.integers(0, 255)), max_size=3 * BLOCK),
    st.integers(0, 3 * BLOCK),
)
def test_no_posting_scores_above_the_bounds_of_its_block(postings, cut):
    codes = np.array([tf * 256 + length for tf, length in postings], np.uint16)
    bounds = np.zeros((-(-len(codes) // BLOCK), 2), np.uint16)
    bound_blocks(codes[:cut], 0, bounds)
    bound_blocks(codes[cut:], min(cut, len(codes)), bounds)
    for block in range(len(bounds)):
        inside = postings[block * BLOCK : (block + 1) * BLOCK]
        ones = [length for tf, length in inside if tf == 1]
        more = [(tf, length) for tf, length in inside if tf > 1]
        assert bounds[block, 0] == (256 + min(ones) if ones else 0)
        assert bounds[block, 1] == (
            max(tf for tf, _ in more) * 256 + min(length for _, length in more) if more else 0
        )
