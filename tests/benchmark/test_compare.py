from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.benchmark.compare import LEAST_CHANGE, compare


def with_figures(report, **figures):
    return replace(report, results=(replace(report.results[1], **figures),))


def regressions(old, new):
    return [change.figure for change in compare(old, new) if change.regressed]


def test_the_same_report_has_no_regression(report):
    assert regressions(report, report) == []


@pytest.mark.parametrize(
    ("ratio", "noise", "regressed"),
    [
        (0.5, 0.0, False),
        (0.54, 0.0, False),
        (0.56, 0.0, True),
        (0.56, 0.1, False),
        (0.9, 0.1, True),
        (0.1, 0.0, False),
    ],
)
def test_a_ratio_regresses_beyond_its_noise(report, ratio, noise, regressed):
    old = with_figures(report, ratio=0.5, noise=0.0)
    assert bool(regressions(old, with_figures(report, ratio=ratio, noise=noise))) == regressed


def test_noise_of_either_run_counts(report):
    noisy = with_figures(report, ratio=0.5, noise=0.2)
    assert regressions(noisy, with_figures(report, ratio=0.7, noise=0.0)) == []


def test_absolute_times_are_not_compared(report):
    slower = with_figures(report, value=10.0, best=10.0, baseline_value=20.0)
    assert regressions(with_figures(report), slower) == []


def test_lost_recall_is_a_regression(report):
    old = with_figures(report, facts={"recall": 0.97})
    assert regressions(old, with_figures(report, facts={"recall": 0.962})) == []
    assert regressions(old, with_figures(report, facts={"recall": 0.95})) == ["recall"]


def test_a_change_says_which_measure_and_both_figures(report):
    worse = with_figures(report, ratio=1.0)
    change = next(change for change in compare(report, worse) if change.regressed)
    assert (change.name, change.old, change.new) == ("engine.vector.tuned", 0.5, 1.0)
    assert change.allowed == pytest.approx(0.5 * (1 + LEAST_CHANGE))


def test_measures_of_one_report_only_are_left_out(report):
    other = replace(report.results[0], name="micro.new")
    assert compare(report, replace(report, results=(other,))) == ()


def test_other_documents_cannot_be_compared(report):
    assert compare(report, replace(report, collection="others")) == ()
    assert compare(report, replace(report, dimensions=8)) == ()


@given(st.floats(0.01, 100), st.floats(0, 0.5))
def test_faster_is_never_a_regression(ratio, noise):
    from octavo.benchmark.compare import _ratio_change
    from octavo.benchmark.report import Result

    old = Result(
        name="a", what="", unit="s", baseline="", value=1, best=1, baseline_value=1,
        ratio=ratio, noise=noise, rounds=3,
    )  # fmt: skip
    assert not _ratio_change(old, replace(old, ratio=ratio * 0.999)).regressed
