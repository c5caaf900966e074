"""How a Neo4j server is reached (S84)."""

import importlib
import importlib.util
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Final
from urllib.parse import urlsplit

from octavo.errors import (
    ConfigurationError,
    ProviderUnavailableError,
    checked_count,
    real_number,
    shown,
)

URI_VARIABLE: Final = "TNSAI_GRAPH_NEO4J_URI"
USER_VARIABLE: Final = "TNSAI_GRAPH_NEO4J_USER"
PASSWORD_VARIABLE: Final = "TNSAI_GRAPH_NEO4J_PASSWORD"  # noqa: S105 - the name, not the word

_SCHEMES = {"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}


@dataclass(frozen=True, slots=True)
class Neo4jSettings:
    """Where the server is, who asks, and how long an answer may take.

    Parameters
    ----------
    uri
        ``bolt://host:port``, ``neo4j+s://host`` or the like, without user and password.
    user, password
        The credentials; both empty for a server that asks for none. The password is in no message
        and not in the ``repr``.
    database
        The database; ``None`` for the user's home database.
    timeout
        Seconds for one call of a store, everything included: connecting, waiting for a connection
        of the pool, retries, the query and its answer.
    connect_timeout
        Seconds for opening one connection.
    retry_time
        Seconds during which a failure that may pass (a lost connection, a leader change) is tried
        again; 0 tries once. Never longer than half of ``timeout``.
    pool_size
        The largest number of connections.

    Raises
    ------
    ConfigurationError
        A value is none that can work.

    Examples
    --------
    >>> Neo4jSettings("bolt://localhost:7687", "neo4j", "secret")
    Neo4jSettings(uri='bolt://localhost:7687', user='neo4j', database=None, timeout=10.0, ...)
    """

    uri: str
    user: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None
    timeout: float = 10.0
    connect_timeout: float = 5.0
    retry_time: float = 2.0
    pool_size: int = 100

    def __post_init__(self) -> None:
        _check_uri(self.uri)
        for name in ("user", "password"):
            if not isinstance(getattr(self, name), str):
                raise ConfigurationError(
                    f"neo4j: {name}: expected a string, found {type(getattr(self, name)).__name__}"
                )
        if self.database is not None and not (isinstance(self.database, str) and self.database):
            raise ConfigurationError(
                f"neo4j: database: expected a name or None, found {shown(self.database)}"
            )
        for name, lowest in (("timeout", 0.001), ("connect_timeout", 0.001), ("retry_time", 0.0)):
            seconds = real_number(getattr(self, name))
            if seconds is None or not math.isfinite(seconds) or seconds < lowest:
                raise ConfigurationError(
                    f"neo4j: {name}: expected seconds of at least {lowest}, "
                    f"found {shown(getattr(self, name))}"
                )
            object.__setattr__(self, name, seconds)
        object.__setattr__(self, "pool_size", checked_count("pool_size", self.pool_size))


def neo4j_settings(
    uri: str | None = None,
    user: str | None = None,
    password: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Neo4jSettings | None:
    """Return settings from values given in code, which win, and the environment (S84).

    Parameters
    ----------
    uri, user, password
        Given in code; ``None`` is looked up as ``TNSAI_GRAPH_NEO4J_URI``, ``_USER``, ``_PASSWORD``.
    environment
        Where to look; the process's own by default.

    Returns
    -------
    Neo4jSettings or None
        ``None`` where no URI is set, or a blank one.
    """
    known = os.environ if environment is None else environment
    found = known.get(URI_VARIABLE, "") if uri is None else uri
    if isinstance(found, str) and not found.strip():
        return None
    return Neo4jSettings(
        found.strip() if isinstance(found, str) else found,
        known.get(USER_VARIABLE, "") if user is None else user,
        known.get(PASSWORD_VARIABLE, "") if password is None else password,
    )


def driver_is_installed() -> bool:
    """Return whether the official driver can be imported, without importing it."""
    try:
        return importlib.util.find_spec("neo4j") is not None
    except (ImportError, ValueError):  # a half-removed or stubbed package
        return False


def import_driver() -> ModuleType:
    """Return the official driver's package.

    Raises
    ------
    ProviderUnavailableError
        It is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module("neo4j")
    except ImportError as error:
        raise ProviderUnavailableError(
            "neo4j: the driver is not installed; install it with `pip install 'octavo[neo4j]'`"
        ) from error


def _check_uri(uri: object) -> None:
    """Refuse what is no address; what may hold a password is not shown."""
    if not isinstance(uri, str):
        raise ConfigurationError(f"neo4j: uri: expected a string, found {type(uri).__name__}")
    try:
        parts = urlsplit(uri)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise ConfigurationError("neo4j: uri: expected scheme://host:port") from error
    if parts.scheme not in _SCHEMES or not host or port == 0:
        expected = ", ".join(f"{scheme}://" for scheme in sorted(_SCHEMES))
        raise ConfigurationError(
            f"neo4j: uri: expected a host behind one of {expected}, "
            f"found the scheme {parts.scheme!r} and the host {host!r}"
        )
    if "@" in parts.netloc:
        raise ConfigurationError(
            "neo4j: uri: expected no user and password in it; they are settings of their own"
        )
