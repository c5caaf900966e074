"""One request's cancellation and deadline, where a stage takes a cancellation token (S50)."""

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import RetrievalError
from octavo.spi import CancellationToken


class RequestToken(CancellationToken):
    """Stops where the request is cancelled, and where its time is over.

    Parameters
    ----------
    context
        The request's.
    """

    __slots__ = ("_context",)

    def __init__(self, context: DispatchContext) -> None:
        super().__init__()
        self._context = context

    @property
    def cancelled(self) -> bool:
        """Whether the request must stop, for either reason."""
        try:
            self.raise_if_cancelled()
        except RetrievalError:
            return True
        return False

    def raise_if_cancelled(self) -> None:
        """Stop here if the request must.

        Raises
        ------
        CancelledError
            The request was cancelled.
        RetrievalTimeoutError
            Its deadline has passed.
        """
        super().raise_if_cancelled()
        self._context.check()
