import gc
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.benchmark.timing import Budget, Observed, Rounds, Timed, interleaved

POSITIVE = st.floats(1e-6, 1e6)


class Recorded:
    def __init__(self, name, calls, values=()):
        self.name, self.calls, self.values = name, calls, iter(values)

    def prepare(self, shortest):
        self.calls.append(f"prepare {self.name} {shortest}")

    def sample(self):
        self.calls.append(self.name)
        return next(self.values, 1.0)


def test_both_take_turns_and_begin_alternately():
    calls = []
    rounds = interleaved(
        Recorded("a", calls, [2.0, 4.0, 6.0]), Recorded("b", calls), Budget(0.0, 3, 0.5)
    )
    assert calls == ["prepare a 0.5", "prepare b 0.5", "a", "b", "b", "a", "a", "b"]
    assert rounds == Rounds((2.0, 4.0, 6.0), (1.0, 1.0, 1.0))


def test_there_are_no_more_rounds_than_asked_for():
    assert len(interleaved(Recorded("a", []), Recorded("b", []), Budget(60.0, 7)).ratios) == 7
    assert len(interleaved(Recorded("a", []), Recorded("b", []), Budget(60.0, 1)).ratios) == 1


def test_no_round_begins_once_the_time_is_used():
    slow = Observed(lambda: time.sleep(0.02) or 1.0)
    assert len(interleaved(slow, slow, Budget(0.0, 9)).ratios) == 3


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_not_collected_within_rounds(enabled):
    seen = []
    (gc.enable if enabled else gc.disable)()
    try:
        watcher = Observed(lambda: float(seen.append(gc.isenabled()) or 1))
        interleaved(watcher, watcher, Budget(0.0))
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
    assert set(seen) == {False}


def test_collection_is_restored_after_an_error():
    def fail():
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        interleaved(Observed(fail), Observed(fail), Budget(0.0))
    assert gc.isenabled()


def test_short_work_is_repeated_and_counted_by_item():
    calls = []
    timed = Timed(lambda: calls.append(1), items=10)
    timed.prepare(0.001)
    assert len(calls) == 2
    calls.clear()
    seconds = timed.sample()
    assert len(calls) > 10  # a call takes far less than a millisecond
    assert seconds * 10 * len(calls) < 1.0


def test_long_work_is_done_once(monkeypatch):
    calls = []
    clock = iter(range(0, 100, 5))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    timed = Timed(lambda: calls.append(1), items=2)
    timed.prepare(0.01)
    assert len(calls) == 1
    assert timed.sample() == 2.5
    assert len(calls) == 2


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=9), POSITIVE)
def test_ratio_and_noise_do_not_depend_on_the_machines_speed(pairs, factor):
    subject, baseline = (tuple(each) for each in zip(*pairs, strict=True))
    rounds = Rounds(subject, baseline)
    slower = Rounds(tuple(factor * x for x in subject), tuple(factor * x for x in baseline))
    assert math.isclose(rounds.ratio, slower.ratio, rel_tol=1e-9)
    assert math.isclose(rounds.noise, slower.noise, rel_tol=1e-6, abs_tol=1e-9)
    assert min(rounds.ratios) <= rounds.ratio <= max(rounds.ratios)
