"""Failures of the ``openai`` package as octavo's, without the key in any of them."""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    OctavoError,
    RetrievalTimeoutError,
    shown,
    told,
)
from octavo.model_servers.settings import NO_KEY
from octavo.visible import visible_line

if TYPE_CHECKING:
    from types import ModuleType

_LONGEST: Final = 300
_RETRIED: Final = frozenset({408, 409, 429})
_REFUSED: Final = frozenset({400, 413, 422, 500})
_SPENT: Final = "insufficient_quota"
_WORDS: Final = ("message", "detail", "msg", "error")
LANGUAGE_MODEL_SERVER: Final = "the language model server"


def octavo_error(
    openai: "ModuleType", error: Exception, key: str, server: str = LANGUAGE_MODEL_SERVER
) -> OctavoError:
    """Return what an exception of the package, or of the HTTP library below it, means.

    Parameters
    ----------
    openai
        The package.
    error
        What it raised.
    key
        The secret, which is taken out of the message.
    server
        What messages call the server.
    """
    own = _own(error)
    if own is not None:
        return own
    message = _without(key, _told(error))
    if isinstance(error, openai.APITimeoutError) or "Timeout" in type(error).__name__:
        return RetrievalTimeoutError(f"{server} did not answer in time")
    if isinstance(error, openai.APIStatusError):
        return _refused(server, error.status_code, message, _without(key, _elsewhere(error)))
    if isinstance(error, openai.APIConnectionError):
        cause = "" if error.__cause__ is None else f": {_without(key, told(error.__cause__))}"
        address = _without(key, shown_address(str(error.request.url)))
        return ExecutionError(f"{server} cannot be reached at {address}{cause}")
    return ExecutionError(f"{server} broke the protocol: {message}")


def is_worth_a_retry(openai: "ModuleType", error: Exception) -> bool:
    """Return whether a failure may pass: no connection, silence, too many requests, a failing server."""
    if _own(error) is not None:
        return False
    if isinstance(error, openai.APIStatusError):
        if error.code == _SPENT:
            return False
        return error.status_code in _RETRIED or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError)


def is_about_the_request(openai: "ModuleType", error: Exception) -> bool:
    """Return whether a failure may come from what was sent: refused as such, or a server that broke."""
    return isinstance(error, openai.APIStatusError) and error.status_code in _REFUSED


def is_without_connection(openai: "ModuleType", error: Exception) -> bool:
    """Return whether nothing answers at the address: refused, or no such host."""
    cause = type(error.__cause__).__name__
    return isinstance(error, openai.APIConnectionError) and cause == "ConnectError"


def asked_wait(error: Exception) -> float | None:
    """Return the seconds for which the server asks to be left alone, ``None`` where it does not."""
    headers: Any = getattr(getattr(error, "response", None), "headers", {})
    asked = str(headers.get("retry-after", ""))
    try:
        seconds = float(asked)
    except ValueError:
        return _until(asked)
    return None if math.isnan(seconds) else max(seconds, 0.0)


def tell_wait(failure: OctavoError, error: Exception) -> None:
    """Add to a failure that the server asks for a longer wait than there is, if it asks for one."""
    asked = asked_wait(error)
    if asked is not None and asked >= 1:
        failure.args = (
            f"{failure}; it asks to be left alone for {asked:,.0f} s, which is too long",
        )


def error_in_answer(
    answer: object, key: str, server: str = LANGUAGE_MODEL_SERVER
) -> OctavoError | None:
    """Return what the ``error`` of an answer says that has status 200 all the same.

    Parameters
    ----------
    answer
        The JSON value, or what the package made of it.
    key
        The secret, which is taken out of the message.
    server
        What messages call the server.
    """
    error = answer.get("error") if isinstance(answer, dict) else getattr(answer, "error", None)
    if not error:
        return None
    words = _without(key, _said(error) or shown(error))
    return ExecutionError(f"{server} answered with an error: {words}")


def _until(date: str) -> float | None:
    try:
        return max((parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):  # no date, or one without a zone
        return None


def shown_address(url: str) -> str:
    """Return where a URL leads, without user, password and query: those may be secrets.

    Examples
    --------
    >>> shown_address("https://user:secret@example.org/v1?key=secret")
    'https://example.org/v1'
    """
    return re.sub(r"(?<=//)[^/?#]*@|[?#].*", "", url, flags=re.DOTALL)


def _refused(server: str, status: int, message: str, elsewhere: str) -> OctavoError:
    if status == HTTPStatus.UNAUTHORIZED:
        return ConfigurationError(f"{server} refused the key: {message}")
    if elsewhere:
        return ConfigurationError(
            f"{server} sends its callers elsewhere (status {status}), which is not followed; if that "
            f"is to be trusted, give the address of {elsewhere}"
        )
    return ExecutionError(f"{server} answered with status {status}: {message}")


def _elsewhere(error: Any) -> str:  # noqa: ANN401 - of the package
    """Return where a redirect leads; nothing where the error is none."""
    location = error.response.headers.get("location", "") if 300 <= error.status_code < 400 else ""
    try:
        return shown_address(urljoin(str(error.request.url), location)) if location else ""
    except ValueError:  # brackets that are no address
        return "another server"


def _own(error: BaseException) -> OctavoError | None:
    # The package takes what a guard of the body raised for a lost connection.
    found: BaseException | None = error
    while found is not None and not isinstance(found, OctavoError):
        found = found.__cause__
    return found


def _told(error: Exception) -> str:
    # The package passes on only what is said in the way of OpenAI's servers.
    message, said = told(error), _said(getattr(error, "body", None))
    return message if said in message else f"{message} - {said}"


def _said(body: object, depth: int = 4) -> str:
    """Return what the body of a refusal says, in one of the ways that servers have for it."""
    if isinstance(body, str):
        return body.strip()
    parts: Iterable[object] = ()
    if isinstance(body, list):
        parts = body[:1]
    elif isinstance(body, dict):
        parts = map(body.get, _WORDS)
    return next(filter(None, (_said(part, depth - 1) for part in parts if depth)), "")


def _without(key: str, message: str) -> str:
    # The word that stands for no key may be a word of the message.
    return visible_line(message if key == NO_KEY else message.replace(key, "***"))[:_LONGEST]
