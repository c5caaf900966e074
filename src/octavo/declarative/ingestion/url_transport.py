"""Connections for httpx that look at the address they connect to, and at the clock.

A name is resolved once; each address it has is judged, and the connection goes to an address that
was judged, so that a second answer of the name server cannot lead elsewhere. TLS still checks the
certificate against the name. Every read is bounded by what is left of the time for all.
"""

import socket
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

import httpcore
import httpx

from octavo.declarative.ingestion.addresses import is_public
from octavo.declarative.ingestion.url_policy import UrlPolicy
from octavo.errors import ConfigurationError
from octavo.spi import CancellationToken

_NOTICED: Final = 0.1
"""A cancellation, or the deadline of a request, is noticed within so many seconds."""


class GuardedTransport(httpx.BaseTransport):
    """Sends requests over guarded connections, without proxies.

    Parameters
    ----------
    policy
        What is allowed.
    deadline
        When all must be done, on the monotonic clock.
    cancellation
        Looked at before all that can wait, and several times a second while an answer is waited for.
    """

    def __init__(
        self,
        policy: UrlPolicy,
        deadline: float,
        cancellation: CancellationToken | None = None,
    ) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            network_backend=_GuardedBackend(policy, deadline, cancellation or CancellationToken()),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = httpcore.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        response = self._pool.handle_request(sent)
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - httpcore's
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class _GuardedBackend(httpcore.NetworkBackend):
    def __init__(self, policy: UrlPolicy, deadline: float, cancellation: CancellationToken) -> None:
        self._policy = policy
        self._deadline = deadline
        self._cancellation = cancellation
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        for address in _addresses(host, port, self._policy):
            self._cancellation.raise_if_cancelled()
            try:
                stream = self._backend.connect_tcp(
                    address,
                    port,
                    timeout=_bounded(timeout, self._deadline),
                    local_address=local_address,
                    socket_options=socket_options,
                )
                return _TimedStream(stream, self._deadline, self._cancellation)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")


class _TimedStream(httpcore.NetworkStream):
    def __init__(
        self, stream: httpcore.NetworkStream, deadline: float, cancellation: CancellationToken
    ) -> None:
        self._stream = stream
        self._deadline = deadline
        self._cancellation = cancellation

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        end = time.monotonic() + _bounded(timeout, self._deadline)
        while True:
            self._cancellation.raise_if_cancelled()
            try:
                return self._stream.read(max_bytes, _bounded(_NOTICED, end))
            except httpcore.ReadTimeout:
                if time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _bounded(timeout, self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: Any,  # noqa: ANN401
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(
            ssl_context, server_hostname, _bounded(timeout, self._deadline)
        )
        return _TimedStream(stream, self._deadline, self._cancellation)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401
        return self._stream.get_extra_info(info)


def _bounded(seconds: float | None, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time for all of it is over")
    return left if seconds is None else min(seconds, left)


def _addresses(host: str, port: int, policy: UrlPolicy) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host}: no address: {error}") from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not policy.allow_local_addresses:
        local = [address for address in addresses if not is_public(address)]
        if local:
            raise ConfigurationError(
                f"{host}: expected a public address, found {local[0]}; "
                "UrlPolicy(allow_local_addresses=True) allows local ones"
            )
    return addresses
