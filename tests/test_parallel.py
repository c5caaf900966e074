"""Ordered work on a bounded number of threads."""

import threading
import time

import pytest

from octavo.errors import InvalidArgumentError
from octavo.parallel import checked_threads, ordered_map


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    def slow_when_small(number):
        time.sleep(0.002 * (5 - number % 5))
        return number * number

    assert list(ordered_map(slow_when_small, range(23), threads=threads)) == [
        number * number for number in range(23)
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_items_are_taken_only_as_results_are(threads):
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = ordered_map(lambda number: number, items(), threads=threads)
    assert next(results) == 0
    assert len(taken) <= threads + 1
    results.close()
    assert len(taken) <= threads + 1


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error_ends_the_work(threads):
    def fail_at_three(number):
        if number == 3:
            raise ValueError("three")
        return number

    seen = []
    with pytest.raises(ValueError, match="three"):
        seen.extend(ordered_map(fail_at_three, range(1000), threads=threads))
    assert seen in ([], [0, 1, 2])  # extend keeps what came before the error
    assert threading.active_count() < 20


def test_work_really_runs_side_by_side():
    meeting = threading.Barrier(2, timeout=20)
    assert sorted(ordered_map(lambda _: meeting.wait() >= 0, range(2), threads=2)) == [True, True]


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_threads_are_checked(threads):
    with pytest.raises(InvalidArgumentError, match="threads"):
        checked_threads(threads)


def test_default_is_the_processors():
    assert checked_threads(None) >= 1
    assert checked_threads(7) == 7
