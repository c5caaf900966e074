"""Not asking a server more often than it allows."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from octavo.model_servers.pacer import Pacer


def test_without_a_limit_nobody_waits():
    pacer = Pacer(None)
    assert [pacer.turn() for _ in range(10)] == [0.0] * 10


def test_turns_are_evenly_apart_for_all_threads():
    pacer = Pacer(per_minute=6)
    with ThreadPoolExecutor(8) as pool:
        waits = sorted(pool.map(lambda _: pacer.turn(), range(8)))
    assert waits == pytest.approx([10.0 * turn for turn in range(8)], abs=1.0)


def test_turns_are_as_far_apart_as_what_they_are_for():
    pacer = Pacer(per_minute=60)
    assert pacer.turn(20) == pytest.approx(0.0)
    assert pacer.turn(0.5) == pytest.approx(20.0, abs=1.0)
    pacer.correct(10)
    assert pacer.turn() == pytest.approx(30.5, abs=1.0)
    pacer.correct(-20)
    assert pacer.turn() == pytest.approx(11.5, abs=1.0)


def test_all_wait_where_the_server_asked():
    pacer = Pacer(None)
    pacer.hold(20.0)
    pacer.hold(5.0)  # does not shorten it
    assert pacer.turn() == pytest.approx(20.0, abs=1.0)
    assert pacer.turn() == pytest.approx(20.0, abs=1.0)
