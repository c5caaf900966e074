"""Trying again: how often, how long to wait, and never past the request's deadline."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from octavo.declarative.runtime.dispatch_context import DispatchContext

_LONGEST_WAIT: Final = 60.0


@dataclass(frozen=True, slots=True)
class Attempts:
    """How a request that failed is tried again.

    Parameters
    ----------
    retries
        How many times, besides the first.
    first_wait
        Seconds before the first retry; twice as many before each further one, a quarter of it random.
    """

    retries: int = 2
    first_wait: float = 0.5

    def waits(self) -> Iterator[float]:
        """Yield the seconds to wait before each retry."""
        wait = self.first_wait
        for _ in range(self.retries):
            yield wait * (1 - random.random() / 4)  # noqa: S311 - spreads clients, hides nothing
            wait *= 2

    @staticmethod
    def allowed(wait: float, asked: float | None, dispatch: DispatchContext) -> float | None:
        """Return how long to wait, at least as long as the server asked; ``None``: not worth it.

        That is where the server asks for more than a minute, or the deadline would pass meanwhile.

        Examples
        --------
        >>> (
        ...     Attempts.allowed(0.5, 2.0, DispatchContext()),
        ...     Attempts.allowed(0.5, 90.0, DispatchContext()),
        ... )
        (2.0, None)
        """
        wait = max(wait, asked or 0.0)
        left = dispatch.remaining()
        if wait > _LONGEST_WAIT or (left is not None and wait >= left):
            return None
        return wait
