"""Where what takes long must end: at the deadline, and with whoever wanted it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import ParamSpec, TypeVar

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import RetrievalTimeoutError, told
from octavo.spi import CancellationToken

Given = ParamSpec("Given")
Value = TypeVar("Value")


@contextmanager
def cancelled_with_its_task(dispatch: DispatchContext) -> Iterator[DispatchContext]:
    """Give a context that is cancelled with the task inside: threads notice at their next step.

    One that has a token already stays as it is: its owner decides.
    """
    if dispatch.cancellation is not None:
        yield dispatch
        return
    token = CancellationToken()
    try:
        yield replace(dispatch, cancellation=token)
    except asyncio.CancelledError:
        token.cancel()
        raise


@asynccontextmanager
async def within_deadline(dispatch: DispatchContext, what: str) -> AsyncIterator[None]:
    """Stop what runs inside at the deadline of the request.

    Raises
    ------
    RetrievalTimeoutError
        The deadline passed.
    """
    dispatch.check()
    timer = asyncio.timeout(dispatch.remaining())
    try:
        async with timer:
            yield
    except TimeoutError:
        if not timer.expired():
            raise
        raise RetrievalTimeoutError(f"{what} was not done by the deadline of its request") from None


@asynccontextmanager
async def closing(pieces: AsyncIterator[str]) -> AsyncIterator[AsyncIterator[str]]:
    """Close an asynchronous iterator at the end, if it can be: its clean-up must not wait for a collection."""
    try:
        yield pieces
    finally:
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


async def in_thread(
    function: Callable[Given, Value], /, *given: Given.args, **named: Given.kwargs
) -> Value:
    """Return what a function returns that may take its time, without holding up the event loop.

    Raises
    ------
    RuntimeError
        The function raised :class:`StopIteration`. No future can hold that, and who awaits one that
        was given it, waits for ever.
    """

    def run() -> Value:
        try:
            return function(*given, **named)
        except StopIteration as error:
            raise RuntimeError(f"a function raised {told(error)}") from error

    return await asyncio.to_thread(run)
