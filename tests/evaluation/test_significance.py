import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.evaluation.significance import FLIPS, holm, paired_p_values


def by_enumeration(differences):
    """Every flip of signs, one by one."""
    observed = abs(sum(differences))
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [
        abs(sum(sign * each for sign, each in zip(flip, differences, strict=True)))
        for flip in flips
    ]
    return sum(each >= observed - 1e-9 for each in sums) / len(flips)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_few_queries_are_exact(differences):
    found = paired_p_values(np.array([differences]) / 4)
    assert found[0] == pytest.approx(by_enumeration([each / 4 for each in differences]))


def test_many_queries_agree_with_another_library():
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    for shift in (0.0, 0.02, 0.05):
        differences = rng.normal(shift, 0.2, 120)
        found = paired_p_values(differences[None])[0]
        other = scipy_stats.permutation_test(
            (differences, np.zeros(120)), lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples", vectorized=True, n_resamples=20_000, rng=rng,
        ).pvalue  # fmt: skip
        assert found == pytest.approx(other, abs=0.015)


def test_p_values_of_no_effect_are_uniform():
    rng = np.random.default_rng(3)
    p_values = paired_p_values(rng.normal(0, 1, (400, 40)))
    for level in (0.05, 0.25, 0.5):
        share = (p_values < level).mean()
        assert abs(share - level) < 4 * np.sqrt(level * (1 - level) / 400)


def test_results_do_not_depend_on_what_else_is_compared_or_on_the_call():
    rng = np.random.default_rng(2)
    differences = rng.normal(0.1, 1, (3, 50))
    together = paired_p_values(differences)
    assert together.tolist() == [paired_p_values(row[None])[0] for row in differences]
    assert together.tolist() == paired_p_values(-differences).tolist()


def test_the_least_p_is_never_zero():
    assert paired_p_values(np.ones((1, 100)))[0] == pytest.approx(1 / (FLIPS + 1))
    assert paired_p_values(np.zeros((1, 100)))[0] == 1.0


def test_holm_by_its_definition():
    p_values = [0.01, 0.04, 0.03, 0.005, 0.5]
    order = sorted(range(5), key=p_values.__getitem__)
    expected, running = [0.0] * 5, 0.0
    for step, at in enumerate(order):
        running = max(running, min(1.0, (5 - step) * p_values[at]))
        expected[at] = running
    assert holm(np.array(p_values)).tolist() == expected
    assert holm(np.zeros(0)).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(p_values):
    given_p = np.array(p_values)
    corrected = holm(given_p)
    assert (corrected >= given_p).all()
    assert (corrected <= np.minimum(1, given_p * len(given_p))).all()
    order = np.argsort(given_p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
