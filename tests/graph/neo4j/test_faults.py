"""What goes wrong between the Neo4j store and a real server, as failures by kind (S50, S84)."""

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback

import pytest

from octavo import (
    ConfigurationError,
    CsrGraph,
    ExecutionError,
    FailureReason,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    InvalidArgumentError,
    ProviderUnavailableError,
    RetrievalTimeoutError,
)
from octavo.graph.knowledge.store import KnowledgeToolsGraphStore
from octavo.graph.neo4j.importing import import_graph
from octavo.graph.neo4j.settings import Neo4jSettings
from octavo.graph.neo4j.store import Neo4jGraphStore
from tests.graph.neo4j.bolt_server import PASSWORD

pytestmark = pytest.mark.neo4j

GRAPH = CsrGraph(
    [GraphNode("a", "first", "s"), GraphNode("b", "second", "s")], [GraphEdge("a", "to", "b")]
)


def everything_told(error):
    return "".join(traceback.format_exception(error))


def test_a_wrong_password_is_told_and_not_shown(open_store):  # S50 S84
    secret = "correct horse battery staple"
    store = open_store(password=secret)
    with pytest.raises(ProviderUnavailableError, match="refused the user 'neo4j'") as raised:
        store.seeds("a", 5)
    assert raised.value.reason is FailureReason.PROVIDER_UNAVAILABLE
    assert secret not in everything_told(raised.value)
    assert secret not in repr(store.settings)


def test_a_missing_database_is_told(open_store):  # S50 S84
    store = open_store(database="missing")
    with pytest.raises(ProviderUnavailableError, match="no access to 'missing'"):
        store.node("a")


@contextlib.contextmanager
def asked_in_a_thread(ask):
    """Ask beside the block; yields what was raised, which is there after the block."""
    raised = []

    def work():
        try:
            ask()
        except Exception as error:  # noqa: BLE001 - looked at in the test
            raised.append(error)

    asking = threading.Thread(target=work)
    asking.start()
    try:
        yield raised
    finally:
        asking.join(300)
    assert not asking.is_alive()


@pytest.mark.parametrize("bounds", [{"timeout": 60.0, "retry_time": 0.3}, {"timeout": 2.0}])
def test_a_server_that_is_down_is_told_soon(bounds):  # S50 S84
    pytest.importorskip("neo4j")
    with socket.socket() as nobody:  # bound, so that no other is there, and deaf
        nobody.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{nobody.getsockname()[1]}"
        settings = Neo4jSettings(uri, "neo4j", PASSWORD, **bounds)
        store = Neo4jGraphStore(settings)
        strategy = GraphRAGStrategy("neo4j", store, (), 2, 0.85, 1024)
        with store:
            for _ in range(2):
                with pytest.raises(ProviderUnavailableError, match="cannot be reached"):
                    strategy.retrieve("a")


def test_a_host_that_does_not_exist_is_told():  # S50 S84
    pytest.importorskip("neo4j")
    uri = "bolt://no-such-host.invalid"
    settings = Neo4jSettings(uri, "neo4j", PASSWORD, timeout=120.0, retry_time=0.0)
    with Neo4jGraphStore(settings) as store, pytest.raises(ProviderUnavailableError):
        store.node("a")


def test_a_server_that_does_not_answer_is_given_up(open_store, bolt_server):  # S50 S84
    patient = open_store()
    import_graph(patient, GRAPH)
    store = open_store(schema=patient.schema, timeout=0.5)
    connect(store)
    with bolt_server.paused():
        for call in (lambda: store.edges("a"), lambda: store.seeds("a", 5)):
            with pytest.raises(RetrievalTimeoutError, match=r"within 0\.5 seconds") as raised:
                call()
            assert raised.value.reason is FailureReason.TIMEOUT
        never = open_store(timeout=0.5)  # not even connected
        with pytest.raises(RetrievalTimeoutError):
            never.node("a")
    assert patient.edges("a") == [GraphEdge("a", "to", "b")]


def connect(store):
    """Open a connection, which on a busy machine may take longer than the store may."""
    end = time.monotonic() + 120
    while True:
        try:
            return store.edges("a")
        except RetrievalTimeoutError:
            if time.monotonic() > end:
                raise


def test_a_slow_query_is_given_up(open_store):  # S50 S84
    store = open_store(timeout=0.3)
    connect(store)
    # Some servers go on with it for nobody: seconds, not minutes.
    slow = "UNWIND range(1, 2000) AS a UNWIND range(1, 2000) AS b RETURN sum(a * b)"
    with pytest.raises(
        RetrievalTimeoutError, match=r"finding seeds: no answer within 0\.3 seconds"
    ):
        store.connection.read(slow, {}, "finding seeds")


def test_an_import_waits_for_a_connection_as_long_as_it_may(open_store):  # S84
    store = open_store(timeout=0.1, pool_size=1)
    slow = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN sum(a * b)"
    with asked_in_a_thread(lambda: store.connection.write(slow, {}, "x", 120.0)) as raised:
        for _ in range(3):
            store.connection.write("RETURN 1", {}, "y", 120.0)
    assert raised == []


def test_a_server_killed_during_a_query_and_started_again(open_store, bolt_server):  # S50 S84
    store = open_store(retry_time=0.2)
    import_graph(store, GRAPH)
    with bolt_server.paused(), asked_in_a_thread(lambda: store.edges("a")) as raised:
        bolt_server.wait_for_question()
        bolt_server.kill()
    assert [type(error) for error in raised] == [ProviderUnavailableError]
    with pytest.raises(ProviderUnavailableError, match="cannot be reached"):
        store.edges("a")
    bolt_server.start()
    assert store.edges("a") == [GraphEdge("a", "to", "b")]
    assert [node.id for node, _ in store.seeds("a", 5)] == ["a"]


@pytest.mark.parametrize("how", ["paused", "killed"])
def test_a_server_that_goes_in_the_middle_of_a_walk(
    open_store, bolt_server, monkeypatch, how
):  # S50
    patient = open_store()
    import_graph(patient, GRAPH)
    store = open_store(schema=patient.schema, timeout=2.0, retry_time=0.2)
    connect(store)
    read, gone = store.connection.read, contextlib.ExitStack()

    def read_until_it_goes(statement, parameters, what):
        if what == "reading nodes":
            gone.enter_context(bolt_server.paused()) if how == "paused" else bolt_server.kill()
        return read(statement, parameters, what)

    monkeypatch.setattr(store.connection, "read", read_until_it_goes)
    kind = RetrievalTimeoutError if how == "paused" else ProviderUnavailableError
    with gone, pytest.raises(kind, match="reading nodes: "):
        GraphRAGStrategy("neo4j", store, (), 2, 0.85, 1024).retrieve("a")


def test_a_connection_lost_between_calls_is_not_noticed(open_store, bolt_server):  # S84
    store = open_store()
    import_graph(store, GRAPH)
    assert store.node("a").content == "first"
    bolt_server.stop()
    bolt_server.start()
    assert store.node("a").content == "first"


def test_what_the_server_refuses_is_an_execution_failure(open_store):  # S50
    store = open_store()
    with pytest.raises(ExecutionError, match="asking: failed: CypherSyntaxError") as raised:
        store.connection.read("NO CYPHER", {}, "asking")
    assert PASSWORD not in everything_told(raised.value)
    assert raised.value.__cause__ is not None


def test_closing_ends_what_waits(open_store, bolt_server):
    store = open_store()
    store.nodes_batch(["a"])
    with bolt_server.paused(), asked_in_a_thread(lambda: store.edges("a")) as raised:
        bolt_server.wait_for_question()
        store.close()
    assert [str(error).partition(": ")[2] for error in raised] == [
        "following edges: the connection was closed meanwhile"
    ]


def test_an_interrupt_ends_the_query(bolt_server):
    code = (
        "import sys\n"
        "from octavo import Neo4jGraphStore, Neo4jSettings\n"
        "store = Neo4jGraphStore(Neo4jSettings(sys.argv[1], 'neo4j', sys.argv[2], timeout=300.0))\n"
        "try:\n"
        "    store.edges('a')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with bolt_server.paused():
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, bolt_server.uri, PASSWORD],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            bolt_server.wait_for_question()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)


def test_a_process_that_never_closes_ends_quietly(bolt_server):
    code = (
        "import sys\n"
        "from octavo import Neo4jGraphStore, Neo4jSettings\n"
        "store = Neo4jGraphStore(Neo4jSettings(sys.argv[1], 'neo4j', sys.argv[2], timeout=120.0))\n"
        "print(store.edges('a'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, bolt_server.uri, PASSWORD],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("[]\n", "", 0)


def test_an_import_that_cannot_go_on_can_be_repeated(open_store, bolt_server):  # S84
    store = open_store(retry_time=0.2)

    class Broken:
        nodes = GRAPH.nodes

        def edges(self, node_id):
            raise OSError("the graph is gone")

    with pytest.raises(OSError, match="the graph is gone"):
        import_graph(store, Broken())
    assert store.edges("a") == []
    assert import_graph(store, GRAPH) == (2, 1, 0)
    assert store.edges("a") == [GraphEdge("a", "to", "b")]


def test_another_server_at_the_address_is_a_failure():  # S50
    pytest.importorskip("neo4j")
    import http.server

    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        settings = Neo4jSettings(f"bolt://127.0.0.1:{server.server_port}", timeout=0.5)
        with (
            Neo4jGraphStore(settings) as store,
            pytest.raises((ProviderUnavailableError, RetrievalTimeoutError)),
        ):
            store.node("a")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_settings_and_schema_are_checked():
    pytest.importorskip("neo4j")
    with pytest.raises(ConfigurationError, match="settings: expected Neo4jSettings, found str"):
        Neo4jGraphStore("bolt://localhost")
    with pytest.raises(ConfigurationError, match="schema: expected Neo4jSchema, found str"):
        Neo4jGraphStore(Neo4jSettings("bolt://localhost"), "Label")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"store": "bolt://localhost"}, "store: expected a Neo4jGraphStore, found str"),
        ({"graph": 5}, "graph: expected a graph that lists its nodes, found int"),
        ({"graph": KnowledgeToolsGraphStore()}, "found KnowledgeToolsGraphStore"),
        ({"batch_size": 0}, "batch_size: expected an integer of at least 1"),
        ({"timeout": 0}, "timeout: expected seconds above 0, found 0"),
        ({"timeout": float("nan")}, "timeout: expected seconds above 0, found nan"),
        ({"timeout": None}, "timeout: expected seconds above 0, found None"),
    ],
)
def test_what_cannot_be_imported(change, message):
    pytest.importorskip("neo4j")
    with Neo4jGraphStore(Neo4jSettings("bolt://localhost")) as store:
        given = {"store": store, "graph": GRAPH, **change}
        with pytest.raises(InvalidArgumentError, match=message):
            import_graph(**given)
