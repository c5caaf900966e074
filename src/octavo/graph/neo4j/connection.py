"""The driver of a Neo4j server: pooled connections, deadlines that hold, failures by kind (S84, S50).

The driver runs on an event loop in a thread of its own, because only there can a query that blocks
be given up: its connection is closed, whatever the server does.
"""

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Mapping
from typing import Any

from octavo.errors import ExecutionError
from octavo.graph.neo4j.event_loop import DriverLoop, closing_sockets
from octavo.graph.neo4j.failures import Neo4jFailures
from octavo.graph.neo4j.settings import Neo4jSettings, import_driver

Rows = list[list[Any]]

_GRACE = 5.0  # seconds
_FOREVER = 1e6  # seconds
_FIRST_RETRY = 0.1  # seconds; doubled with each retry

# A forked child must leave its parent's sockets alone, so it keeps what it inherited as it is.
_inherited: list["_Channel"] = []


class Neo4jConnection:
    """Runs statements; opened when first used, safe to share between threads and to fork.

    Parameters
    ----------
    settings
        Where the server is.

    Raises
    ------
    ProviderUnavailableError
        The driver is not installed.
    """

    def __init__(self, settings: Neo4jSettings) -> None:
        import_driver()
        self._settings = settings
        self._failures = Neo4jFailures(settings)
        self._opening = threading.Lock()
        self._channel: _Channel | None = None
        self._closed = False
        _connections.add(self)

    def read(self, statement: str, parameters: Mapping[str, Any], what: str) -> Rows:
        """Return the rows of a statement in a read-only session.

        Parameters
        ----------
        statement
            Cypher without any value in it.
        parameters
            The values.
        what
            What is being done, for messages.

        Raises
        ------
        ProviderUnavailableError
            The server cannot be reached, refuses the credentials or has no such database.
        RetrievalTimeoutError
            The deadline passed.
        ExecutionError
            The server failed otherwise, or the connection is closed.
        """
        return self._run(statement, parameters, what, writing=False, timeout=self._settings.timeout)

    def write(
        self, statement: str, parameters: Mapping[str, Any], what: str, timeout: float
    ) -> Rows:
        """Run a statement that may be repeated, and commit; errors as in :meth:`read`."""
        return self._run(statement, parameters, what, writing=True, timeout=timeout)

    def close(self) -> None:
        """Close all connections; whatever still waits for one fails. Repeated calls do nothing."""
        with self._opening:
            self._closed = True
            channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def _run(
        self,
        statement: str,
        parameters: Mapping[str, Any],
        what: str,
        *,
        writing: bool,
        timeout: float,
    ) -> Rows:
        channel = self._opened()
        try:
            return channel.run(statement, parameters, writing=writing, timeout=timeout)
        except Exception as error:
            failure = self._failures.of(error, what, timeout)
            if failure is error:
                raise
            raise failure from self._failures.cause(error)

    def _opened(self) -> "_Channel":
        with self._opening:
            if self._closed:
                raise ExecutionError(f"neo4j {self._settings.uri}: the connection is closed")
            if self._channel is None:
                self._channel = _Channel(self._settings)
            return self._channel

    def _forget_parent(self) -> None:
        """In a forked child: begin anew, and leave what belongs to the parent untouched."""
        self._opening = threading.Lock()
        if self._channel is not None:
            _inherited.append(self._channel)
            self._channel = None


class _Channel:
    """One process's driver, and the thread whose event loop runs it."""

    def __init__(self, settings: Neo4jSettings) -> None:
        self._settings = settings
        self._drivers: list[Any] = []  # one, when first used
        self._quiet = True
        self._loop = DriverLoop()
        thread = threading.Thread(
            target=_serve, args=(self._loop,), name="octavo-neo4j", daemon=True
        )
        thread.start()
        # Also at the end of the interpreter, and where nobody closed.
        self.close = weakref.finalize(self, _end, self._loop, thread, self._drivers, os.getpid())

    def run(
        self, statement: str, parameters: Mapping[str, Any], *, writing: bool, timeout: float
    ) -> Rows:
        """Return the rows of a statement, or raise whatever stopped it."""
        work = self._within(statement, parameters, writing=writing, timeout=timeout)
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # the loop was closed meanwhile
            work.close()
            raise
        try:
            # The event loop keeps the deadline; this one is for a loop that is stopped meanwhile.
            return future.result(timeout + _GRACE)
        except BaseException:
            future.cancel()  # an interrupt, too, ends the query
            raise

    async def _within(
        self, statement: str, parameters: Mapping[str, Any], *, writing: bool, timeout: float
    ) -> Rows:
        driver = import_driver()

        async def work(transaction: Any) -> Rows:  # noqa: ANN401 - a type of the driver
            result = await transaction.run(statement, parameters)
            return list(await result.values())

        bounded = driver.unit_of_work(timeout=timeout)(work)
        with closing_sockets():
            async with asyncio.timeout(timeout):
                return await self._served(driver, bounded, writing=writing)

    async def _served(self, driver: Any, bounded: Any, *, writing: bool) -> Rows:  # noqa: ANN401
        while True:
            quiet = self._quiet
            try:
                return await self._transacted(driver, bounded, writing=writing)
            except driver.exceptions.ConfigurationError as error:
                if not quiet or "otification" not in str(error):
                    raise
            self._quiet = False  # servers before Neo4j 5.7 tell what they want to

    async def _transacted(self, driver: Any, work: Any, *, writing: bool) -> Rows:  # noqa: ANN401
        settings = self._settings
        if not self._drivers:
            self._drivers.append(
                driver.AsyncGraphDatabase.driver(
                    settings.uri,
                    auth=(settings.user, settings.password) if settings.user else None,
                    connection_timeout=settings.connect_timeout,
                    connection_acquisition_timeout=_FOREVER,  # the deadline of a call ends it
                    max_connection_pool_size=settings.pool_size,
                    # Half, so that the last failure is told before the time is over.
                    max_transaction_retry_time=min(settings.retry_time, settings.timeout / 2),
                    initial_retry_delay=_FIRST_RETRY,
                    user_agent="octavo",
                    telemetry_disabled=True,
                )
            )
        session_settings = {
            "database": settings.database,
            "default_access_mode": driver.WRITE_ACCESS if writing else driver.READ_ACCESS,
        }
        if self._quiet:
            # Else each statement warns on stderr of every name that the database has not seen yet.
            session_settings["notifications_min_severity"] = "OFF"
        async with self._drivers[0].session(**session_settings) as session:
            run = session.execute_write if writing else session.execute_read
            return list(await run(work))


def _serve(loop: DriverLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _end(loop: DriverLoop, thread: threading.Thread, drivers: list[Any], owner: int) -> None:
    """Give up what runs, close the driver, end the thread; nothing in a forked child."""
    if os.getpid() != owner or not thread.is_alive():
        return
    ending = _given_up(loop, drivers)
    if threading.current_thread() is thread:  # collected as garbage where a query ended
        loop.create_task(ending).add_done_callback(lambda _: loop.stop())
        return
    with contextlib.suppress(Exception):  # what fails to close is closed by the process's end
        asyncio.run_coroutine_threadsafe(ending, loop).result(_GRACE)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(_GRACE)


async def _given_up(loop: DriverLoop, drivers: list[Any]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    try:
        for driver in drivers:
            await driver.close()
    finally:
        loop.abort_transports()
        await loop.shutdown_default_executor()


_connections: "weakref.WeakSet[Neo4jConnection]" = weakref.WeakSet()


def _after_fork() -> None:
    for connection in _connections:
        connection._forget_parent()  # noqa: SLF001 - of this file


os.register_at_fork(after_in_child=_after_fork)
