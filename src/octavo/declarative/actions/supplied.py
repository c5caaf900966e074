"""What an application's agent supplies, checked where it is first needed."""

from collections.abc import Iterable, Mapping
from typing import Any

from octavo.declarative.actions.executors import (
    ActionExecutor,
    AsyncActionExecutor,
    AsyncStreamingExecutor,
    StreamingExecutor,
)
from octavo.declarative.declarations.enums import ActionType
from octavo.errors import ConfigurationError, shown

_EXECUTORS = (ActionExecutor, StreamingExecutor, AsyncActionExecutor, AsyncStreamingExecutor)


def checked_roles(found: object) -> tuple[object, ...]:
    """Return what ``get_roles`` gave.

    Raises
    ------
    ConfigurationError
        It is no sequence of instances of an application's classes.
    """
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise ConfigurationError(f"get_roles: expected a sequence of roles, found {shown(found)}")
    roles = tuple(found)
    for each in roles:
        if isinstance(each, type) or type(each).__module__ == "builtins":
            raise ConfigurationError(f"get_roles: expected instances, found {shown(each)}")
    return roles


def checked_executors(found: Any) -> Mapping[ActionType, Any]:  # noqa: ANN401 - what was supplied
    """Return what ``get_executors`` gave.

    Raises
    ------
    ConfigurationError
        It is no mapping of executors, or functions, by types of actions.
    """
    if not isinstance(found, Mapping):
        raise ConfigurationError(f"get_executors: expected a mapping, found {shown(found)}")
    for kind, executor in found.items():
        if kind not in tuple(ActionType):
            raise ConfigurationError(
                f"get_executors: expected types of actions, found {shown(kind)}"
            )
        able = isinstance(executor, _EXECUTORS) or callable(executor)
        if isinstance(executor, type) or not able:
            raise ConfigurationError(
                f"get_executors: {kind}: expected an executor or a function, found "
                f"{shown(executor)}"
            )
    return found


def checked_method(name: str, found: Any, method: str = "__call__") -> Any:  # noqa: ANN401
    """Return what a method of an agent gave, if it has what it is needed for.

    Raises
    ------
    ConfigurationError
        It has no such method, or is a class.
    """
    if isinstance(found, type) or not callable(getattr(found, method, None)):
        wanted = "a function" if method == "__call__" else f"an object with a method {method}"
        raise ConfigurationError(f"{name}: expected {wanted}, found {shown(found)}")
    return found
