"""What happens before anybody answers: rendering, in a thread where an event loop runs."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.rendering.rendered_context import RenderedContext, rendered
from octavo.declarative.rendering.tokens import TokenCounter
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Event, Events
from octavo.declarative.runtime.retrieved import Retrieved
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


def rendered_as_told(
    retrieved: Retrieved,
    knowledge: Iterable[Knowledge],
    counter: TokenCounter,
    events: Events,
    dispatch: Event,
) -> RenderedContext:
    """Render what was retrieved, and tell of it; errors as of :func:`~octavo.declarative.rendering.rendered_context.rendered`.

    Parameters
    ----------
    retrieved, knowledge, counter
        What is rendered.
    events
        Told of the stage.
    dispatch
        The event of the whole, which says what came of it.
    """
    with events.stage("rendering") as event:
        shown = rendered(retrieved, knowledge, counter)
        event.update(
            documents=shown.documents,
            tokens=sum(each.tokens for each in shown.usage),
            truncated=shown.truncated,
            shortened=len(shown.shortened),
            dropped=len(shown.dropped),
        )
    dispatch.update(documents=shown.documents, stale=shown.stale)
    return shown
