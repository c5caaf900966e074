"""Inversion against counting in plain Python."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.invert import fill_table, invert_rows, sort_postings
from octavo.kernels.posting_codes import LONGEST_TOKEN

TEXTS = st.lists(st.text("ab é\t\n\r\f\v", max_size=30), max_size=12)


class Run:
    """The arrays that the kernel works on, with room for ``terms`` terms."""

    def __init__(self, terms=256, text_bytes=4096):
        self.used = np.zeros(3, np.int64)
        self.table = np.full(2 * terms, -1, np.int32)
        self.hashes = np.zeros(terms, np.uint64)
        self.ends, self.counts, self.newest = (np.zeros(terms, np.int64) for _ in range(3))
        self.text = np.zeros(text_bytes, np.uint8)

    def invert(self, texts, first_row=0, row=0):
        data = np.frombuffer(b"".join(texts), np.uint8)
        offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
        room = len(data) // 2 + len(texts) + 1
        found = [np.zeros(room, np.int32) for _ in range(3)]
        lengths = np.zeros(len(texts), np.int64)
        self.used[2] = self.used[1]
        with np.errstate(over="ignore"):
            reached = invert_rows(
                data, offsets, row, first_row, self.table, self.hashes, self.ends, self.text,
                self.counts, self.newest, self.used, *found, lengths,
            )  # fmt: skip
        written = int(self.used[1] - self.used[2])
        return reached, [array[:written] for array in found], lengths

    def words(self):
        edges = [0, *self.ends[: self.used[0]].tolist()]
        return [self.text[a:b].tobytes() for a, b in pairwise(edges)]


@given(TEXTS)
def test_postings_equal_counting(texts):
    encoded = [text.encode() for text in texts]
    # What bytes.split splits at is ASCII white space and the vertical tab, which tantivy keeps.
    tokens = [text.replace(b"\v", b"_").split() for text in encoded]
    run = Run()
    reached, (terms, rows, frequencies), lengths = run.invert(encoded, first_row=5)
    words = [word.replace(b"\v", b"_") for word in run.words()]
    assert reached == len(texts)
    assert lengths.tolist() == [len(each) for each in tokens]
    assert len(set(run.words())) == len(words)
    found = Counter()
    for term, row, frequency in zip(terms, rows, frequencies, strict=True):
        found[int(row), words[term]] += int(frequency)
    expected = Counter()
    for row, each in enumerate(tokens, 5):
        expected.update((row, token) for token in each)
    assert found == expected
    assert rows.tolist() == sorted(rows.tolist())
    assert run.counts[: run.used[0]].sum() == len(rows)


def test_it_stops_before_a_row_that_might_not_fit():
    texts = [b"a b c d", b"e f g h", b"i"]
    reached, (terms, _, _), _ = Run(terms=4).invert(texts)
    assert reached == 1
    assert len(terms) == 4
    reached, _, _ = Run(terms=64, text_bytes=9).invert(texts)
    assert reached == 1


def test_a_larger_table_finds_the_same_terms():
    run = Run(terms=64)
    run.invert([b"a b c", b"b d"])
    run.table = np.full(256, -1, np.int32)
    fill_table(run.hashes[: run.used[0]], run.table)
    run.invert([b"d a x"], first_row=2)
    assert run.words() == [b"a", b"b", b"c", b"d", b"x"]
    assert run.counts[:5].tolist() == [2, 2, 1, 2, 1]


@pytest.mark.parametrize(("size", "known"), [(LONGEST_TOKEN, 2), (LONGEST_TOKEN + 1, 1)])
def test_a_token_that_tantivy_drops_is_no_token(size, known):
    run = Run(terms=1 << 17, text_bytes=1 << 18)
    _, _, lengths = run.invert([b"x" * size + b" y"])
    assert run.used[0] == known
    assert lengths.tolist() == [known]


def test_sorting_keeps_rows_in_order_and_sets_large_frequencies_aside():
    terms = np.array([1, 0, 1, 0, 1], np.int32)
    rows = np.array([3, 3, 4, 5, 6], np.int32)
    frequencies = np.array([1, 254, 255, 2, 70_000], np.int32)
    codes = np.array([9, 8, 7, 6], np.uint8)
    sorted_rows, sorted_codes = np.zeros(5, np.int32), np.zeros(5, np.uint16)
    large_places, large_frequencies = np.zeros(2, np.int64), np.zeros(2, np.int64)
    places, used = np.array([0, 2]), np.zeros(1, np.int64)
    sort_postings(
        terms, rows, frequencies, codes, 3, places, sorted_rows, sorted_codes,
        large_places, large_frequencies, used,
    )  # fmt: skip
    assert sorted_rows.tolist() == [3, 5, 3, 4, 6]
    expected = [254 * 256 + 9, 2 * 256 + 7, 256 + 9, 255 * 256 + 8, 255 * 256 + 6]
    assert sorted_codes.tolist() == expected
    assert large_places.tolist() == [3, 4]
    assert large_frequencies.tolist() == [255, 70_000]
