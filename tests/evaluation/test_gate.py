import pytest

from octavo.errors import InvalidArgumentError
from octavo.evaluation import OldRun, evaluate, falls_below
from octavo.evaluation.gate import parse_limits


@pytest.fixture
def new(judged, found):
    qrels = judged({name: {"a": 1} for name in ("q1", "q2", "q3", "q4")})
    scores = {"q1": {"a": 1}, "q2": {"b": 2, "a": 1}, "q4": {"a": 1}}
    return evaluate(found(scores, "new"), qrels, ["RR", "P@1"])


def test_limits(new):
    # RR: 1, 1/2, 0 (missing), 1.
    assert falls_below(new, {"RR": 0.625, "P@1": 0.5}) == []
    (fall,) = falls_below(new, {"RR": 0.7, "P@1": 0.5})
    assert str(fall) == "new: RR is 0.6250, below 0.7000 (the limit)"


def test_parsing_limits():
    assert parse_limits(["MAP=0.3", "nDCG(dcg='log2')@10=.5"]) == {"AP": 0.3, "nDCG@10": 0.5}
    for bad in ("AP", "AP=", "=0.3", "AP=nan", "AP=x"):
        with pytest.raises(InvalidArgumentError, match="expected METRIC=NUMBER"):
            parse_limits([bad])
    with pytest.raises(InvalidArgumentError, match="expected AP once"):
        parse_limits(["AP=0.3", "MAP=0.4"])


def test_an_older_run_is_compared_over_its_own_judged_queries(new, found):
    # The old run was asked q2, q3 and one that nobody judged.
    old = found({"q2": {"a": 1}, "q3": {"b": 2, "a": 1}, "x": {"a": 1}}, "old")
    falls, compared = OldRun(old).falls(new)
    assert compared == 2
    # RR: old (1 + 1/2) / 2, new (1/2 + 0) / 2, for it found nothing for q3; P@1: 1/2 and 0.
    assert [(fall.metric, fall.found, fall.least) for fall in falls] == [
        ("RR", 0.25, 0.75),
        ("P@1", 0.0, 0.5),
    ]
    assert str(falls[0]) == "new: RR is 0.2500, below 0.7500 (0.7500 in old, tolerance 0)"
    falls, _ = OldRun(old, 0.5).falls(new)
    assert falls == []
    falls, _ = OldRun(old, 0.49).falls(new)
    assert len(falls) == 2


def test_the_same_run_does_not_fall(new):
    assert OldRun(new.systems[0].run).falls(new) == ([], 3)


def test_bad_comparisons_are_refused(new, found):
    with pytest.raises(
        InvalidArgumentError, match="expected results for judged queries, found none"
    ):
        OldRun(found({"x": {"a": 1}})).falls(new)
    for tolerance in (-0.1, float("nan"), float("inf"), "x"):
        with pytest.raises(
            InvalidArgumentError, match="tolerance: expected a number of at least 0"
        ):
            OldRun(new.systems[0].run, tolerance).falls(new)
