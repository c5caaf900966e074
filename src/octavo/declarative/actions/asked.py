"""What is asked of an agent, an action or a message, and the four ways to carry it out."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.actions.carrying_out import (
    Dispatch,
    carried_out,
    carried_out_async,
    pieces,
    pieces_async,
)
from octavo.declarative.actions.failures import cancelled_with_its_task, in_thread
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Event, Events, Stage


class Answered(NamedTuple):
    """What was given, and what grounded it."""

    context: ActionContext
    value: object


class Streamed(NamedTuple):
    """What grounds an answer that comes piece by piece, and the dispatch that ends with it."""

    context: ActionContext
    pieces: Iterator[str]
    stage: Stage


class StreamedAsync(NamedTuple):
    """The same as :class:`Streamed`, for an event loop."""

    context: ActionContext
    pieces: AsyncIterator[str]
    stage: Stage


@dataclass(frozen=True, slots=True)
class Asked:
    """An action or a turn, before anything was retrieved for it.

    Parameters
    ----------
    type
        How events call what is asked.
    context
        The request.
    events
        Tell of it.
    render
        Retrieves and renders, and returns the dispatch; given the context and the event of the whole.
    """

    type: str
    context: DispatchContext
    events: Events
    render: Callable[[DispatchContext, Event], Dispatch]

    def execute(self) -> Answered:
        """Carry it out."""
        with self._stage() as event:
            dispatch = self._prepared(event)
            with _running(dispatch) as context:
                return Answered(context, carried_out(dispatch))

    async def execute_async(self) -> Answered:
        """Carry it out without holding up the event loop."""
        with cancelled_with_its_task(self.context) as own, self._stage() as event:
            dispatch = await self._prepared_async(own, event)
            with _running(dispatch) as context:
                return Answered(context, await carried_out_async(dispatch))

    def stream(self) -> Streamed:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        stage = self._stage()
        with stage.part() as event:
            dispatch = self._prepared(event)
        return Streamed(dispatch.call.context, pieces(dispatch), stage)

    async def stream_async(self) -> StreamedAsync:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        stage = self._stage()
        with cancelled_with_its_task(self.context) as own, stage.part() as event:
            dispatch = await self._prepared_async(own, event)
        return StreamedAsync(dispatch.call.context, pieces_async(dispatch), stage)

    def _stage(self) -> Stage:
        return self.events.stage("dispatch", type=self.type)

    def _prepared(self, event: Event) -> Dispatch:
        dispatch = self.render(self.context, event)
        while not dispatch.settle():
            dispatch = dispatch.again(event)
        return dispatch

    async def _prepared_async(self, context: DispatchContext, event: Event) -> Dispatch:
        dispatch = await in_thread(self.render, context, event)
        # Not in the thread: a task that is cancelled meanwhile must not have settled.
        while not dispatch.settle():
            dispatch = await in_thread(dispatch.again, event)
        return dispatch


@contextmanager
def _running(dispatch: Dispatch) -> Iterator[ActionContext]:
    with entered(dispatch.call.context), dispatch.giving_back():
        yield dispatch.call.context
