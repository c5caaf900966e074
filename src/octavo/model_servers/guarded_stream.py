"""Bodies of responses that cannot go on for ever: bounded in bytes, and by the request's deadline."""

from collections.abc import AsyncIterator, Callable, Iterator

import httpx2

from octavo.errors import ExecutionError
from octavo.model_servers.openai_errors import LANGUAGE_MODEL_SERVER


class GuardedStream(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A response's body that is checked with each part that arrives.

    Parameters
    ----------
    stream
        The body as it comes.
    check
        Raises where the request is over.
    most_bytes
        The most bytes that are read.
    server
        What messages call the server.
    """

    def __init__(
        self,
        stream: httpx2.SyncByteStream | httpx2.AsyncByteStream,
        check: Callable[[], None],
        most_bytes: int,
        server: str,
    ) -> None:
        self._stream = stream
        self._check = check
        self._most_bytes = most_bytes
        self._server = server
        self._read = 0

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:  # type: ignore[union-attr]  # a client is of one kind
            yield self._checked(part)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:  # type: ignore[union-attr]
            yield self._checked(part)

    def close(self) -> None:
        """Give the connection back."""
        self._stream.close()  # type: ignore[union-attr]

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._stream.aclose()  # type: ignore[union-attr]

    def _checked(self, part: bytes) -> bytes:
        self._check()
        self._read += len(part)
        if self._read > self._most_bytes:
            raise ExecutionError(f"{self._server} sent more than {self._most_bytes} bytes")
        return part


def guard(
    response: httpx2.Response,
    check: Callable[[], None],
    most_bytes: int,
    server: str = LANGUAGE_MODEL_SERVER,
) -> None:
    """Put a guard around the body of a response that is not read yet.

    Raises
    ------
    ExecutionError
        The body is compressed, though that was not asked for: its size could not be bounded.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise ExecutionError(f"{server} answered with content encoding {encoding!r}, expected none")
    response.stream = GuardedStream(response.stream, check, most_bytes, server)
