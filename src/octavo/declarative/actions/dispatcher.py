"""One dispatch: arguments, retrieval, rendering, and whoever carries the action out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from octavo.declarative.actions.action_context import ActionContext, entered
from octavo.declarative.actions.action_table import ActionTable, RoleAction
from octavo.declarative.actions.arguments import checked_arguments
from octavo.declarative.actions.asked import Asked
from octavo.declarative.actions.carrying_out import Dispatch
from octavo.declarative.actions.executors import ActionCall, AnyExecutor
from octavo.declarative.actions.observed import observed_rendering
from octavo.declarative.actions.requests import ActionRequest, ActionResponse
from octavo.declarative.actions.streams import ActionStream, AsyncActionStream
from octavo.declarative.declarations.binding import BoundAction, BoundDeclarations
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.rendering.grounding import Grounding
from octavo.declarative.rendering.tokens import TokenCounter
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Event, Events
from octavo.declarative.runtime.retrieved import Retrieved, retrieved_by


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
        done = self._asked(request, context).execute()
        return ActionResponse(request.action, done.value, done.context)

    async def execute_async(
        self, request: ActionRequest, context: DispatchContext
    ) -> ActionResponse:
        """Carry out an action without holding up the event loop."""
        done = await self._asked(request, context).execute_async()
        return ActionResponse(request.action, done.value, done.context)

    def stream(self, request: ActionRequest, context: DispatchContext) -> ActionStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        return ActionStream(request.action, *self._asked(request, context).stream())

    async def stream_async(
        self, request: ActionRequest, context: DispatchContext
    ) -> AsyncActionStream:
        """Retrieve and render at once, and return the pieces of the answer as they come."""
        streamed = await self._asked(request, context).stream_async()
        return AsyncActionStream(request.action, *streamed)

    def _asked(self, request: ActionRequest, context: DispatchContext) -> Asked:
        found = self.table.find(request.action)
        events = Events.of_request(found.bindings.role_name, found.action.name, context)
        render = partial(self._rendered, found, request.arguments, events)
        return Asked(str(found.action.type), context.filled(agent=self.agent_name), events, render)

    def _rendered(
        self,
        found: RoleAction,
        given: Mapping[str, object],
        events: Events,
        context: DispatchContext,
        event: Event,
    ) -> Dispatch:
        # Whatever ran before, or runs around this, leaves nothing behind for the retrieval to see.
        with entered(ActionContext(dispatch=context)):
            arguments = checked_arguments(found.signature, given)
            kind = found.action.type
            executor = None if kind is ActionType.LOCAL else self.executor_of(kind)
            context.check()
            grounding = None
            if found.action.knowledge and self.retrieval is not None:
                retrieve = partial(self.retrieval.retrieve, found.bindings, found.action)
                retrieved = retrieved_by(lambda: retrieve(arguments, context))
                grounding = observed_rendering(
                    events,
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
        return Dispatch(found, call, executor, events, grounding)
