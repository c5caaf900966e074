"""Libraries that come with an extra."""

from importlib import import_module
from typing import Any

from octavo.errors import ConfigurationError


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
