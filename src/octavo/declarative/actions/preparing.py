"""Retrieving and rendering, before anybody answers, beside an event loop."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.spi import CancellationToken

Prepared = TypeVar("Prepared")


async def prepared_in_thread(
    prepare: Callable[[DispatchContext], Prepared], context: DispatchContext
) -> Prepared:
    """Prepare in a thread; a task that is cancelled cancels it, unless the context has a token."""
    token = CancellationToken()
    if context.cancellation is None:
        context = replace(context, cancellation=token)
    try:
        return await asyncio.to_thread(prepare, context)
    except asyncio.CancelledError:
        token.cancel()  # the thread notices at its next step
        raise
