"""One dispatch: arguments, retrieval, rendering, and whoever carries the action out."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.actions.action_table import ActionTable, RoleAction
from octavo.declarative.actions.arguments import checked_arguments
from octavo.declarative.actions.carrying_out import (
    Dispatch,
    carried_out,
    carried_out_async,
    pieces,
    pieces_async,
)
from octavo.declarative.actions.executors import ActionCall, AnyExecutor
from octavo.declarative.actions.observed import observed_rendering
from octavo.declarative.actions.preparing import prepared_in_thread
from octavo.declarative.actions.requests import ActionRequest, ActionResponse
from octavo.declarative.actions.streams import ActionStream, AsyncActionStream
from octavo.declarative.declarations.binding import BoundAction, BoundDeclarations
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.rendering.grounding import Grounding
from octavo.declarative.rendering.tokens import TokenCounter
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Event, Events, Stage
from octavo.declarative.runtime.retrieved import Retrieved


class Retrieval(Protocol):
    """What retrieves for a dispatch, such as the process-wide runtime."""

    def retrieve(
        self,
        bindings: BoundDeclarations,
        action: BoundAction,
        arguments: Mapping[str, object],
        context: DispatchContext,
    ) -> Retrieved:
        """Return what grounds the action."""
        ...


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Carries out actions.

    Parameters
    ----------
    table
        The actions there are.
    agent_name
        Stands in contexts that name none.
    retrieval
        What retrieves; ``None``: actions go on without retrieval (S73).
    counter
        Counts tokens.
    executor_of
        Returns the executor of a type; LOCAL actions are carried out by their own bodies.
    """

    table: ActionTable
    agent_name: str
    retrieval: Retrieval | None
    counter: TokenCounter
    executor_of: Callable[[ActionType], AnyExecutor]

    def execute(self, request: ActionRequest, context: DispatchContext) -> ActionResponse:
        """Carry out an action."""
        asked = self._asked(request, context)
        with asked.stage() as event:
            dispatch = self._prepared(asked, event)
            with entered(dispatch.call.context), dispatch.giving_back():
                value = carried_out(dispatch)
        return ActionResponse(request.action, value, dispatch.call.context)

    async def execute_async(
        self, request: ActionRequest, context: DispatchContext
    ) -> ActionResponse:
        """Carry out an action without holding up the event loop."""
        asked = self._asked(request, context)
        with asked.stage() as event:
            dispatch = await self._prepared_async(asked, event)
            with entered(dispatch.call.context), dispatch.giving_back():
                value = await carried_out_async(dispatch)
        return ActionResponse(request.action, value, dispatch.call.context)

    def stream(self, request: ActionRequest, context: DispatchContext) -> ActionStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        asked = self._asked(request, context)
        stage = asked.stage()
        with stage.part() as event:
            dispatch = self._prepared(asked, event)
        return ActionStream(request.action, dispatch.call.context, pieces(dispatch), stage)

    async def stream_async(
        self, request: ActionRequest, context: DispatchContext
    ) -> AsyncActionStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        asked = self._asked(request, context)
        stage = asked.stage()
        with stage.part() as event:
            dispatch = await self._prepared_async(asked, event)
        return AsyncActionStream(
            request.action, dispatch.call.context, pieces_async(dispatch), stage
        )

    def _asked(self, request: ActionRequest, context: DispatchContext) -> "_Asked":
        found = self.table.find(request.action)
        events = Events.of_request(found.bindings.role_name, found.action.name, context)
        return _Asked(found, request.arguments, context.filled(agent=self.agent_name), events)

    def _prepared(self, asked: "_Asked", event: Event) -> Dispatch:
        dispatch = self._rendered(asked, event)
        while not dispatch.settle():
            dispatch = dispatch.again(event)
        return dispatch

    def _rendered(self, asked: "_Asked", event: Event) -> Dispatch:
        found, context = asked.action, asked.context
        # Whatever ran before, or runs around this, leaves nothing behind for the retrieval to see.
        with entered(ActionContext(dispatch=context)):
            arguments = checked_arguments(found.signature, asked.arguments)
            kind = found.action.type
            executor = None if kind is ActionType.LOCAL else self.executor_of(kind)
            context.check()
            grounding = None
            if found.action.knowledge and self.retrieval is not None:
                retrieved = self.retrieval.retrieve(
                    found.bindings, found.action, arguments, context
                )
                grounding = observed_rendering(
                    asked.events,
                    event,
                    lambda: Grounding.of(retrieved, found.action.knowledge, self.counter),
                )
        call = ActionCall(
            found.action.name,
            kind,
            found.action.description,
            arguments,
            ActionContext(None if grounding is None else grounding.context, context),
            found.instructions,
        )
        return Dispatch(found, call, executor, asked.events, grounding)

    async def _prepared_async(self, asked: "_Asked", event: Event) -> Dispatch:
        def rendered(context: DispatchContext) -> Dispatch:
            return self._rendered(replace(asked, context=context), event)

        dispatch = await prepared_in_thread(rendered, asked.context)
        # Not in the thread: a task that is cancelled meanwhile must not have settled.
        while not dispatch.settle():
            dispatch = await asyncio.to_thread(dispatch.again, event)
        return dispatch


@dataclass(frozen=True, slots=True)
class _Asked:
    """An action that was found, and what it is asked with."""

    action: RoleAction
    arguments: Mapping[str, object]
    context: DispatchContext
    events: Events

    def stage(self) -> Stage:
        """Begin the dispatch as a whole."""
        return self.events.stage("dispatch", type=str(self.action.action.type))
