"""What the driver raises, as failures of a retrieval; no password is in any message (S50, S84)."""

import concurrent.futures
import re

from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    OctavoError,
    ProviderUnavailableError,
    RetrievalTimeoutError,
    told,
)
from octavo.graph.neo4j.settings import Neo4jSettings, import_driver

_TIMED_OUT = re.compile(r"TransactionTimedOut|TransactionTerminated|ExecutionTimeout")
_LONGEST = 500


class Neo4jFailures:
    """Turns errors of one server's driver into octavo's.

    Parameters
    ----------
    settings
        The server; its address begins each message, and its password is removed from all.
    """

    def __init__(self, settings: Neo4jSettings) -> None:
        self._settings = settings

    def of(self, error: Exception, what: str, timeout: float) -> OctavoError:
        """Return the failure that an error stands for.

        Parameters
        ----------
        error
            From the driver, or from waiting for it.
        what
            What was being done.
        timeout
            The seconds it was given.
        """
        if isinstance(error, OctavoError):
            return error
        where = f"neo4j {self._settings.uri}: {what}"
        exceptions, code = import_driver().exceptions, str(getattr(error, "code", None) or "")
        if isinstance(error, TimeoutError) or _TIMED_OUT.search(code):
            return RetrievalTimeoutError(f"{where}: no answer within {timeout:g} seconds")
        if isinstance(error, concurrent.futures.CancelledError):
            return ExecutionError(f"{where}: the connection was closed meanwhile")
        if isinstance(error, exceptions.Forbidden) or "DatabaseNotFound" in code:
            database = self._settings.database
            kind: type[OctavoError] = ProviderUnavailableError
            happened = f"no access to {'the home database' if database is None else repr(database)}"
        elif isinstance(error, exceptions.AuthError):
            kind, happened = ProviderUnavailableError, f"refused the user {self._settings.user!r}"
        elif isinstance(
            error, exceptions.ServiceUnavailable | exceptions.SessionExpired | OSError
        ) or "Cannot resolve" in str(error):  # a ValueError of older drivers
            kind, happened = ProviderUnavailableError, "cannot be reached"
        elif isinstance(error, exceptions.ConfigurationError):
            kind, happened = ConfigurationError, "settings that cannot work"
        else:
            kind, happened = ExecutionError, "failed"
        return kind(f"{where}: {happened}: {self._told(error)}")

    def cause(self, error: Exception) -> Exception | None:
        """Return what a failure may name as its cause: not what holds the password."""
        secret = self._settings.password
        return None if secret and secret in f"{told(error)}{error!r}" else error

    def _told(self, error: Exception) -> str:
        """Return the server's own words, on one line."""
        message = getattr(error, "message", None)
        text = f"{type(error).__name__}: {message}" if message else told(error)
        if self._settings.password:
            text = text.replace(self._settings.password, "***")
        return " ".join(text.split())[:_LONGEST]
