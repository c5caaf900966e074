"""What is imported by name: libraries of extras, ``MODULE:ATTR`` of an application, entry points."""

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from octavo.errors import ConfigurationError, told


def optional(module: str, extra: str, purpose: str) -> Any:  # noqa: ANN401 - any module
    """Import a library of an extra.

    Raises
    ------
    ConfigurationError
        It is not installed; says what to install.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f"{purpose} needs {module.partition('.')[0]}: pip install 'octavo[{extra}]'"
        ) from error


def import_target(what: str, target: str) -> object:
    """Import ``MODULE:ATTR`` (dots in ``ATTR`` are followed); a class is made without arguments.

    Parameters
    ----------
    what
        The option or argument, for messages.
    target
        The text.

    Raises
    ------
    ConfigurationError
        The text is no such name, the import or the creation fails, or there is no such attribute.

    Examples
    --------
    >>> import_target("embedding", "math:sqrt")(4.0)
    2.0
    """
    module, separator, path = target.partition(":")
    if not (separator and module and path):
        raise ConfigurationError(f"{what}: expected MODULE:ATTR, found {target!r}")
    try:
        found: object = import_module(module)
    except Exception as error:
        raise _failed(f"{what} {target!r}: importing {module!r}", error) from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise ConfigurationError(f"{what} {target!r}: {module!r} has no {path!r}")
        found = getattr(found, name)
    return created(what, found)


def installed_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group by name, so that the order of installation means nothing."""
    return sorted(entry_points(group=group), key=lambda each: (each.name, each.value))


def load_point(what: str, point: EntryPoint) -> object:
    """Return what an entry point names; a class is made without arguments.

    Raises
    ------
    ConfigurationError
        The import or the creation fails.
    """
    try:
        found: object = point.load()
    except Exception as error:
        raise ConfigurationError(f"{what}: loading failed with {told(error)}") from error
    return created(what, found)


def created(what: str, found: object) -> object:
    """Return an instance where ``found`` is a class, ``found`` itself where it is not.

    Raises
    ------
    ConfigurationError
        The class cannot be made without arguments.
    """
    if not isinstance(found, type):
        return found
    try:
        instance: object = found()
    except Exception as error:
        raise _failed(f"{what}: creating {found.__qualname__}", error) from error
    return instance


def _failed(action: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"{action} failed with {type(error).__name__}: {error}")
