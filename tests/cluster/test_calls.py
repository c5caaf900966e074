from types import SimpleNamespace

import pytest

from octavo.cluster import calls
from octavo.cluster.calls import PAUSE_SECONDS, Call
from octavo.cluster.session import RaySession


class LostError(Exception):
    """What Ray raises where a worker is lost."""


class WorkError(LostError):
    """What Ray raises where the work itself failed."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that only sleeping moves."""
    clock = SimpleNamespace(now=100.0, pauses=[])

    def sleep(seconds):
        clock.now += seconds
        clock.pauses += [seconds] if seconds else []

    fake = SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    monkeypatch.setattr(calls, "time", fake)
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
