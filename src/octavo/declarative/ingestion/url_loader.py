"""The bundled loader of one page or file behind a URL (the extra ``url``)."""

import time
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from octavo.declarative.declarations.enums import KnowledgeFormat
from octavo.declarative.ingestion.declared import DeclaredSource, member, source_type
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.file_loader import chunk_settings
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.reading import resource_documents
from octavo.declarative.ingestion.resource import Resource, bytes_resource
from octavo.declarative.ingestion.times import http_instant
from octavo.declarative.ingestion.url_policy import UrlPolicy
from octavo.errors import ConfigurationError, OctavoError, SourceLoadingError, told
from octavo.importing import optional
from octavo.spi import CancellationToken
from octavo.spi.source_document import SourceDocument

if TYPE_CHECKING:
    import httpx

_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_PIECE: Final = 1 << 16


class UrlLoader:
    """Fetches one URL and reads it as a file.

    Only ``http`` and ``https``, by GET, without cookies and without proxies; at most
    ``policy.max_redirects`` redirects, each judged like the first URL, none from ``https`` to
    ``http``; addresses of the public internet only, unless the policy allows others; in bounded
    time and size, compressed or not.

    Parameters
    ----------
    policy
        What is allowed.
    limits
        How much a source may ask for.
    """

    def __init__(
        self, policy: UrlPolicy | None = None, limits: IngestionLimits | None = None
    ) -> None:
        self.policy = policy or UrlPolicy()
        self.limits = limits or IngestionLimits()

    def supports(self, knowledge: DeclaredSource) -> bool:
        """Return whether the declaration is of type URL."""
        return source_type(knowledge) == "URL"

    def load(self, knowledge: DeclaredSource) -> Iterator[SourceDocument]:
        """Yield the documents of what the URL gives.

        Raises
        ------
        ConfigurationError
            The URL is not one that may be fetched, or what it gives does not have the declared
            format.
        SourceLoadingError
            The request fails, takes too long, gives too much or what no reader reads.
        """
        return self.load_until(knowledge, None)

    def load_until(
        self, knowledge: DeclaredSource, cancellation: CancellationToken | None
    ) -> Iterator[SourceDocument]:
        """Yield the documents as :meth:`load` does, unless the token stops it; errors are its own."""
        expected = member(KnowledgeFormat, "format", knowledge.format)
        settings = chunk_settings(knowledge, self.limits)
        resource = self.fetch(knowledge.name, str(knowledge.path), cancellation)
        yield from resource_documents(resource, expected, settings, required=True)

    def fetch(self, name: str, url: str, cancellation: CancellationToken | None = None) -> Resource:
        """Return what a URL gives; the token is looked at while it is waited for.

        Raises
        ------
        ConfigurationError, SourceLoadingError
            As :meth:`load`.
        """
        httpx = optional("httpx", "url", "loading a URL")
        transport = optional("octavo.declarative.ingestion.url_transport", "url", "loading a URL")
        _check_scheme(url)
        label = _public_name(url)
        deadline = time.monotonic() + self.policy.total_seconds
        try:
            with httpx.Client(
                transport=transport.GuardedTransport(self.policy, deadline, cancellation),
                timeout=httpx.Timeout(
                    self.policy.read_seconds, connect=self.policy.connect_seconds
                ),
                trust_env=False,
                headers={"accept-encoding": "gzip, deflate", "user-agent": "octavo"},
            ) as client:
                return self._followed(client, url, label, name)
        except OctavoError:
            raise
        except Exception as error:  # two libraries' errors, and what bad URLs raise
            raise SourceLoadingError(f"{label}: fetching it failed: {told(error)}") from error

    def _followed(self, client: "httpx.Client", url: str, label: str, name: str) -> Resource:
        for _ in range(self.policy.max_redirects + 1):
            with client.stream("GET", url, follow_redirects=False) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    target = str(response.url.join(response.headers["location"]))
                    _check_redirect(label, url, target)
                    url = target
                    continue
                if response.status_code != 200:
                    raise SourceLoadingError(
                        f"{label}: expected status 200, found {response.status_code}"
                    )
                return self._resource(response, label, name)
        raise SourceLoadingError(
            f"{label}: expected at most {self.policy.max_redirects} redirects, found more"
        )

    def _resource(self, response: "httpx.Response", label: str, name: str) -> Resource:
        content = bytearray()
        for piece in _decompressed(response, label):
            content += piece
            if len(content) > self.policy.max_bytes:
                raise SourceLoadingError(
                    f"{label}: expected at most {self.policy.max_bytes:,} bytes, found more"
                )
        parts = urlsplit(label)
        path = parts.netloc + (parts.path or "/")
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        described = Resource(
            label,
            path,
            file_id(name, path + (f"?{parts.query}" if parts.query else "")),
            0,
            _unopened,
            http_instant(response.headers.get("last-modified")),
            media_type or None,
            response.charset_encoding,
        )
        return bytes_resource(bytes(content), described)


def _unopened() -> Any:  # noqa: ANN401 - it returns nothing
    raise DamagedSource("expected content")


def _decompressed(response: "httpx.Response", label: str) -> Iterator[bytes]:
    """Yield the body in small pieces, however much a compressed one grows."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "identity":
        yield from response.iter_raw(_PIECE)
        return
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        raise SourceLoadingError(f"{label}: expected a body in gzip or deflate, found {encoding!r}")
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
    for piece in response.iter_raw(_PIECE):
        rest = piece
        while rest:
            if inflater.eof:  # gzip may be several members; all else that follows is nothing
                if not rest.startswith(b"\x1f"):
                    return
                inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
            yield inflater.decompress(rest, _PIECE)
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    if not inflater.eof:
        raise SourceLoadingError(f"{label}: expected a whole {encoding} body, found its beginning")


def _check_scheme(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise ConfigurationError(f"path: expected a URL: {error}") from error
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise ConfigurationError(f"path: expected a URL of http or https, found {url!r}")


def _check_redirect(label: str, url: str, target: str) -> None:
    scheme = urlsplit(target).scheme.lower()
    if scheme not in {"http", "https"}:
        raise SourceLoadingError(f"{label}: expected redirects to http or https, found {scheme}:")
    if url.lower().startswith("https:") and scheme == "http":
        raise SourceLoadingError(f"{label}: expected redirects that stay on https, found http:")


def _public_name(url: str) -> str:
    """Return a URL without the password and the fragment, as the documents' source."""
    parts = urlsplit(url.strip())
    netloc = parts.netloc.rpartition("@")[2].lower()
    return parts._replace(scheme=parts.scheme.lower(), netloc=netloc, fragment="").geturl()
