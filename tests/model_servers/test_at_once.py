"""Requests side by side."""

import threading
from contextvars import ContextVar

import pytest

from octavo.model_servers.at_once import at_once


class FailedError(Exception):
    """Stands for a request that failed."""


@pytest.mark.parametrize("most", [1, 3, 100])
def test_results_are_in_order_and_no_more_are_under_way(most):
    lock, now, peak = threading.Lock(), 0, 0

    def request(item, stopped):
        nonlocal now, peak
        with lock:
            now += 1
            peak = max(peak, now)
        stopped.wait(0.002 * (item % 3))
        with lock:
            now -= 1
        return item * item

    assert list(at_once(request, range(20), most)) == [item * item for item in range(20)]
    assert 1 <= peak <= most


def test_nothing_to_ask():
    assert list(at_once(lambda item, _: item, [], 4)) == []


def test_the_first_failure_is_raised_and_tells_the_others_to_stop():
    told, begun = threading.Event(), []

    def request(item, stopped):
        begun.append(item)
        if item == 1:
            raise FailedError
        if stopped.wait(20):
            told.set()

    with pytest.raises(FailedError):
        list(at_once(request, range(50), 2))
    assert told.wait(20)
    assert len(begun) <= 4


def test_items_are_taken_as_there_is_room():
    """A caller that takes one result at a time bounds what is taken ahead."""
    taken = []

    def items():
        for item in range(100):
            taken.append(item)
            yield item

    for done, result in enumerate(at_once(lambda item, _: item, items(), 3)):
        assert result == done
        assert len(taken) <= done + 6


def test_as_many_as_may_be_are_under_way_while_the_first_is_slow():
    others = threading.Semaphore(0)

    def request(item, stopped):
        if item == 0:
            for _ in range(3):  # of the other worker, one after the other
                assert others.acquire(timeout=20)
        else:
            others.release()
        return item

    assert list(at_once(request, range(10), 2)) == list(range(10))


def test_what_was_answered_before_a_failure_is_yielded_first():
    answered = threading.Event()

    def request(item, stopped):
        if item == 1:
            answered.wait(20)
            raise FailedError
        return item

    found = at_once(request, range(50), 2)
    assert next(found) == 0
    answered.set()
    with pytest.raises(FailedError):
        next(found)


def test_what_was_taken_before_items_fail_is_yielded_first():
    def items():
        yield from range(3)
        raise FailedError

    found = at_once(lambda item, _: item, items(), 4)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FailedError):
        next(found)


def test_who_goes_away_stops_the_requests():
    told, begun = threading.Event(), []

    def request(item, stopped):
        begun.append(item)
        if item and stopped.wait(20):
            told.set()

    found = at_once(request, range(50), 2)
    next(found)
    found.close()
    assert told.wait(20)
    assert len(begun) <= 4


def test_requests_see_the_context_of_the_caller():
    variable = ContextVar("variable", default="none")
    variable.set("given")
    assert list(at_once(lambda _, __: variable.get(), range(3), 2)) == ["given"] * 3
