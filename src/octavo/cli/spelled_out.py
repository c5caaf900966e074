"""Options that several commands share, taken by each as one parameter."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def spelled_out(
    command: Callable[..., None],
    parameter: str,
    options: Mapping[str, Any],
    gathered: Callable[[dict[str, Any]], Any],
    defaults: Mapping[str, Any] = NOTHING,
) -> Callable[..., None]:
    """Return the command with one of its parameters spelled out as the single options typer shows.

    Parameters
    ----------
    command
        Has the keyword ``parameter``.
    parameter
        Its name.
    options
        The annotation of each option, by name.
    gathered
        Makes the parameter's value of what was given.
    defaults
        Of options for which ``None`` is none.
    """
    signature = inspect.signature(command)
    own = [each for each in signature.parameters.values() if each.name != parameter]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(name),
            annotation=annotation,
        )
        for name, annotation in options.items()
    ]

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the command's own
        given = {name: kwargs.pop(name, defaults.get(name)) for name in options}
        command(*args, **{parameter: gathered(given)}, **kwargs)

    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {
        **{name: kind for name, kind in command.__annotations__.items() if name != parameter},
        **options,
    }
    return run
