"""Carrying out an action: by its executor, by its own body, or by one after the other (S75)."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from octavo.declarative.actions.action_context import ActionContext
from octavo.declarative.actions.action_table import RoleAction
from octavo.declarative.actions.bodies import (
    awaited,
    body_pieces,
    body_pieces_async,
    body_value,
    body_value_async,
    refuse_asynchronous,
)
from octavo.declarative.actions.executors import (
    ActionCall,
    ActionExecutor,
    AnyExecutor,
    AsyncActionExecutor,
    AsyncStreamingExecutor,
    StreamingExecutor,
)
from octavo.declarative.actions.failures import closing
from octavo.declarative.actions.observed import (
    count,
    counted_pieces,
    counted_pieces_async,
    observed_rendering,
)
from octavo.declarative.actions.requests import ActionResult
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.provided import failing_as_execution
from octavo.declarative.rendering.grounding import Grounding
from octavo.declarative.runtime.events import Event, Events, Stage
from octavo.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Dispatch:
    """An action with everything that it needs to be carried out; a chat's turn has no method."""

    action: RoleAction | None
    call: ActionCall
    executor: AnyExecutor | None
    events: Events
    grounding: Grounding | None = None

    @property
    def what(self) -> str:
        """How messages call the executor."""
        return f"the executor of {self.call.type} actions"

    @property
    def has_body(self) -> bool:
        """Whether the method runs after its executor, to see what that gave."""
        action = self.action
        asks = action is not None and action.signature.result_parameter is not None
        return asks and self.call.type is ActionType.LLM

    def failing(self) -> AbstractContextManager[None]:
        """Turn what the executor raises into what a caller expects (S43)."""
        return failing_as_execution(self.what, self.executor)

    def stage(self) -> Stage:
        """Begin what the executor does."""
        name = "model" if self.call.type is ActionType.LLM else "executor"
        return self.events.stage(name, executor=type(self.executor).__name__)

    def settle(self) -> bool:
        """Take what grounds the action off its cursors; ``False`` where it must be rendered again.

        Raises
        ------
        CancelledError, RetrievalTimeoutError
            The request is over; nothing was taken.
        """
        if self.grounding is None or not self.grounding.moves:
            return True
        self.call.context.dispatch.check()
        return self.grounding.settle()

    def again(self, event: Event) -> "Dispatch":
        """Return the dispatch with what comes next now; the event is that of the whole."""
        if self.grounding is None:
            return self
        grounding = observed_rendering(self.events, event, self.grounding.again)
        context = ActionContext(grounding.context, self.call.context.dispatch)
        return replace(self, call=replace(self.call, context=context), grounding=grounding)

    @contextmanager
    def giving_back(self) -> Iterator[None]:
        """Give units back to their cursors where what runs inside fails; a stream that is closed does not."""
        try:
            yield
        except GeneratorExit:
            raise
        except BaseException:
            if self.grounding is not None:
                self.grounding.give_back()
            raise


def carried_out(dispatch: Dispatch) -> object:
    """Return the action's value.

    Raises
    ------
    ExecutionError
        The executor failed with an error that is no retrieval error; what a body raises stays as it is.
    ConfigurationError
        The executor or the body is asynchronous.
    """
    call, executor = dispatch.call, dispatch.executor
    if executor is None:
        return _body(dispatch, None)
    function = _function(dispatch, executor)
    with dispatch.stage() as event:
        with dispatch.failing():
            value = function(call)
        refuse_asynchronous(value, dispatch.what)
        count(event, value)
    return _body(dispatch, ActionResult(call.name, value)) if dispatch.has_body else value


async def carried_out_async(dispatch: Dispatch) -> object:
    """Return the action's value; what is not asynchronous runs in a thread.

    Raises
    ------
    ExecutionError
        The executor failed with an error that is no retrieval error; what a body raises stays as it is.
    """
    call, executor = dispatch.call, dispatch.executor
    if executor is None:
        return await _body_async(dispatch, None)
    if isinstance(executor, AsyncActionExecutor):
        answer = executor.execute_async
    else:
        answer = partial(awaited, _function(dispatch, executor))
    with dispatch.stage() as event, dispatch.failing():
        value = await answer(call)
        count(event, value)
    if dispatch.has_body:
        return await _body_async(dispatch, ActionResult(call.name, value))
    return value


def pieces(dispatch: Dispatch) -> Iterator[str]:
    """Yield the action's value in pieces; as one, where its executor gives no pieces."""
    executor = dispatch.executor
    with dispatch.giving_back():
        if executor is None:
            stage = dispatch.events.stage("body")
            body = body_pieces(_with_method(dispatch), dispatch.call.arguments, None)
            yield from counted_pieces(stage, body)
            return
        if not isinstance(executor, StreamingExecutor) or dispatch.has_body:
            yield str(carried_out(dispatch))
            return
        stage = dispatch.stage()
        with dispatch.failing():
            with stage.part():
                stream = executor.stream(dispatch.call)
            yield from counted_pieces(stage, stream)


async def pieces_async(dispatch: Dispatch) -> AsyncIterator[str]:
    """Yield the action's value in pieces; as one, where its executor gives no pieces."""
    executor = dispatch.executor
    with dispatch.giving_back():
        if executor is None:
            stage = dispatch.events.stage("body")
            body = body_pieces_async(_with_method(dispatch), dispatch.call.arguments, None)
            async with closing(counted_pieces_async(stage, body)) as counted:
                async for piece in counted:
                    yield piece
            return
        if not isinstance(executor, AsyncStreamingExecutor) or dispatch.has_body:
            yield str(await carried_out_async(dispatch))
            return
        stage = dispatch.stage()
        with dispatch.failing():
            with stage.part():
                stream = executor.stream_async(dispatch.call)
            async with closing(counted_pieces_async(stage, stream)) as counted:
                async for piece in counted:
                    yield piece


def _function(dispatch: Dispatch, executor: AnyExecutor) -> Callable[[ActionCall], Any]:
    if isinstance(executor, ActionExecutor):
        return executor.execute
    if callable(executor):
        return executor
    ways = {
        "the asynchronous dispatch": AsyncActionExecutor,
        "stream_action": StreamingExecutor,
        "astream_action": AsyncStreamingExecutor,
    }
    usable = [way for way, kind in ways.items() if isinstance(executor, kind)]
    raise ConfigurationError(f"{dispatch.what} has no method execute; use {' or '.join(usable)}")


def _body(dispatch: Dispatch, result: ActionResult | None) -> object:
    with dispatch.events.stage("body"):
        return body_value(_with_method(dispatch), dispatch.call.arguments, result)


async def _body_async(dispatch: Dispatch, result: ActionResult | None) -> object:
    with dispatch.events.stage("body"):
        return await body_value_async(_with_method(dispatch), dispatch.call.arguments, result)


def _with_method(dispatch: Dispatch) -> RoleAction:
    if dispatch.action is None:
        raise ConfigurationError(f"{dispatch.call.name} has no method to be called")
    return dispatch.action
