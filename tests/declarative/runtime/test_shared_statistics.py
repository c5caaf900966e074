"""Words are as rare as they are in both places together, whichever is the smaller (S21)."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import BM25Index, MemoryEntry, MemoryTier
from octavo.columns.selection import Selection
from octavo.declarative.runtime.shared_statistics import rank_together

WORDS = ["red", "fox", "owl", "night", "tea"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), max_size=8)


def index_of(texts):
    store = BM25Index()
    store.add([MemoryEntry(str(n), " ".join(e), MemoryTier.WORKING) for n, e in enumerate(texts)])
    return store.snapshot().index


def ranked(first, second, query, depth=20):
    indexes = index_of(first), index_of(second)
    selections = tuple(Selection.everything(len(each)) for each in (first, second))
    return [
        dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
        for hits, _ in rank_together(indexes, [query], depth, selections)
    ]


def expected(own, other, query):
    """BM25 with the frequencies of both and the lengths of its own, in plain Python."""
    mean = sum(map(len, own)) / len(own)
    scores = {}
    for row, words in enumerate(own):
        counts, total = Counter(words), 0.0
        for word in query:
            frequency = sum(word in each for each in [*own, *other])
            documents = len(own) + len(other)
            idf = math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
            tf = counts[word]
            total += idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * len(words) / mean))
        if total:
            scores[row] = total
    return scores


# S21
@given(TEXTS, TEXTS, st.lists(st.sampled_from(WORDS), max_size=5))
def test_the_smaller_is_weighed_by_both_and_the_larger_by_its_own(first, second, query):
    found = ranked(first, second, query)
    larger = None if len(first) == len(second) else int(len(first) < len(second))
    for place, (own, other) in enumerate([(first, second), (second, first)]):
        if not own:
            assert found[place] == {}
        elif other and place != larger:
            assert found[place] == pytest.approx(expected(own, other, query), rel=1e-5)
        else:
            assert found[place] == pytest.approx(expected(own, [], query), rel=1e-5)


def test_what_matters_in_the_large_one_matters_in_the_small_one():
    large = [["the", "fox"], *[["the", "text"]] * 200]
    small = [["the", "fox"], ["the", "tea"]]
    of_large, of_small = ranked(large, small, ["the", "fox"], 2)
    # Alone, the small one would give its best a tenth of that.
    assert of_small[0] == pytest.approx(of_large[0], rel=0.15)
    assert of_small[1] < 0.01 * of_small[0]


def test_a_selection_and_a_depth_hold():
    one, two = index_of([["fox"], ["owl"]]), index_of([["fox"]] * 3)
    import numpy as np

    only = Selection.of(np.array([False, True]))
    (first, _), (second, _) = rank_together(
        (one, two), [["fox", "owl"]], 2, (only, Selection.everything(3))
    )
    assert first.rows.tolist() == [1]
    assert second.rows.tolist() == [0, 1]
