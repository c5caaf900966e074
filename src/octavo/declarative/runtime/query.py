"""The text that an action's retrieval looks for (S64, S65)."""

from collections.abc import Mapping

from octavo.declarative.declarations.binding import BoundAction
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown


def query_of(action: BoundAction, arguments: Mapping[str, object], context: DispatchContext) -> str:
    """Return what is looked for: the turn's message where there is one, else an argument.

    Raises
    ------
    ConfigurationError
        The argument is missing.
    InvalidArgumentError
        It is no text.
    """
    if context.turn_message.strip():
        return context.turn_message
    name = action.query_parameter
    if action.search is None or name is None:
        return ""
    if name not in arguments:
        raise ConfigurationError(
            f"action {action.name}: expected the argument {name!r}, which is the query, found "
            f"{', '.join(map(repr, arguments)) or 'none'}"
        )
    query = plain_text(arguments[name])
    if query is None:
        raise InvalidArgumentError(
            f"action {action.name}: {name}: expected a text, which is the query, found "
            f"{shown(arguments[name])}"
        )
    return query
