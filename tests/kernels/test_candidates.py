"""Candidates with intervals, against sorting in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.kernels.candidates import kth_largest, prune, settle
from octavo.kernels.exact_scan import cosine, squared_lengths
from octavo.kernels.unit_length import unit_length

VALUES = st.one_of(
    st.sampled_from([-np.inf, -1.0, 0.25, 0.5, np.inf]), st.floats(-1, 1, allow_nan=False)
)


@given(st.lists(VALUES, min_size=1, max_size=200), st.data())
def test_kth_largest_is_that_of_a_sort(values, data):
    k = data.draw(st.integers(1, len(values)))
    array = np.array([*values, 7.0])
    assert kth_largest(array, len(values), k) == sorted(values, reverse=True)[k - 1]
    assert sorted(array[:-1].tolist()) == sorted(values)
    assert array[-1] == 7.0


@given(st.lists(st.tuples(VALUES, st.floats(0, 1)), min_size=2, max_size=60), st.data())
def test_only_what_k_others_beat_is_dropped(intervals, data):
    k = data.draw(st.integers(1, len(intervals) - 1))
    lowest = np.array([9.0, *(low for low, _ in intervals)])
    highest = np.array([9.0, *(low + width for low, width in intervals)])
    rows = np.arange(len(lowest))
    before = list(zip(rows.tolist(), lowest.tolist(), highest.tolist(), strict=True))[1:]
    scratch = np.empty(len(intervals))
    kept = prune(1, len(intervals), k, rows, lowest, highest, scratch)
    cut = sorted((low for _, low, _ in before), reverse=True)[k - 1]
    assert scratch[0] == cut
    expected = [item for item in before if item[2] >= cut]
    after = zip(rows.tolist(), lowest.tolist(), highest.tolist(), strict=True)
    assert list(after)[1 : kept + 1] == expected
    assert kept >= k


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 45), st.integers(0, 99))
def test_settled_candidates_are_the_best_in_order(scored, k, seed):  # S6
    random = np.random.default_rng(seed)
    vectors = unit_length(random.integers(-1, 2, (len(scored), 6)).astype(float))
    vectors[random.random(len(scored)) < 0.1] = np.nan
    queries = unit_length(random.integers(1, 3, (2, 6)).astype(float))
    squares, sums = np.empty(2), np.empty(64)
    squared_lengths(queries, squares)
    exact = [cosine(queries, 1, squares[1], vectors, n, sums) for n in range(len(vectors))]
    known = [done or value != value for done, value in zip(scored, exact, strict=True)]
    known = [done and value == value for done, value in zip(known, exact, strict=True)]
    size = len(scored)
    rows = np.concatenate(([-5] * 3, np.arange(size) + 100))
    lowest = np.array([-5.0] * 3 + [v if d else -2.0 for v, d in zip(exact, known, strict=True)])
    highest = np.array([-5.0] * 3 + [v if d else 2.0 for v, d in zip(exact, known, strict=True)])
    counts = np.array([0, size])
    done = settle(1, 3, k, counts, rows, lowest, highest, queries, squares[1], vectors, 100)
    assert done == known.count(False)
    items = [(-value, row + 100) for row, value in enumerate(exact) if value == value]
    expected = [(row, -value) for value, row in sorted(items)[:k]]
    found = list(zip(rows.tolist(), lowest.tolist(), strict=True))[3 : 3 + counts[1]]
    assert found == expected
    assert highest[3 : 3 + counts[1]].tolist() == [value for _, value in expected]
    assert rows[:3].tolist() == [-5] * 3
