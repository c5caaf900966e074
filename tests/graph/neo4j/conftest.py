"""One server for all tests of graph stores in databases."""

import importlib.util
import itertools

import pytest

from octavo.graph.neo4j.schema import Neo4jSchema
from octavo.graph.neo4j.settings import Neo4jSettings
from octavo.graph.neo4j.store import Neo4jGraphStore
from tests.graph.neo4j.bolt_server import DATABASE, PASSWORD, USER, BoltServer, ServerMissingError

_numbers = itertools.count()


@pytest.fixture(scope="session")
def _bolt_server(tmp_path_factory):
    if importlib.util.find_spec("neo4j") is None:
        pytest.skip("the driver is not here: pip install 'octavo[neo4j]'")
    try:
        server = BoltServer(tmp_path_factory.mktemp("bolt"))
    except ServerMissingError as error:
        pytest.skip(str(error))
    yield server
    server.stop()


@pytest.fixture
def bolt_server(_bolt_server):
    """A server that runs, also where one before it was stopped or crashed."""
    _bolt_server.start()
    return _bolt_server


@pytest.fixture
def open_store(bolt_server):
    """Open stores over nodes of their own; all are closed in the end."""
    opened = []

    def make(label=None, schema=None, **settings):
        # The full-text index of one test is none of another's.
        label = label or f"Test{next(_numbers)}"
        schema = schema or Neo4jSchema(label=label, full_text_index=f"index of {label}")
        values = {"user": USER, "password": PASSWORD, "database": DATABASE}
        values |= {"timeout": 120.0, "connect_timeout": 60.0, **settings}  # a busy machine is slow
        opened.append(Neo4jGraphStore(Neo4jSettings(bolt_server.uri, **values), schema))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
