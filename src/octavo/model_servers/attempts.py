"""Trying again: how often, how long to wait, and never past a deadline."""

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_STEP: Final = 0.1  # seconds after which a wait looks whether the request is over


@dataclass(frozen=True, slots=True)
class Attempts:
    """How a request that failed is tried again.

    Parameters
    ----------
    retries
        How many times, besides the first.
    first_wait
        Seconds before the first retry; twice as many before each further one, a quarter of it random.
    longest_wait
        Seconds; who is asked to wait longer gives up.
    """

    retries: int = 2
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def waits(self) -> Iterator[float]:
        """Yield the seconds to wait before each retry."""
        wait = self.first_wait
        for _ in range(self.retries):
            yield min(wait, self.longest_wait) * (1 - random.random() / 4)  # noqa: S311 - spreads clients, hides nothing
            wait *= 2

    def allowed(self, wait: float, asked: float | None, left: float | None = None) -> float | None:
        """Return how long to wait, at least as long as the server asked; ``None``: not worth it.

        That is where the server asks for more than the longest wait, or where no more than the wait
        is ``left`` until the deadline.

        Examples
        --------
        >>> attempts = Attempts()
        >>> (
        ...     attempts.allowed(0.5, 2.0),
        ...     attempts.allowed(0.5, 90.0),
        ...     attempts.allowed(0.5, None, 0.1),
        ... )
        (2.0, None, None)
        """
        wait = max(wait, asked or 0.0)
        if wait > self.longest_wait or (left is not None and wait >= left):
            return None
        return wait

    @staticmethod
    def wait(seconds: float, check: Callable[[], None]) -> None:
        """Wait, as long as ``check`` does not raise: it says whether the request is over."""
        for step in _steps(seconds):
            time.sleep(step)
            check()

    @staticmethod
    async def wait_async(seconds: float, check: Callable[[], None]) -> None:
        """Wait as :meth:`wait` does, without holding up the event loop."""
        for step in _steps(seconds):
            await asyncio.sleep(step)
            check()


def _steps(seconds: float) -> Iterator[float]:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        yield min(left, _STEP)
