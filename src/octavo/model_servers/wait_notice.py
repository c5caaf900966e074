"""Saying that requests wait to be tried again, so that long silence has a reason."""

import logging
import threading
import time
from typing import Final

from octavo.errors import OctavoError

LOGGER: Final = "octavo.model_servers"
"""Where waits of at least :data:`SHORTEST` seconds are logged, as warnings."""

SHORTEST: Final = 1.0

_LOGGER: Final = logging.getLogger(LOGGER)


class WaitNotice:
    """Logs waits, one at a time: requests that wait together say so once. Threads share one."""

    def __init__(self) -> None:
        self._told_until = 0.0
        self._lock = threading.Lock()

    def tell(self, failure: OctavoError, seconds: float) -> None:
        """Say why a request waits, and for how long, unless another one has just said so."""
        with self._lock:
            now = time.monotonic()
            if seconds < SHORTEST or now < self._told_until:
                return
            self._told_until = now + seconds
        _LOGGER.warning("%s; trying again in %.0f s", failure, seconds)
