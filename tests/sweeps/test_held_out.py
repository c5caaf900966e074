"""Cross-validation, against a loop in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import InvalidArgumentError
from octavo.sweeps.held_out import cross_validated, folds_of

IDS = st.lists(st.text(max_size=5), min_size=4, max_size=30, unique=True)


@given(IDS, st.integers(2, 4), st.randoms(use_true_random=False))
def test_folds_are_equal_and_know_no_order(ids, number, random):
    folds = dict(zip(ids, folds_of(ids, number).tolist(), strict=True))
    sizes = [list(folds.values()).count(fold) for fold in range(number)]
    assert max(sizes) - min(sizes) <= 1
    shuffled = list(ids)
    random.shuffle(shuffled)
    assert dict(zip(shuffled, folds_of(shuffled, number).tolist(), strict=True)) == folds


def test_folds_are_the_same_everywhere():
    assert folds_of([f"q{n}" for n in range(10)], 3).tolist() == [2, 0, 1, 1, 0, 0, 2, 0, 2, 1]


@given(st.data())
def test_each_fold_is_measured_where_the_others_are_best(data):
    points, queries = data.draw(st.integers(1, 5)), data.draw(st.integers(4, 9))
    number = data.draw(st.integers(2, 4))
    cells = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=queries, max_size=queries)
    values = np.array(data.draw(st.lists(cells, min_size=points, max_size=points)))
    folds = np.array([place % number for place in range(queries)])
    found = cross_validated(values, folds)
    for fold in range(number):
        means = [np.mean([row[q] for q in range(queries) if folds[q] != fold]) for row in values]
        best = means.index(max(means))
        assert found.chosen[fold] == best
        for query in np.flatnonzero(folds == fold):
            assert found.values[query] == values[best][query]
    assert found.value == pytest.approx(sum(found.values.tolist()) / queries)


def test_an_estimate_does_not_flatter_itself():
    # Each point is right for one query alone: what wins elsewhere is worth nothing here.
    found = cross_validated(np.eye(6), np.arange(6))
    assert found.value == 0.0
    assert found.standard_error == 0.0


@pytest.mark.parametrize(
    ("number", "message"), [(1, "at least 2"), (True, "integer"), (2.0, "integer"), (5, "at most the 4 queries")]
)  # fmt: skip
def test_numbers_of_folds(number, message):
    with pytest.raises(InvalidArgumentError, match=f"folds: expected .*{message}"):
        folds_of(["a", "b", "c", "d"], number)
