"""Ordered work on a bounded number of threads, and two pieces of work side by side."""

import contextvars
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from octavo import parallel
from octavo.errors import InvalidArgumentError
from octavo.parallel import checked_threads, ordered_map, side_by_side


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


@pytest.fixture
def processors(monkeypatch):
    """Return a function that sets the number of processors; no helper thread exists yet."""
    monkeypatch.setattr(parallel, "_HELPERS", parallel._Helpers())
    return lambda number: monkeypatch.setattr(parallel, "available_threads", lambda: number)


def this_thread():
    return threading.current_thread()


def test_two_calls_run_side_by_side(processors):
    processors(2)
    meeting = threading.Barrier(2, timeout=20)
    first, second = side_by_side(
        lambda: (meeting.wait() >= 0, this_thread()), lambda: (meeting.wait() >= 0, this_thread())
    )
    assert first[0]
    assert second == (True, this_thread())
    assert first[1].daemon


def test_one_thread_helps_again_and_again(processors):
    processors(2)
    helpers = {side_by_side(this_thread, this_thread)[0] for _ in range(200)}
    assert len(helpers) == 1
    assert this_thread() not in helpers


def test_without_a_free_processor_the_caller_does_both(processors):
    processors(1)
    assert side_by_side(this_thread, this_thread) == (this_thread(), this_thread())


def test_work_is_not_spread_twice(processors):
    processors(8)

    def both(_):
        return side_by_side(this_thread, this_thread)

    for threads in (1, 3):  # a batch spreads its own blocks
        for first, second in ordered_map(both, range(9), threads=threads):
            assert first is second
    inner, outer = side_by_side(lambda: both(0), lambda: both(0))
    assert inner[0] is inner[1]
    assert outer == (this_thread(), this_thread())


def test_a_batch_counts_as_work(processors):
    processors(2)
    working, done = threading.Barrier(3, timeout=20), threading.Event()

    def block(_):
        working.wait()
        return done.wait(20)

    batch = threading.Thread(target=lambda: list(ordered_map(block, range(2), threads=2)))
    batch.start()
    working.wait()
    assert side_by_side(this_thread, this_thread) == (this_thread(), this_thread())
    done.set()
    batch.join()
    assert side_by_side(this_thread, this_thread)[0] is not this_thread()


@pytest.mark.parametrize("number", [1, 2])
def test_the_error_of_the_first_call_comes_first(processors, number):
    processors(number)

    def fail(error):
        raise error

    with pytest.raises(ValueError, match="first"):
        side_by_side(lambda: fail(ValueError("first")), lambda: 2)
    with pytest.raises(KeyError):
        side_by_side(lambda: 1, lambda: fail(KeyError("second")))
    with pytest.raises(ValueError, match="first"):
        side_by_side(lambda: fail(ValueError("first")), lambda: fail(KeyError("second")))
    with pytest.raises(SystemExit):  # such as a panic of a native library: no Exception
        side_by_side(lambda: fail(SystemExit("first")), lambda: 2)
    assert side_by_side(lambda: 1, lambda: 2) == (1, 2)


def test_nothing_is_left_running_after_an_error(processors):
    processors(2)
    ended = []

    def slow():
        time.sleep(0.05)
        ended.append(True)

    def fail():
        raise KeyError

    with pytest.raises(KeyError):
        side_by_side(slow, fail)
    assert ended == [True]


def test_nothing_is_left_running_after_an_interrupt(processors):
    processors(2)
    ended = []

    def slow(*, interrupt):
        if interrupt:  # while the caller waits
            time.sleep(0.05)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.1)
        ended.append(True)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(lambda: slow(interrupt=False), interrupted)
    assert ended == [True]
    with pytest.raises(KeyboardInterrupt):
        side_by_side(lambda: slow(interrupt=True), lambda: None)
    assert ended == [True, True]


def test_context_variables_are_the_callers(processors):
    processors(2)
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")
    assert side_by_side(variable.get, lambda: None) == ("set", None)


def test_a_system_without_more_threads(processors, monkeypatch):
    processors(2)

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert side_by_side(this_thread, this_thread) == (this_thread(), this_thread())


def test_many_callers_at_once(processors):
    processors(3)
    calls = ordered_in_threads(lambda number: side_by_side(lambda: number, lambda: -number), 400)
    assert calls == [(number, -number) for number in range(400)]
    assert parallel._HELPERS._working == parallel._HELPERS._helping == 0
    assert parallel._HELPERS._threads <= 2


def ordered_in_threads(function, number):
    """Call from eight threads that octavo knows nothing of."""
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(function, range(number)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python warns of any fork beside threads")
def test_a_forked_process_has_helpers_of_its_own(processors):
    processors(2)
    helper = side_by_side(this_thread, this_thread)[0]
    with parallel._HELPERS._lock:  # as if another thread were about to hand over
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        found, own = side_by_side(this_thread, this_thread)
        os._exit(0 if found not in (own, helper) else 1)
    assert os.waitpid(child, 0)[1] == 0
