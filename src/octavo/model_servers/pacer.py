"""Not asking a server for more than it allows."""

import threading
import time


class Pacer:
    """Spreads requests, or the tokens in them, evenly over time; threads share one.

    Parameters
    ----------
    per_minute
        The most a minute; ``None``: as many as come.

    Examples
    --------
    >>> pacer = Pacer(per_minute=60)
    >>> pacer.turn(), round(pacer.turn(), 1)
    (0.0, 1.0)
    """

    def __init__(self, per_minute: float | None) -> None:
        self._apart = 0.0 if per_minute is None else 60.0 / per_minute
        self._next = 0.0
        self._lock = threading.Lock()

    def turn(self, count: float = 1.0) -> float:
        """Take the next turn, for so many; returns the seconds until it comes."""
        with self._lock:
            now = time.monotonic()
            turn = max(self._next, now)
            self._next = turn + self._apart * count
            return turn - now

    def correct(self, count: float) -> None:
        """Note that a turn was for so many more, or fewer, than it was taken for."""
        with self._lock:
            self._next += self._apart * count

    def hold(self, seconds: float) -> None:
        """Let nobody who comes from now on have a turn for so long: the server asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)
