import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.evaluation import intervals
from octavo.evaluation.exact_sums import summable
from octavo.evaluation.intervals import bootstrap_intervals


def test_many_queries_agree_with_the_normal_theory():
    values = np.random.default_rng(1).random((2, 1_000))
    values[1] = values[1] ** 3
    bounds = bootstrap_intervals(values)
    half = 1.96 * values.std(axis=1, ddof=1) / np.sqrt(1_000)
    expected = np.stack([values.mean(axis=1) - half, values.mean(axis=1) + half], axis=1)
    np.testing.assert_allclose(bounds, expected, atol=0.0015)


def test_an_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    low, high = bootstrap_intervals(rng.random((400, 60))).T
    assert 0.91 <= ((low <= 0.5) & (high >= 0.5)).mean() <= 0.97


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0]), min_size=1, max_size=40))
def test_bounds_lie_within_the_values_and_around_the_mean(values):
    array = np.array([values])
    low, high = bootstrap_intervals(array)[0]
    mean = array.mean()
    assert min(values) - 1e-12 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= max(values) + 1e-12
    if len(set(values)) == 1:
        assert low == high == values[0]


def test_an_interval_does_not_depend_on_the_other_rows_or_on_the_call():
    values = np.random.default_rng(6).random((3, 30))
    together = bootstrap_intervals(values)
    for row, expected in zip(values, together, strict=True):
        assert bootstrap_intervals(row[None])[0].tobytes() == expected.tobytes()
    assert together.tobytes() == bootstrap_intervals(values).tobytes()


def test_shifting_all_values_shifts_the_interval():
    values = np.random.default_rng(7).random((1, 25))
    np.testing.assert_allclose(
        bootstrap_intervals(values + 3), bootstrap_intervals(values) + 3, atol=1e-12
    )


@pytest.mark.parametrize("queries", [2, 7, 60])
def test_means_are_those_of_plain_sums_in_any_order(queries, monkeypatch):
    """Oracle: the same draws, added up by ``math.fsum``, which rounds once."""
    monkeypatch.setattr(intervals, "RESAMPLES", 200)
    # Cubes, so that sums of them as they are do round.
    values = np.random.default_rng(queries).random((3, queries)) ** 3
    random = np.random.default_rng(intervals.SEED)
    draws = random.integers(0, queries, (200, queries)).tolist()
    for row, bounds in zip(values, bootstrap_intervals(values), strict=True):
        centre = float(row.mean())
        means = np.array([math.fsum(row[at] - centre for at in draw) / queries for draw in draws])
        expected = centre + np.quantile(means, [0.025, 0.975])
        np.testing.assert_allclose(bounds, expected, rtol=0, atol=1e-13)
        distances = summable((row - centre)[None], queries)[0]
        exact = np.array([math.fsum(distances[at] for at in draw) / queries for draw in draws])
        tail = (1 - intervals.CONFIDENCE) / 2
        assert bounds.tolist() == (centre + np.quantile(exact, [tail, 1 - tail])).tolist()
