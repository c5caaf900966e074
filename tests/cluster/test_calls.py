import threading
from types import SimpleNamespace

import pytest

from octavo.cluster import calls
from octavo.cluster.calls import PAUSE_SECONDS, Call, Losses
from octavo.cluster.session import RaySession
from octavo.errors import CancelledError
from octavo.parallel import ordered_map


class LostError(Exception):
    """What Ray raises where a worker is lost."""


class WorkError(LostError):
    """What Ray raises where the work itself failed."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that only waiting moves."""
    clock = SimpleNamespace(now=100.0, pauses=[])

    def wait(_, seconds):
        clock.now += seconds
        clock.pauses += [seconds] if seconds else []
        return False

    monkeypatch.setattr(calls, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(threading.Event, "wait", wait)
    return clock


@pytest.fixture
def session():
    """A session whose calls are lost at the first attempt; the second gives their number."""

    def get(reference):
        number, attempt = reference
        if not attempt:
            raise LostError
        return number

    exceptions = SimpleNamespace(RayTaskError=WorkError, RayError=LostError)
    return RaySession(SimpleNamespace(get=get, exceptions=exceptions))


def call(number):
    attempts = iter(range(9))
    return Call(lambda: (number, next(attempts)))


def test_calls_that_were_lost_together_are_waited_for_once(session, clock):
    lost = [call(number) for number in range(9)]
    assert [session.answer(each) for each in lost] == list(range(9))
    assert clock.pauses == [PAUSE_SECONDS]


def test_a_later_loss_is_waited_for_anew(session, clock):
    old = call(0)
    session.answer(call(1))
    clock.now += 1.0
    session.answer(call(2))
    assert clock.pauses == [PAUSE_SECONDS] * 2
    clock.now += PAUSE_SECONDS + 1.0
    session.answer(old)
    assert clock.pauses == [PAUSE_SECONDS] * 3


def test_work_that_is_given_up_waits_no_longer():
    losses = Losses()
    begun = threading.Barrier(3)
    ended = []

    def lost(_):
        begun.wait()
        try:
            losses.wait(asked=0.0)
        except CancelledError:
            ended.append("at once")

    def items():
        yield from range(2)
        begun.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(ordered_map(lost, items(), threads=2, stop=losses.give_up))
    assert ended == ["at once", "at once"]
    with pytest.raises(CancelledError, match="given up"):
        losses.wait(asked=0.0)
