import numpy as np
import pytest

from octavo.errors import InvalidArgumentError
from octavo.evaluation import compare_runs, evaluate


@pytest.fixture
def report(judged, found):
    """Three systems on 24 queries: one always right, one right on every other, one never."""
    names = [f"q{number}" for number in range(24)]
    qrels = judged({name: {"a": 1} for name in names})
    good = found({name: {"a": 2, "b": 1} for name in names}, "good")
    half = found({name: {"a": 2 * (at % 2), "b": 1} for at, name in enumerate(names)}, "half")
    bad = found({name: {"b": 1} for name in names[:20]} | {"other": {"a": 1}}, "bad")
    return compare_runs([good, half, bad], qrels, ["P@1", "RR"], baseline="half")


def test_means_and_differences(report):
    assert report.metrics == ("P@1", "RR")
    assert [[each.mean for each in system.means] for system in report.systems] == [
        [1.0, 1.0], [0.5, 0.75], [0.0, 0.0],
    ]  # fmt: skip
    assert [(each.system, each.metric, each.difference.mean) for each in report.comparisons] == [
        ("good", "P@1", 0.5), ("good", "RR", 0.25), ("bad", "P@1", -0.5), ("bad", "RR", -0.75),
    ]  # fmt: skip
    found = report.comparison("good", "P@1")
    assert (found.baseline, found.better, found.worse) == ("half", 12, 0)
    # Twelve queries differ, all in one direction: two flips in 2^12 are as extreme.
    assert found.p == 2 / 2**12
    assert found.p_corrected == pytest.approx(3 * found.p)
    assert found.significant
    assert report.comparison("half", "RR") is None


def test_missing_and_unjudged_queries_are_counted(report):
    assert [(each.missing, each.unjudged) for each in report.systems] == [(0, 0), (0, 0), (4, 1)]
    assert report.system("bad").values.shape == (2, 24)
    with pytest.raises(InvalidArgumentError, match="expected one of good, half, bad, found 'x'"):
        report.system("x")


def test_per_query(report):
    table = report.per_query()
    assert table.column_names == ["system", "query_id", "P@1", "RR"]
    assert table.num_rows == 3 * 24
    row = table.slice(25, 1).to_pylist()[0]
    assert row == {"system": "half", "query_id": "q1", "P@1": 1.0, "RR": 1.0}


def test_a_single_run_has_no_comparison(judged, found):
    report = evaluate(found({"q": {"a": 1}}), judged({"q": {"a": 1}}))
    assert report.comparisons == ()
    assert report.metrics == ("nDCG@10", "AP", "R@100")
    assert report.systems[0].means[0] == type(report.systems[0].means[0])(1.0, 1.0, 1.0)


def test_a_run_beside_itself_does_not_differ(judged, found):
    grades = {f"q{number}": {"a": 1, "b": 0} for number in range(30)}
    scores = {name: {"a": number % 2, "b": 0.5} for number, name in enumerate(grades)}
    report = compare_runs([found(scores, "a"), found(scores, "b")], judged(grades), ["AP"])
    (same,) = report.comparisons
    assert (same.difference.mean, same.p, same.p_corrected, same.significant) == (0, 1, 1, False)
    assert (same.difference.low, same.difference.high) == (0, 0)


def test_the_same_runs_give_the_same_report(report, judged, found):
    rng = np.random.default_rng(0)
    grades = {
        f"q{number}": {f"d{d}": int(rng.integers(0, 2)) for d in range(5)} for number in range(40)
    }
    runs = [
        found({name: {f"d{d}": rng.random() for d in range(5)} for name in grades}, label)
        for label in ("a", "b", "c")
    ]
    first, again = (compare_runs(runs, judged(grades), ["AP", "nDCG@3"]) for _ in range(2))
    assert first.comparisons == again.comparisons
    assert [each.means for each in first.systems] == [each.means for each in again.systems]


@pytest.mark.parametrize(
    ("names", "baseline", "message"),
    [
        ([], None, "runs: expected at least one"),
        (["a", "a"], None, "runs: expected distinct names, found 'a' again"),
        (["a", "b"], "c", "baseline: expected one of a, b, found 'c'"),
    ],
)
def test_bad_runs_are_refused(judged, found, names, baseline, message):
    runs = [found({"q": {"a": 1}}, name) for name in names]
    with pytest.raises(InvalidArgumentError, match=message):
        compare_runs(runs, judged({"q": {"a": 1}}), baseline=baseline)


def test_a_run_of_other_queries_is_refused(judged, found):
    with pytest.raises(InvalidArgumentError, match="it has 'x', the judgements 'q'"):
        evaluate(found({"x": {"a": 1}}), judged({"q": {"a": 1}}))


def test_a_run_without_any_result_is_zero(judged, found):
    report = evaluate(found({}), judged({"q": {"a": 1}}), ["AP"])
    assert (report.systems[0].means[0].mean, report.systems[0].missing) == (0.0, 1)
