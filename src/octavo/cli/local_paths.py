"""Paths of commands, which are of this machine."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from octavo.cli.values import wrong_use

Parameters = ParamSpec("Parameters")


def refusing_uris(command: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Return the command with URIs refused as wrong use where it takes paths of this machine.

    An argument that may be a URI as well is no :class:`pathlib.Path`, in which slashes merge.
    """

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        for given in (*args, *kwargs.values()):
            paths = [each for each in _listed(given) if isinstance(each, Path)]
            if paths:
                from octavo.columns.uris import refuse_uri  # noqa: PLC0415

                with wrong_use():
                    for path in paths:
                        refuse_uri(path)
        command(*args, **kwargs)

    return run


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else [given]
