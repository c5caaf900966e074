"""Calling the body of an action, which gives a value, or texts piece by piece."""

import inspect
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any, Final

from octavo.declarative.actions.action_table import RoleAction
from octavo.declarative.actions.failures import closing, in_thread
from octavo.declarative.actions.requests import ActionResult
from octavo.errors import ConfigurationError, ExecutionError, shown

_END: Final = object()


def body_value(
    action: RoleAction, arguments: Mapping[str, object], result: ActionResult | None
) -> object:
    """Return what a body returns; of a generator, its texts together.

    Raises
    ------
    ConfigurationError
        The body is asynchronous.
    ExecutionError
        It yielded something that is no text. What it raises stays as it is.
    """
    value = action.signature.called(action.method, arguments, result)
    what = _what(action)
    refuse_asynchronous(value, what)
    return "".join(_texts(value, what)) if inspect.isgenerator(value) else value


async def body_value_async(
    action: RoleAction, arguments: Mapping[str, object], result: ActionResult | None
) -> object:
    """Return what a body returns as :func:`body_value` does; one that is not asynchronous in a thread."""
    value = await _called_async(action, arguments, result)
    if inspect.isasyncgen(value) or inspect.isgenerator(value):
        async with closing(_texts_async(value, _what(action))) as texts:
            return "".join([each async for each in texts])
    return value


def body_pieces(
    action: RoleAction, arguments: Mapping[str, object], result: ActionResult | None
) -> Iterator[str]:
    """Yield the texts of a generator as they come, and what any other body returns as one text."""
    value = action.signature.called(action.method, arguments, result)
    refuse_asynchronous(value, _what(action))
    if inspect.isgenerator(value):
        yield from _texts(value, _what(action))
    else:
        yield str(value)


async def body_pieces_async(
    action: RoleAction, arguments: Mapping[str, object], result: ActionResult | None
) -> AsyncIterator[str]:
    """Yield what a body gives as :func:`body_pieces` does."""
    value = await _called_async(action, arguments, result)
    if inspect.isasyncgen(value) or inspect.isgenerator(value):
        async with closing(_texts_async(value, _what(action))) as texts:
            async for each in texts:
                yield each
    else:
        yield str(value)


async def awaited(function: Callable[..., Any], *arguments: object) -> object:
    """Return what a function returns, in the end; one that is not asynchronous runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    value = await in_thread(function, *arguments)
    return await value if inspect.isawaitable(value) else value


def refuse_asynchronous(value: object, what: str) -> None:
    """Refuse what only an event loop can finish.

    Raises
    ------
    ConfigurationError
        It is such a value.
    """
    if inspect.isawaitable(value) or inspect.isasyncgen(value):
        if inspect.iscoroutine(value):
            value.close()
        raise ConfigurationError(f"{what} is asynchronous; use the asynchronous dispatch")


async def _called_async(
    action: RoleAction, arguments: Mapping[str, object], result: ActionResult | None
) -> object:
    called, method = action.signature.called, action.method
    if inspect.iscoroutinefunction(method):
        return await called(method, arguments, result)
    return await awaited(called, method, arguments, result)


def _what(action: RoleAction) -> str:
    return f"the action {action.action.name!r}"


def _texts(generator: Generator[Any, Any, Any], what: str) -> Iterator[str]:
    try:
        for piece in generator:
            yield _text(piece, what)
    finally:
        generator.close()


async def _texts_async(generator: Any, what: str) -> AsyncIterator[str]:  # noqa: ANN401 - either kind
    if isinstance(generator, AsyncIterator):
        async with closing(generator):
            async for piece in generator:
                yield _text(piece, what)
        return
    try:
        while (piece := await in_thread(next, generator, _END)) is not _END:
            yield _text(piece, what)
    finally:
        await in_thread(generator.close)


def _text(piece: object, what: str) -> str:
    if isinstance(piece, str):
        return piece
    raise ExecutionError(f"{what} yielded {shown(piece)[:200]}, expected text")
