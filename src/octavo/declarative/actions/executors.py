"""Who carries out an action: the protocol of executors, and the bundled one for models (S70, S75)."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from octavo.declarative.actions.action_context import ActionContext
from octavo.declarative.declarations.enums import ActionType


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One action to be carried out.

    Parameters
    ----------
    name, type, description
        As declared.
    arguments
        Checked and cleaned, in declaration order.
    context
        What was retrieved: the five reserved keys. Untrusted data.
    instructions
        What a system prompt should say about agent and role.
    """

    name: str
    type: ActionType
    description: str
    arguments: Mapping[str, object]
    context: ActionContext
    instructions: tuple[str, ...] = ()


@runtime_checkable
class ActionExecutor(Protocol):
    """Carries out actions of one type; a plain function of a call is one too."""

    def execute(self, call: ActionCall) -> object:
        """Return the action's value.

        It may be awaitable where the action is dispatched with ``aexecute_action``.
        """
        ...


@runtime_checkable
class StreamingExecutor(Protocol):
    """An executor that gives its answer piece by piece."""

    def stream(self, call: ActionCall) -> Iterator[str]:
        """Return the pieces of the answer, in order."""
        ...


@runtime_checkable
class AsyncActionExecutor(Protocol):
    """An executor that does not hold up the event loop."""

    async def execute_async(self, call: ActionCall) -> object:
        """Return the action's value."""
        ...


@runtime_checkable
class AsyncStreamingExecutor(Protocol):
    """An executor that gives its answer piece by piece, without holding up the event loop."""

    def stream_async(self, call: ActionCall) -> AsyncIterator[str]:
        """Return the pieces of the answer, in order."""
        ...


AnyExecutor = (
    ActionExecutor
    | StreamingExecutor
    | AsyncActionExecutor
    | AsyncStreamingExecutor
    | Callable[[ActionCall], object]
)
