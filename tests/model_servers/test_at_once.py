"""Requests side by side."""

import threading

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

    assert at_once(request, range(20), most) == [item * item for item in range(20)]
    assert 1 <= peak <= most


def test_nothing_to_ask():
    assert at_once(lambda item, _: item, [], 4) == []


def test_the_first_failure_is_raised_and_tells_the_others_to_stop():
    told, begun = threading.Event(), []

    def request(item, stopped):
        begun.append(item)
        if item == 1:
            raise FailedError
        if stopped.wait(20):
            told.set()

    with pytest.raises(FailedError):
        at_once(request, range(50), 2)
    assert told.wait(20)
    assert len(begun) <= 4
