"""What a client of a model server is told: its key, its bounds, whom it trusts."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from octavo.errors import ConfigurationError, InvalidArgumentError, real_number, shown, told

if TYPE_CHECKING:
    import ssl

KEY_VARIABLE: Final = "OPENAI_API_KEY"
ADDRESS_VARIABLE: Final = "OPENAI_BASE_URL"  # read by the package
NO_KEY: Final = "none"
_LONGEST: Final = 1_000_000  # seconds, 11 days


def checked_model(model: object) -> str:
    """Return the name of a model.

    Raises
    ------
    InvalidArgumentError
        It is no text, or blank.
    """
    if not isinstance(model, str) or not model.strip():
        raise InvalidArgumentError(f"model: expected a name, found {shown(model)}")
    return model


def checked_address(base_url: object) -> str | None:
    """Return where a server is; ``None`` where the package decides.

    Raises
    ------
    InvalidArgumentError
        It is no text, or no address of http or https.
    """
    if base_url is None:
        return None
    if not isinstance(base_url, str) or not base_url.lower().startswith(("http://", "https://")):
        # An address may hold a password, so one that is text is not shown.
        found = "another text" if isinstance(base_url, str) else shown(base_url)[:200]
        raise InvalidArgumentError(f"base_url: expected an address of http or https, found {found}")
    return base_url


def check_plain_address(base_url: object) -> None:
    """Check where a server is, if that is given, and that the address may be shown and stored.

    Raises
    ------
    InvalidArgumentError
        It is no address of http or https, or holds a user, a password or a query.
    """
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url) if isinstance(base_url, str) and base_url.isprintable() else None
        port = None if parts is None else parts.port
    except ValueError:  # brackets, or a port, that are none
        parts = None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        # What stands before an @ may be a password.
        found = "a text with @" if "@" in shown(base_url) else shown(base_url)
        raise InvalidArgumentError(
            f"base_url: expected an address such as http://localhost:8000/v1, found {found}"
        )
    if parts.username is not None or parts.query:
        raise InvalidArgumentError(
            "base_url: expected neither user name and password nor a query in it; give api_key"
        )


def checked_temperature(value: object) -> float:
    """Return how freely a model answers; the server knows the highest.

    Raises
    ------
    InvalidArgumentError
        It is no finite number from zero.
    """
    number = real_number(value)
    if number is None or not 0 <= number < math.inf:
        raise InvalidArgumentError(f"temperature: expected a number from 0, found {shown(value)}")
    return number


def checked_key(
    owner: str, api_key: object, base_url: str | None, variable: str = KEY_VARIABLE
) -> str:
    """Return the key that was given, or that of the environment; :data:`NO_KEY` where none is needed.

    Parameters
    ----------
    owner
        Who needs it, for messages.
    api_key
        ``None``: from the environment.
    base_url
        Where the server is; one that is named, here or in the environment, may need no key.
    variable
        The environment's name for the key.

    Raises
    ------
    ConfigurationError
        There is none, or it is no header; it is never shown.
    """
    key = os.environ.get(variable, "") if api_key is None else api_key
    named = base_url or os.environ.get(ADDRESS_VARIABLE, "").strip()
    if not isinstance(key, str) or not (key.strip() or named):
        raise ConfigurationError(
            f"{owner}: there is no key; set {variable}, or give api_key; for a server of your own "
            f"that needs none set {ADDRESS_VARIABLE}, or give base_url"
        )
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigurationError(f"{owner}: api_key: expected printable ASCII characters")
    return key.strip() or NO_KEY


def checked_seconds(name: str, value: object) -> float:
    """Return a number of seconds.

    Raises
    ------
    InvalidArgumentError
        It is no number above zero, or more than a system can wait for.
    """
    number = real_number(value)
    if number is None or not 0 < number <= _LONGEST:
        raise InvalidArgumentError(
            f"{name}: expected seconds above zero, at most {_LONGEST:,}, found {shown(value)}"
        )
    return number


@contextmanager
def client_made(owner: str) -> Iterator[None]:
    """Make a client of the package ``openai``, which also reads addresses from the environment.

    Raises
    ------
    ConfigurationError
        An address, or a proxy, is none. It is not shown, for it may hold a password.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the package names none
        why = told(error) if isinstance(error, ImportError) else type(error).__name__
        raise ConfigurationError(
            f"{owner}: its HTTP client cannot be made ({why}); look at the address of the server and "
            "at OPENAI_BASE_URL, ALL_PROXY, HTTP_PROXY and HTTPS_PROXY in the environment"
        ) from None


@cache
def certificates() -> "ssl.SSLContext":
    """Return whom to trust; made once, since that takes longer than a request on this machine."""
    import httpx2  # noqa: PLC0415 - comes with the extra ``openai``

    return httpx2.create_ssl_context()
