"""Asking a running retrieval to stop."""

import threading

from octavo.errors import CancelledError


class CancellationToken:
    """A flag that one thread sets and retrievals look at between their steps.

    Examples
    --------
    >>> token = CancellationToken()
    >>> token.cancel()
    >>> token.cancelled
    True
    """

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask for the stop; cannot be taken back."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Stop here if asked to.

        Raises
        ------
        CancelledError
            :meth:`cancel` was called.
        """
        if self._event.is_set():
            raise CancelledError("the retrieval was cancelled")
