"""Which provider serves a graph (S81, S85), and when those of octavo claim (S83, S84)."""

import itertools
import logging
import subprocess
import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from octavo import (
    ConfigurationError,
    ExecutionError,
    GraphCapabilityError,
    GraphRAGStrategy,
    GraphScope,
    GraphStore,
    GraphStoreProvider,
    ProviderUnavailableError,
    RetrievedDocument,
)
from octavo.graph import providers
from octavo.graph.default_providers import (
    InMemoryGraphStoreProvider,
    KnowledgeToolsGraphStoreProvider,
)
from octavo.graph.neo4j import provider as neo4j_provider
from octavo.graph.neo4j.provider import Neo4jGraphStoreProvider
from octavo.graph.neo4j.settings import Neo4jSettings
from octavo.graph.providers import (
    NamedProvider,
    claiming_provider,
    graph_store_providers,
    open_graph_store,
)
from tests.graph.graph_stores import DictStore

SCOPE = GraphScope("handbook", "graph")
STORE = DictStore()


class Provider:
    def __init__(self, claims=True, is_default=False, store=STORE):
        self.is_default = is_default
        self._claims = claims
        self._store = store

    def claims(self, scope):
        assert isinstance(scope, GraphScope)
        return self._claims

    def open(self, scope):
        return self._store


def named(**given):
    return [NamedProvider(name, provider) for name, provider in given.items()]


@pytest.fixture(autouse=True)
def _no_server(monkeypatch):
    for name in ("URI", "USER", "PASSWORD"):
        monkeypatch.delenv(f"TNSAI_GRAPH_NEO4J_{name}", raising=False)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_claiming_non_default_drops_the_defaults(order):  # S81 S85
    three = named(
        memory=Provider(is_default=True),
        tools=Provider(claims=False, is_default=True),
        own=Provider(),
    )
    assert claiming_provider(SCOPE, [three[place] for place in order]).name == "own"
    assert open_graph_store(SCOPE, [three[place] for place in order]) == ("own", STORE)


def test_a_default_serves_where_no_other_claims():  # S81 S85
    three = named(memory=Provider(is_default=True), own=Provider(claims=False))
    assert open_graph_store(SCOPE, three) == ("memory", STORE)


@pytest.mark.parametrize("with_default", [True, False])
def test_two_non_default_claimants_are_a_configuration_error(with_default):  # S81 S85
    several = named(b=Provider(), a=Provider())
    several += named(memory=Provider(is_default=True)) if with_default else []
    for call in (claiming_provider, open_graph_store):
        with pytest.raises(ConfigurationError, match="the non-default providers 'a', 'b'$"):
            call(SCOPE, several)


def test_order_never_decides_between_defaults_either():  # S81
    with pytest.raises(ConfigurationError, match="the default providers 'a', 'b'$"):
        claiming_provider(SCOPE, named(a=Provider(is_default=True), b=Provider(is_default=True)))


@pytest.mark.parametrize("asked", [[], named(own=Provider(claims=False))])
def test_no_claimant_is_a_capability_error_or_two_streams(asked):  # S81 S85
    assert claiming_provider(SCOPE, asked) is None
    with pytest.raises(GraphCapabilityError, match="role 'handbook': no provider serves it"):
        open_graph_store(SCOPE, asked)


@pytest.mark.parametrize("error", [OSError("gone"), ProviderUnavailableError("down")])
def test_what_a_provider_raises(error):  # S43
    class Broken(Provider):
        def claims(self, scope):
            if self._claims:
                return True
            raise error

        def open(self, scope):
            raise error

    for broken, call in ((Broken(claims=False), "claims"), (Broken(), "open")):
        if isinstance(error, ProviderUnavailableError):
            with pytest.raises(ProviderUnavailableError, match="^down$"):
                open_graph_store(SCOPE, named(x=broken))
        else:
            with pytest.raises(ExecutionError, match=f"provider x: {call} raised OSError: gone"):
                open_graph_store(SCOPE, named(x=broken))


def test_what_is_opened_is_a_store():
    with pytest.raises(ConfigurationError, match="provider x: expected a graph store"):
        open_graph_store(SCOPE, named(x=Provider(store="none")))


def install(monkeypatch, tmp_path, **values):
    (tmp_path / "octavo_test_graphs.py").write_text(
        "class Wiki:\n"
        "    is_default = False\n"
        "    def claims(self, scope): return scope.role == 'wiki'\n"
        "    def open(self, scope): raise LookupError\n"
        "class Named(Wiki):\n"
        "    name = 'my graph'\n"
        "class Strange:\n"
        "    is_default = 'no'\n"
        "    claims = open = lambda self, scope: None\n"
        "class Broken:\n"
        "    def __init__(self): raise OSError('no disk')\n"
        "instance = Wiki()\n"
        "number = 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    group = providers.ENTRY_POINT_GROUP
    points = [
        EntryPoint(name, f"octavo_test_graphs:{value}", group) for name, value in values.items()
    ]
    monkeypatch.setattr("octavo.importing.entry_points", lambda *, group: points if group else [])


def test_installed_providers_are_found(monkeypatch, tmp_path):  # S81
    install(monkeypatch, tmp_path, wiki="instance", other="Named")
    found = [each.name for each in graph_store_providers()]
    assert found == ["in-memory", "knowledge-tools", "neo4j", "my graph", "wiki"]
    assert all(isinstance(each.provider, GraphStoreProvider) for each in graph_store_providers())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("number", r"x \(octavo_test_graphs:number\): expected is_default .* found int"),
        ("Strange", "expected is_default"),
        ("Broken", "creating Broken failed with OSError: no disk"),
        ("missing", "loading failed with AttributeError"),
    ],
)
def test_what_is_no_provider_says_why(monkeypatch, tmp_path, value, message):  # S81
    install(monkeypatch, tmp_path, x=value)
    with pytest.raises(ConfigurationError, match=message):
        graph_store_providers()


def test_a_provider_given_in_code_takes_the_place_of_its_class(monkeypatch, tmp_path):  # S84
    install(monkeypatch, tmp_path)
    own = Neo4jGraphStoreProvider(Neo4jSettings("bolt://ours"))
    found = graph_store_providers([own, Provider()])
    assert [each.name for each in found] == ["neo4j", "Provider", "in-memory", "knowledge-tools"]
    assert found[0].provider is own
    with pytest.raises(ConfigurationError, match="given provider: expected is_default"):
        graph_store_providers([Provider])


def test_files_in_reach_decide_between_the_defaults(monkeypatch):  # S82 S83
    memory, tools = InMemoryGraphStoreProvider(), KnowledgeToolsGraphStoreProvider()
    assert memory.is_default
    assert tools.is_default
    selected = GraphScope("r", file_sources=("handbook",))
    in_reach = GraphScope("r", file_knowledge_in_reach=True)
    assert selected.file_knowledge_in_reach
    assert memory.claims(selected)
    assert not tools.claims(selected)
    # A selection without FILE sources leaves it silent, and the tools stand back all the same.
    assert not memory.claims(in_reach)
    assert not tools.claims(in_reach)


def test_live_tools_are_claimed_and_only_they(monkeypatch):  # S83
    tools, live = KnowledgeToolsGraphStoreProvider(), []
    monkeypatch.delitem(sys.modules, "octavo.graph.knowledge.tools", raising=False)
    assert not tools.claims(SCOPE)
    module = SimpleNamespace(live_knowledge_tools=lambda: list(live))
    monkeypatch.setitem(sys.modules, "octavo.graph.knowledge.tools", module)
    assert not tools.claims(SCOPE)
    live.append(object())
    assert tools.claims(SCOPE)
    assert not tools.claims(GraphScope("r", file_knowledge_in_reach=True))


def test_a_graph_of_documents_is_made_when_it_is_asked():  # S82 S85
    pytest.importorskip("octavo.graph.in_memory_graph_store")
    loaded = []

    def documents():
        loaded.append(True)
        return [
            RetrievedDocument("The Auth Service writes to Redis.", "a.md", 0.0, {"entryId": "1"})
        ]

    scope = GraphScope("r", file_sources=("handbook",), documents=documents)
    name, store = open_graph_store(scope)
    assert name == "in-memory"
    assert not loaded
    (hit, *_) = GraphRAGStrategy(name, store, (), 2, 0.85, 1024).retrieve("redis")
    assert hit.source == "in-memory"
    assert loaded == [True]


def test_the_triples_of_live_tools_are_served():  # S83
    tools = pytest.importorskip("octavo.graph.knowledge.tools").KnowledgeTools()
    name, store = open_graph_store(SCOPE)
    assert name == "knowledge-tools"
    tools.kg_add_triple("Auth Service", "writes to", "Redis")  # after the store was opened
    (hit, *_) = GraphRAGStrategy(name, store, (), 2, 0.85, 1024).retrieve("auth service")
    assert hit.source == "knowledge-tools"


def test_neo4j_is_silent_without_an_address(monkeypatch, caplog):  # S84
    caplog.set_level(logging.DEBUG)
    provider = Neo4jGraphStoreProvider()
    assert not provider.claims(SCOPE)
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_URI", "  ")
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_PASSWORD", "x")
    assert not provider.claims(SCOPE)
    assert caplog.records == []
    with pytest.raises(ProviderUnavailableError, match="no URI is set"):
        provider.open(SCOPE)


@pytest.mark.parametrize("where", ["environment", "code"])
def test_neo4j_claims_where_it_is_configured(monkeypatch, caplog, where):  # S84 S85
    monkeypatch.setattr(neo4j_provider, "driver_is_installed", lambda: True)
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_URI", "bolt://from-the-environment")
    settings = Neo4jSettings("bolt://from-code") if where == "code" else None
    provider = Neo4jGraphStoreProvider(settings)
    assert not provider.is_default
    files = GraphScope("r", file_sources=("handbook",))
    own = graph_store_providers([provider])
    assert [claiming_provider(scope, own).name for scope in (SCOPE, files)] == ["neo4j"] * 2
    assert caplog.records == []


def test_neo4j_without_its_driver_warns_and_stands_back(monkeypatch, caplog):  # S84
    monkeypatch.setattr(neo4j_provider, "driver_is_installed", lambda: False)
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_URI", "bolt://somewhere")
    files = GraphScope("r", file_sources=("handbook",))
    assert claiming_provider(files).name == "in-memory"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "is set (TNSAI_GRAPH_NEO4J_URI), but the driver is not inst" in record.getMessage()
    assert "octavo[neo4j]" in record.getMessage()


def test_without_the_package():  # S84
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'neo4j': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import octavo\n"
        "files = octavo.GraphScope('r', file_sources=('handbook',))\n"
        "print(octavo.claiming_provider(files).name)\n"
        "settings = octavo.Neo4jSettings('bolt://localhost', 'u', 'secret')\n"
        "print(octavo.Neo4jGraphStoreProvider(settings).claims(files))\n"
        "try:\n"
        "    octavo.Neo4jGraphStore(settings)\n"
        "except octavo.ProviderUnavailableError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60, check=False,
        env={"PYTHONPATH": ":".join(sys.path), "TNSAI_GRAPH_NEO4J_URI": "bolt://localhost"},
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "in-memory",
        "False",
        "neo4j: the driver is not installed; install it with `pip install 'octavo[neo4j]'`",
    ], done.stderr
    assert done.stderr.count("but the driver is not installed, so Neo4j serves no graph") == 2
    assert "secret" not in done.stdout + done.stderr


def test_a_store_of_neo4j_connects_only_when_asked(monkeypatch):  # S84
    pytest.importorskip("neo4j")
    monkeypatch.setenv("TNSAI_GRAPH_NEO4J_URI", "bolt://localhost:1")
    name, store = open_graph_store(SCOPE)
    assert name == "neo4j"
    assert isinstance(store, GraphStore)
    assert store.settings == Neo4jSettings("bolt://localhost:1")
    store.close()
