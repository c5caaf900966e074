"""One request's cancellation and deadline, where a stage takes a cancellation token (S50)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import RetrievalError
from octavo.spi import CancellationToken

_HEEDED: ContextVar[DispatchContext | None] = ContextVar("octavo_heeded", default=None)


@contextmanager
def heeding(context: DispatchContext) -> Iterator[None]:
    """Have what is done inside heed a request, in threads too; also what outlives the request."""
    token = _HEEDED.set(context)
    try:
        yield
    finally:
        _HEEDED.reset(token)


def heeded() -> DispatchContext:
    """Return the request that work is done for here; one without an end outside of any."""
    return _HEEDED.get() or DispatchContext()


def check_heeded() -> None:
    """Stop here if the request that work is done for must; errors as of ``DispatchContext.check``."""
    heeded().check()


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
