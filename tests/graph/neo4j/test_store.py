"""The Neo4j store over a real server (S84): what it finds is what the graph says."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

from octavo import (
    CsrGraph,
    ExecutionError,
    GraphCapabilityError,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    RAGContext,
)
from octavo.graph.identity import identity_key
from octavo.graph.neo4j.importing import fold_names, import_graph
from octavo.graph.neo4j.schema import Neo4jSchema
from octavo.testing import GraphStoreContract

pytestmark = pytest.mark.neo4j

HOSTILE = [
    "O'Brien",
    'say "hi"',
    "back`tick",
    "`) DETACH DELETE n //",
    "x'}) MATCH (n) DETACH DELETE n RETURN ('",
    "\\u0060 escaped",
    "$ids",
    "{braces}",
    "new\nline",
    "null\0byte",
    "Straße",
    "İstanbul",
    "東京",
    "🦊 fox",
    " ",
    "a" * 5000,
]


def small_graph():
    nodes = [
        GraphNode("Auth Service", "checks passwords", "wiki", {"tier": "A"}, ("d1", "d2")),
        GraphNode("the auth service", "a page of the same name", "wiki"),
        GraphNode("User Table", "who may come in", "code", {"id": "7", "": "x", "key": "k"}),
        GraphNode("Redis", "", "code"),
        GraphNode("alone", "no edge", "wiki"),
    ]
    edges = [
        GraphEdge("Auth Service", "reads", "User Table", 2.0),
        GraphEdge("Auth Service", "reads", "User Table", 0.5),
        GraphEdge("Auth Service", "reads", "User Table", 0.5),
        GraphEdge("Auth Service", "caches in", "Redis"),
        GraphEdge("Auth Service", "calls", "Auth Service"),
        GraphEdge("User Table", "is read by", "Auth Service"),
        GraphEdge("Redis", "feeds", "User Table"),
        GraphEdge("Redis", "fed", "nobody"),
    ]
    return nodes, edges


def folded_seeds(nodes):
    """The rule of folded names, as plainly as can be said."""

    def seeds(query, limit):
        words = identity_key(query).split()
        found = []
        for node in nodes:
            name = identity_key(node.id).split()
            places = range(len(words) - len(name) + 1)
            if name and any(words[place : place + len(name)] == name for place in places):
                found.append((node.id, len(name) / len(words)))
        return sorted(found, key=lambda seed: (-seed[1], seed[0]))[:limit]

    return seeds


class TestContract(GraphStoreContract):  # S24 S84
    @pytest.fixture(autouse=True)
    def _filled(self, open_store):
        self._store = open_store()
        import_graph(self._store, CsrGraph(*small_graph()))

    def store(self):
        return self._store

    def queries(self):
        return ["what does the auth service read", "redis and the user table", "", "nothing here"]


class TestFullTextContract(TestContract):  # S24 S84
    @pytest.fixture(autouse=True)
    def _indexed(self, _filled, bolt_server):
        add_full_text(bolt_server, self._store)


def add_full_text(server, store):
    label, index = store.schema.label, store.schema.full_text_index
    for name in ("id", "content"):
        server.sql(f"CREATE PROPERTY {label}.{name} IF NOT EXISTS STRING")
    server.sql(f"CREATE INDEX `{index}` ON {label} (id, content) FULL_TEXT")


def test_an_import_comes_back_as_it_was(open_store):  # S84
    store, (nodes, edges) = open_store(), small_graph()
    for _ in range(2):  # and again without a change
        assert import_graph(store, CsrGraph(nodes, edges), batch_size=2) == (5, 7, 1)
        assert store.nodes_batch([node.id for node in nodes]) == nodes
        expected = sorted(edges[:5], key=lambda edge: (edge.relation, edge.target, edge.weight))
        assert store.edges("Auth Service") == expected
        assert store.edges("Redis") == edges[6:7]
        assert store.edges("alone") == store.edges("nobody") == store.edges("\ud800") == []


def test_an_import_adds_and_updates(open_store):  # S84
    store = open_store()
    import_graph(store, CsrGraph([GraphNode("a", "old", "s", {"kept": "1"})], []))
    changed = [GraphNode("a", "new", "s", {"more": "2"}), GraphNode("b", "", "s")]
    import_graph(store, CsrGraph(changed, [GraphEdge("a", "to", "b", 3.0)]))
    assert store.node("a") == GraphNode("a", "new", "s", {"kept": "1", "more": "2"})
    import_graph(store, CsrGraph(changed, [GraphEdge("a", "to", "b", 4.0)]))
    assert store.edges("a") == [GraphEdge("a", "to", "b", 4.0)]


def test_hostile_names_are_only_names(open_store):  # S84
    store, bystander = open_store(), open_store()
    import_graph(bystander, CsrGraph([GraphNode("here", "still", "s")], []))
    names = [name for name in HOSTILE if name.strip()]
    nodes = [GraphNode(name, name, name, {name: name}, (name,)) for name in names]
    edges = [GraphEdge(name, name, names[0]) for name in names]
    import_graph(store, CsrGraph(nodes, edges))
    assert store.nodes_batch(names) == nodes
    assert store.edges_batch(names) == [[edge] for edge in edges]
    for query in HOSTILE:
        found = [node.id for node, _ in store.seeds(query, 5)]
        assert (query in found) == bool(identity_key(query)), query
    assert bystander.node("here").content == "still"


def test_hostile_queries_of_a_full_text_index(open_store, bolt_server):  # S21 S84
    store = open_store()
    nodes = [GraphNode(name, "fox", "s") for name in HOSTILE if name.strip()]
    import_graph(store, CsrGraph(nodes, []))
    add_full_text(bolt_server, store)
    operators = ["AND", "NOT fox", "fox AND (", 'title:"fox', "fo*", "/fox/", "[a TO b]", "fox~ ^"]
    for query in [*HOSTILE, *operators, "\ud800", "word " * 5000, "x" * 100_000]:
        store.seeds(query, 3)
    assert {len(store.seeds(query, 3)) for query in ("fox AND (", "NOT fox", "/fox/")} == {3}


@pytest.mark.parametrize("label", ["it's `quoted`", "Node) DETACH DELETE (n", "東京 🦊", "a-b.c"])
def test_labels_and_properties_may_be_any_printable_name(open_store, label):  # S84
    schema = Neo4jSchema(
        label=label, id="i`d", content="con tent", source="so'urce", documents='do"cs',
        key="k(e)y", written_relationship="RE`L", relation="re-lation", weight="w`",
        full_text_index=None,
    )  # fmt: skip
    store, (nodes, edges) = open_store(schema=schema), small_graph()
    import_graph(store, CsrGraph(nodes, edges))
    assert store.nodes_batch([node.id for node in nodes]) == nodes
    assert len(store.edges("Auth Service")) == 5
    assert [node.id for node, _ in store.seeds("redis", 5)] == ["Redis"]
    chosen = open_store(schema=Neo4jSchema(label, "i`d", content="con tent", metadata=["tier"]))
    assert chosen.node("Auth Service").metadata == {"tier": "A"}


def test_seeds_by_folded_name(open_store):  # S82 S84
    store, (nodes, edges) = open_store(), small_graph()
    import_graph(store, CsrGraph(nodes, edges))
    found = store.seeds("The AUTH-service!", 10)
    assert [(node.id, score) for node, score in found] == [
        ("Auth Service", 1.0), ("the auth service", 1.0),
    ]  # fmt: skip
    queries = ["redis or the user table", "", "Auth Service", "servic", "redis redis"]
    expected = [folded_seeds(nodes)(query, 9) for query in queries]
    answers = store.seeds_batch(queries, 9)
    assert [[(node.id, score) for node, score in seeds] for seeds in answers] == expected


def test_seeds_by_full_text(open_store, bolt_server):  # S84
    store, (nodes, edges) = open_store(), small_graph()
    import_graph(store, CsrGraph(nodes, edges))
    add_full_text(bolt_server, store)
    # Only the index looks into contents.
    assert [node.id for node, _ in store.seeds("who checks PASSWORDS?", 5)][:1] == ["Auth Service"]
    with_other_label = open_store(schema=Neo4jSchema("Other", full_text_index="octavo_nodes"))
    assert with_other_label.seeds("passwords", 5) == []


def test_the_way_to_seeds_is_found_once(open_store, bolt_server):  # S84
    store = open_store()
    import_graph(store, CsrGraph(*small_graph()))
    assert store.seeds("passwords", 5) == []
    add_full_text(bolt_server, store)
    assert store.seeds("passwords", 5) == []
    again = open_store(schema=store.schema)
    assert [node.id for node, _ in again.seeds("passwords", 5)] == ["Auth Service"]


def test_a_graph_of_others_is_served_by_its_names(open_store):  # S84
    label = "Service"
    schema = Neo4jSchema(label, "name", content="text", full_text_index=None, default_source="ops")
    store = open_store(schema=schema)
    create = (
        "CREATE (a:Service {name: 'Auth Service', port: 80, up: true, load: 0.5, "
        "vector: [1.0, 2.0], since: date('2024-02-29')}) "
        "CREATE (b:Service {name: 'Billing', text: 'sends bills', source: 'wiki'}) "
        "CREATE (c:Service {port: 1}) CREATE (d:Service {name: 5}) CREATE (e:Person {name: 'Ann'}) "
        "CREATE (a)-[:CALLS {weight: 3}]->(b) CREATE (a)-[:CALLS]->(c) CREATE (a)-[:CALLS]->(d) "
        "CREATE (a)-[:OWNED_BY]->(e) CREATE (b)-[:PAYS]->(a)"
    )
    store.connection.write(create, {}, "writing", 30.0)
    with pytest.raises(GraphCapabilityError, match="neither a full-text index None nor a node"):
        store.seeds("auth", 5)
    assert fold_names(store, batch_size=1) == 2
    assert [node.id for node, _ in store.seeds("is the auth service up", 5)] == ["Auth Service"]
    assert store.node("Auth Service") == GraphNode(
        "Auth Service", "Auth Service", "ops",
        {"port": "80", "up": "true", "load": "0.5", "since": "2024-02-29"},
    )  # fmt: skip
    assert store.edges("Auth Service") == [GraphEdge("Auth Service", "CALLS", "Billing", 3.0)]
    only = open_store(schema=Neo4jSchema(label, "name", relationships=["PAYS"]))
    assert only.edges_batch(["Auth Service", "Billing"]) == [
        [], [GraphEdge("Billing", "PAYS", "Auth Service")],
    ]  # fmt: skip


def test_an_empty_graph_has_no_seeds(open_store):
    store = open_store()
    assert store.seeds("anything", 5) == []
    assert store.nodes_batch(["a"]) == [None]
    assert GraphRAGStrategy("neo4j", store, (), 2, 0.85, 1024).retrieve("anything") == ()
    import_graph(store, CsrGraph(*small_graph()))
    assert len(store.seeds("redis", 5)) == 1
    assert store.seeds("redis", 0) == []


def random_graph(count, degree):
    random = np.random.default_rng(7)
    nodes = [GraphNode(f"node {n}", f"text {n}", "odd" if n % 2 else "even") for n in range(count)]
    ends = random.integers(0, count, (count * degree, 2)).tolist()
    return nodes, [GraphEdge(f"node {a}", f"r{a % 3}", f"node {b}") for a, b in ends]


@pytest.mark.parametrize("allowed", [(), {"odd"}])
def test_retrieval_equals_the_same_graph_in_arrays(open_store, allowed):  # S24 S84
    store, (nodes, edges) = open_store(), random_graph(60, 3)
    import_graph(store, CsrGraph(nodes, edges))
    arrays = CsrGraph(nodes, edges, folded_seeds(nodes))
    queries = ["node 1", "node 5 and node 8", "node 13 node 21 node 34 node 55", "nothing", ""]
    for depth, most in ((0, 100), (1, 7), (2, 1024), (4, 30)):
        context = RAGContext(max_results=100)
        found, expected = (
            GraphRAGStrategy("neo4j", graph, allowed, depth, 0.85, most).retrieve_batch(
                queries, context
            )
            for graph in (store, arrays)
        )
        assert [list(each) for each in found] == [list(each) for each in expected]
        assert any(len(each) > 1 for each in found)


def test_a_level_is_one_query(open_store, monkeypatch):  # S84
    store, graph = open_store(), random_graph(60, 3)
    import_graph(store, CsrGraph(*graph))
    strategy = GraphRAGStrategy("neo4j", store, (), 2, 0.85, 1024)
    strategy.retrieve("node 1")
    asked, read = [], store.connection.read
    monkeypatch.setattr(
        store.connection, "read", lambda *given: (asked.append(given[2]), read(*given))[1]
    )
    strategy.retrieve_batch([f"node {number}" for number in range(20)])
    assert asked == [
        "finding seeds", "following edges", "reading nodes", "following edges", "reading nodes",
    ]  # fmt: skip


def test_a_statement_asks_for_a_bounded_number_of_names(open_store, monkeypatch):  # S84
    store, queries = open_store(), ["redis", "Auth Service and user table", "", "redis"] * 3
    import_graph(store, CsrGraph(*small_graph()))
    expected = store.seeds_batch(queries, 3)
    asked, read = [], store.connection.read
    monkeypatch.setattr("octavo.graph.neo4j.store._CANDIDATES", 20)
    monkeypatch.setattr(
        store.connection, "read", lambda *given: (asked.append(given[1]), read(*given))[1]
    )
    assert store.seeds_batch(queries, 3) == expected
    sizes = [[max(3, len(query["keys"])) for query in each["queries"]] for each in asked]
    assert len(sizes) > 1
    assert sum(map(len, sizes)) == 9
    assert all(sum(each) <= 20 for each in sizes)


def test_sessions_are_read_only_and_statements_have_no_values(open_store, monkeypatch):  # S84
    import neo4j

    accesses, statements = [], []
    session, run = neo4j.AsyncDriver.session, neo4j.AsyncManagedTransaction.run

    def noting_session(driver, **settings):
        accesses.append(settings["default_access_mode"])
        return session(driver, **settings)

    async def noting_run(transaction, statement, parameters=None, **more):
        statements.append(statement)
        return await run(transaction, statement, parameters, **more)

    store = open_store()
    import_graph(store, CsrGraph(*small_graph()))
    monkeypatch.setattr(neo4j.AsyncDriver, "session", noting_session)
    monkeypatch.setattr(neo4j.AsyncManagedTransaction, "run", noting_run)
    for name in ("Auth Service", "User Table"):
        store.seeds(name, 5), store.edges(name), store.node(name)
    assert set(accesses) == {neo4j.READ_ACCESS}
    assert statements
    assert not [text for text in statements if "Auth" in text or "User" in text]


def test_threads_share_a_store(open_store):  # S6
    store, (nodes, edges) = open_store(pool_size=3), random_graph(60, 3)
    import_graph(store, CsrGraph(nodes, edges))
    expected = store.edges_batch([node.id for node in nodes])
    found = [None] * 8

    def ask(number):
        found[number] = [store.edges(node.id) for node in nodes]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_a_forked_child_connects_anew(open_store):
    store = open_store()
    import_graph(store, CsrGraph(*small_graph()))
    expected = store.edges("Redis")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if store.edges("Redis") == expected else 2
            store.close()
        finally:
            os._exit(code)
    end = time.monotonic() + 120
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    assert ended == (child, 0)
    assert store.edges("Redis") == expected


def test_a_closed_store_says_so(open_store):
    before = set(threading.enumerate())
    with open_store() as store:
        assert store.nodes_batch(["a"]) == [None]
        own = set(threading.enumerate()) - before
    assert own
    assert not any(thread.is_alive() for thread in own)
    store.close()
    with pytest.raises(ExecutionError, match="the connection is closed"):
        store.edges("a")


@pytest.mark.slow
def test_a_node_with_very_many_edges(open_store):  # S24
    store, count = open_store(timeout=300.0), 100_000
    for statement in store.statements.constraints:
        store.connection.write(statement, {}, "indexing", 300.0)
    label, step = store.schema.label, 20_000
    for start in range(0, count + 1, step):
        store.connection.write(
            f"UNWIND range($start, $last) AS i CREATE (:{label} {{id: 'n' + toString(100000 + i), "
            "key: 'n' + toString(100000 + i)})",
            {"start": start, "last": min(start + step - 1, count)}, "filling", 300.0,
        )  # fmt: skip
    for start in range(1, count + 1, step):
        store.connection.write(
            f"MATCH (h:{label} {{id: 'n100000'}}) UNWIND range($start, $last) AS i "
            f"MATCH (m:{label} {{id: 'n' + toString(100000 + i)}}) CREATE (h)-[:TO]->(m)",
            {"start": start, "last": min(start + step - 1, count)}, "linking", 300.0,
        )  # fmt: skip
    strategy = GraphRAGStrategy("neo4j", store, (), 2, 0.5, 1024)
    found = strategy.retrieve("n100000", RAGContext(max_results=5000))
    assert len(found) == 1024
    assert [hit.metadata["entryId"] for hit in found[:3]] == ["n100000", "n100001", "n100002"]
    assert [hit.score for hit in found[:2]] == [1.0, 0.5]
