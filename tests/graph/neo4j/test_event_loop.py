"""Sockets of attempts to connect that were given up are closed, without a server (S84)."""

import asyncio
import contextlib
import gc
import socket
import time
from pathlib import Path

import pytest

from octavo import RetrievalTimeoutError
from octavo.graph.neo4j.event_loop import DriverLoop, closing_sockets
from octavo.graph.neo4j.settings import Neo4jSettings
from octavo.graph.neo4j.store import Neo4jGraphStore


def run(work):
    """Run work on a loop of the kind, and return what it returns."""
    with contextlib.closing(DriverLoop()) as loop:
        return loop.run_until_complete(work(loop))


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def unanswering():
    """The address of a host that neither takes nor refuses a connection: its queue is full."""
    with contextlib.ExitStack() as opened:
        server = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            client = opened.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield server.getsockname()


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("timeout", [0.0, 0.05])
def test_a_socket_that_is_given_up_is_closed(unanswering, timeout):
    async def connect(loop):
        given = socket.socket()
        given.setblocking(False)
        with contextlib.suppress(TimeoutError), closing_sockets():
            await asyncio.wait_for(loop.sock_connect(given, unanswering), timeout)
            pytest.fail("the server took a connection")
        return given.fileno()

    assert run(connect) == -1


def test_a_socket_that_connected_in_vain_is_closed(listening):
    async def connect(loop):
        given = socket.socket()
        given.setblocking(False)
        with closing_sockets():
            await asyncio.ensure_future(loop.sock_connect(given, listening.getsockname()))
        return given.fileno()

    assert run(connect) == -1


def test_a_socket_that_was_handed_on_is_its_transports(listening):
    async def connect(loop):
        given = socket.socket()
        given.setblocking(False)
        with closing_sockets():
            await loop.sock_connect(given, listening.getsockname())
            transport, _ = await loop.create_connection(asyncio.Protocol, sock=given)
        opened = given.fileno()
        transport.write(b"x" * 50_000_000)  # nobody reads it, so closing alone would wait
        transport.close()
        await asyncio.sleep(0)
        still = given.fileno()
        loop.abort_transports()
        await asyncio.sleep(0)
        return opened, still, given.fileno()

    opened, still, after = run(connect)
    assert opened == still >= 0
    assert after == -1


def test_connecting_without_bounds_is_as_ever(listening):
    async def connect(loop):
        with socket.socket() as given:
            given.setblocking(False)
            await loop.sock_connect(given, listening.getsockname())
            return given.fileno()

    assert run(connect) >= 0


def test_what_is_left_of_work_that_was_given_up_is_not_shown(caplog):
    async def fail():
        raise ConnectionRefusedError("nobody waits for this")

    async def forget(loop):
        loop.create_task(fail())
        await asyncio.sleep(0.01)
        gc.collect()

    run(forget)
    assert not caplog.records


@pytest.mark.parametrize("scheme", ["bolt", "bolt+ssc", "neo4j"])
def test_calls_that_time_out_leave_no_descriptor(unanswering, scheme):  # S50 S84
    pytest.importorskip("neo4j", reason="pip install 'octavo[neo4j]'")
    gc.collect()
    before = descriptors()
    gc.disable()  # what is only garbage stays open
    try:
        with Neo4jGraphStore(
            Neo4jSettings(f"{scheme}://127.0.0.1:{unanswering[1]}", timeout=0.2)
        ) as store:
            for _ in range(3):
                with pytest.raises(RetrievalTimeoutError):
                    store.node("a")
        end = time.monotonic() + 10
        while descriptors() > before and time.monotonic() < end:
            time.sleep(0.01)
        assert descriptors() <= before
    finally:
        gc.enable()
