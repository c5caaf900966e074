"""URIs of files, and what of them is shown."""

import os
import re
from pathlib import PurePosixPath
from typing import TypeGuard
from urllib.parse import quote

from octavo.errors import InvalidArgumentError

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_COLLAPSED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")
"""How a URI begins, also one that went through :class:`pathlib.Path`: that merges slashes."""
_USER = re.compile(r"(?<=://)(?:[^/?#]*|[^@?#]*:[^?#]*)@")
"""What stands before the host; the second form is for a secret with a slash that was not escaped."""
_SECRET = re.compile(
    r"([?&][^=&]*(?:key|secret|token|password|sig|credential)[^=&]*=)[^&]*", re.IGNORECASE
)


def is_remote(value: object) -> TypeGuard[str]:
    """Whether a value is a URI, such as ``s3://bucket/key``, and no path of this machine.

    Examples
    --------
    >>> is_remote("s3://bucket/queries.parquet"), is_remote("queries.parquet"), is_remote("C:/a")
    (True, False, False)
    """
    return isinstance(value, str) and _URI.match(value) is not None


def remote_name(uri: str) -> str:
    """Return the last part of a URI's path.

    Examples
    --------
    >>> remote_name("s3://bucket/out/results.parquet?endpoint_override=localhost:9000")
    'results.parquet'
    """
    return PurePosixPath(uri.partition("?")[0]).name


def shown_uri(uri: str) -> str:
    """Return a URI without the secrets that it may hold, for messages and summaries.

    Examples
    --------
    >>> shown_uri("s3://AKIA:secret@bucket/q.parquet?region=eu-west-1")
    's3://***@bucket/q.parquet?region=eu-west-1'
    >>> shown_uri("https://host/q.parquet?v=1&sig=secret")
    'https://host/q.parquet?v=1&sig=***'
    """
    return _SECRET.sub(r"\1***", _USER.sub("***@", uri))


def uri_below(uri: str, path: PurePosixPath) -> str:
    """Return the URI of what lies below another by a relative path; of itself for an empty one.

    Examples
    --------
    >>> uri_below("s3://bucket/queries/?region=eu-west-1", PurePosixPath("deep/a.parquet"))
    's3://bucket/queries/deep/a.parquet?region=eu-west-1'
    """
    if not path.parts:
        return uri
    base, question, query = uri.partition("?")
    return f"{base.rstrip('/')}/{quote(str(path))}{question}{query}"


def refuse_uri(path: str | os.PathLike[str]) -> None:
    """Refuse a URI where only a path of this machine will do.

    Raises
    ------
    InvalidArgumentError
        It is one, and there is no directory of its scheme's name, as in ``s3:/a``.

    Examples
    --------
    >>> refuse_uri("index")
    >>> refuse_uri(PurePosixPath("s3://bucket/index"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    octavo.errors.InvalidArgumentError: s3://bucket/index: expected a path of this machine, ...
    """
    given = os.fspath(path)
    start = _COLLAPSED.match(given)
    if start is None or os.path.lexists(f"{start[1]}:"):
        return
    uri = f"{start[1]}://{given[start.end() :]}"
    raise InvalidArgumentError(
        f"{shown_uri(uri)}: expected a path of this machine, found a URI; copy files here first "
        "(octavo batch, embed, index and add read URIs, and batch writes them)"
    )
