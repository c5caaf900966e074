"""Calls of workers, and how long is waited where some are lost."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from octavo.errors import CancelledError

PAUSE_SECONDS = 30.0
"""How long is waited half-way through the attempts: until Ray notices that a
machine is gone (health checks every few seconds, five missed ones), calls of its actors may fail at once,
however many attempts there are."""


@dataclass(slots=True)
class Call:
    """A call of a worker that is under way.

    Parameters
    ----------
    ask
        Makes the call, and makes it again where it was lost.
    """

    ask: Callable[[], Any]
    reference: Any = field(init=False)
    asked: float = field(init=False)

    def __post_init__(self) -> None:
        self.reference, self.asked = self.ask(), time.monotonic()


class Losses:
    """Waits for a lost machine once, however many calls were lost with it; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = -math.inf
        self._given_up = threading.Event()

    def wait(self, asked: float) -> None:
        """Wait until a call that was made at ``asked``, and lost, can be made again.

        Raises
        ------
        CancelledError
            The work was given up, before or meanwhile.
        """
        with self._lock:
            now = time.monotonic()
            # Made after the last pause, or long past it: another machine.
            if asked > self._over or now > self._over + PAUSE_SECONDS:
                self._over = now + PAUSE_SECONDS
            remaining = self._over - now
        if self._given_up.wait(max(0.0, remaining)):
            raise CancelledError("a call was lost, and the work given up before it was made again")

    def give_up(self) -> None:
        """End what is waiting, and what would wait from now on."""
        self._given_up.set()
