"""The event loop of a driver: no socket stays open of what was given up."""

import asyncio
import contextlib
import logging
import socket
import weakref
from collections.abc import Coroutine, Iterator
from contextvars import ContextVar
from typing import Any

_logger = logging.getLogger(__name__)

_Sockets = set[socket.socket]

# Of the work that runs; tasks that it starts inherit it.
_connecting: ContextVar[_Sockets | None] = ContextVar("connecting", default=None)


class DriverLoop(asyncio.SelectorEventLoop):
    """Knows the sockets that the driver (6.4) forgets.

    They are those that have no transport yet when the work that connects them is cancelled, and
    those that are closed with something still to send to a server that reads nothing. Both would
    stay open until garbage is collected, and be a warning then.
    """

    def __init__(self) -> None:
        super().__init__()
        self._opened: weakref.WeakSet[asyncio.BaseTransport] = weakref.WeakSet()
        # Work's own failures reach who asked. What is left is of work that was given up.
        self.set_exception_handler(lambda _, left: _logger.debug("given up: %s", left))

    def sock_connect(self, sock: socket.socket, address: Any) -> Coroutine[Any, Any, None]:  # noqa: ANN401
        """Connect a socket; it is closed with :func:`closing_sockets` unless it is handed on."""
        connecting = _connecting.get()
        if connecting is not None:
            connecting.add(sock)
        return super().sock_connect(sock, address)

    async def create_connection(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """Hand a socket on to a transport, which closes it from then on."""
        connecting = _connecting.get()
        if connecting is not None:
            connecting.discard(named.get("sock"))
        made = await super().create_connection(*given, **named)
        self._opened.add(made[0])
        return made

    def abort_transports(self) -> None:
        """Close all connections, whatever they have still to send."""
        for transport in list(self._opened):
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()


@contextlib.contextmanager
def closing_sockets() -> Iterator[None]:
    """Close, in the end, the sockets that were connected within and not handed on."""
    sockets: _Sockets = set()
    token = _connecting.set(sockets)
    try:
        yield
    finally:
        _connecting.reset(token)
        for each in sockets:
            each.close()
