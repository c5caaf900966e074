"""Where what takes long must end: at the deadline, and with whoever wanted it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import RetrievalTimeoutError


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
