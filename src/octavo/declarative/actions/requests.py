"""What a caller asks for, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from octavo.declarative.actions.action_context import ActionContext, current_context
from octavo.declarative.declarations.read_only import ReadOnlyMapping
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import InvalidArgumentError, shown

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """An action and its arguments, for a dispatch that answers with an :class:`ActionResponse`.

    Examples
    --------
    >>> ActionRequest.of("answer", {"question": "Why?"}).arguments["question"]
    'Why?'
    """

    action: str
    arguments: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.action, str):
            raise InvalidArgumentError(f"action: expected a name, found {shown(self.action)}")
        if not isinstance(self.arguments, Mapping):
            raise InvalidArgumentError(
                f"arguments: expected a mapping, found {shown(self.arguments)}"
            )
        object.__setattr__(self, "arguments", ReadOnlyMapping(self.arguments))

    @classmethod
    def of(cls, action: str, arguments: Mapping[str, object] | None = None) -> "ActionRequest":
        """Return a request; arguments are copied.

        Raises
        ------
        InvalidArgumentError
            The name is no text, or the arguments are no mapping.
        """
        return cls(action, {} if arguments is None else arguments)


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What the executor of an LLM action gave, for an action that asks to see it.

    A parameter of this type makes the method run, after the model has answered; what it returns is then
    the action's value.
    """

    action: str
    value: object


@dataclass(frozen=True, slots=True)
class ActionResponse:
    """What an action returned, and what grounded it.

    Parameters
    ----------
    action
        The action's name.
    value
        What it returned; of an LLM action without a body that runs, the model's text.
    context
        What was retrieved for it.
    """

    action: str
    value: object
    context: ActionContext


def request_context(context: DispatchContext | None) -> DispatchContext:
    """Return the context of a request inside another: of its scope, and unless it has one of its own, the same.

    What concerns one turn only, its message, conversation and locations, is not handed on.

    Raises
    ------
    InvalidArgumentError
        It is something else.
    """
    if context is not None and not isinstance(context, DispatchContext):
        raise InvalidArgumentError(f"context: expected a DispatchContext, found {shown(context)}")
    outer = current_context().dispatch
    if context is None:
        context = replace(outer, agent="", turn_message="", conversation_id="", source_paths={})
    return context.filled(tenant=outer.tenant, session=outer.session)


def action_request(
    action: str | ActionRequest,
    arguments: Arguments | DispatchContext | None,
    context: DispatchContext | None,
) -> tuple[ActionRequest, DispatchContext]:
    """Return the request and the context that a caller means, in any of the ways to say it.

    Raises
    ------
    InvalidArgumentError
        Something is given twice, or is of another type.
    """
    if isinstance(arguments, DispatchContext):
        if context is not None:
            raise InvalidArgumentError("context: given twice")
        arguments, context = None, arguments
    if isinstance(action, ActionRequest):
        if arguments is not None:
            raise InvalidArgumentError("arguments: a request has its own")
        request = action
    else:
        request = ActionRequest.of(action, arguments)
    return request, request_context(context)
