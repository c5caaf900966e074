"""What is not octavo's own, and fails, is an execution failure with its cause (S43)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ExecutionError, OctavoError, RetrievalTimeoutError, told


@contextmanager
def failing_as_execution(what: str) -> Iterator[None]:
    """Turn an application's exception into an :class:`ExecutionError`; octavo's own stay as they are."""
    try:
        yield
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"{what} failed with {told(error)}") from error


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
