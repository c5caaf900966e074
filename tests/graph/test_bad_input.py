"""Graphs and stores that nobody wished for, through the strategy, over every kind of store.

What only a database can do wrong is in ``neo4j/test_faults.py`` and ``neo4j/test_store.py``.
"""

import threading

import numpy as np
import pytest

from octavo import (
    CancellationToken,
    CancelledError,
    ExecutionError,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    MultiQueryRAGStrategy,
    QueryExpansion,
    RAGContext,
    RetrievalTimeoutError,
    RetrievedDocument,
)
from octavo.graph.csr_graph import CsrGraph
from octavo.graph.in_memory_graph_store import InMemoryGraphStore
from octavo.graph.knowledge.store import KnowledgeToolsGraphStore
from octavo.graph.knowledge.tools import KnowledgeTools
from tests.graph.graph_stores import BatchStore, DictStore, OnlyProtocol, edges, nodes

LIMIT = RAGContext(max_results=5000)


def csr(every, between, seeds):
    found = {node.id: node for node in every}
    starts = {query: [(found[name].id, score) for name, score in at] for query, at in seeds.items()}
    return CsrGraph(every, between, lambda query, limit: starts.get(query, []))


KINDS = [
    pytest.param(csr, id="arrays"),
    pytest.param(DictStore, id="protocol"),
    pytest.param(BatchStore, id="batch"),
    pytest.param(lambda *given: OnlyProtocol(csr(*given)), id="only-protocol"),
]


def walked(store, query="q", *, sources=(), depth=3, decay=0.5, most=1024):
    strategy = GraphRAGStrategy("p", store, sources, depth, decay, most)
    return {hit.metadata["entryId"]: hit.score for hit in strategy.retrieve(query, LIMIT)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("a>a", {"a": 1.0}),
        ("a>a a>a a>b b>b", {"a": 1.0, "b": 0.5}),
        ("a>b a>b a>b b>c b>c", {"a": 1.0, "b": 0.5, "c": 0.25}),
        ("a>b b>a", {"a": 1.0, "b": 0.5}),
        ("a>b b>c c>a c>b", {"a": 1.0, "b": 0.5, "c": 0.25}),
        ("b>c d>e", {"a": 1.0}),
        ("a>b d>e", {"a": 1.0, "b": 0.5}),
        ("a>gone a>b gone>c b>lost", {"a": 1.0, "b": 0.5}),
    ],
    ids=[
        "self-loop", "self-loops", "parallel", "cycle-of-two", "cycles", "alone", "two-parts",
        "dangling",
    ],
)  # fmt: skip
def test_shapes_of_graphs(kind, between, expected):  # S24
    assert walked(kind(nodes("a b c d e"), edges(between), {"q": [("a", 1.0)]})) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_without_nodes_or_edges(kind):  # S24
    assert walked(kind([], [], {})) == {}
    assert walked(kind(nodes("a b"), [], {"q": [("b", 0.5), ("a", 1.0)]})) == {"a": 1.0, "b": 0.5}


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_at_their_ends(kind):  # S24 S29
    store = kind(nodes("a b c"), edges("a>b b>c"), {"q": [("a", 0.8), ("c", 0.1)]})
    assert walked(store, depth=0) == {"a": 0.8, "c": 0.1}
    assert walked(store, decay=0.0) == {"a": 0.8, "b": 0.0, "c": 0.1}
    assert walked(store, decay=1.0) == {"a": 0.8, "b": 0.8, "c": 0.8}
    assert walked(store, most=1) == {"a": 0.8}
    assert walked(store, depth=1_000_000) == {"a": 0.8, "b": 0.4, "c": 0.2}


@pytest.mark.parametrize("kind", KINDS)
def test_a_fence_that_excludes_all(kind):  # S24
    store = kind(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})
    assert walked(store, sources={"elsewhere"}) == {}
    assert walked(store, sources={"elsewhere", "wiki"}) == {"a": 1.0, "b": 0.5}


@pytest.mark.slow
def test_a_node_with_a_million_edges():  # S24
    count = 1_000_000
    leaves = [f"n{number:07d}" for number in range(count)]
    every = [GraphNode("hub", "hub", "s"), *(GraphNode(leaf, leaf, "s") for leaf in leaves[:5000])]
    between = [GraphEdge("hub", "to", leaves[number % 5000]) for number in range(count)]
    graph = CsrGraph(every, between, lambda query, limit: [("hub", 1.0)])
    expected = {"hub": 1.0} | dict.fromkeys(leaves[:1023], 0.5)
    assert walked(graph) == walked(OnlyProtocol(graph)) == expected


NAMES = {
    "Turkish": ("İstanbul Köprüsü", "İSTANBUL KÖPRÜSÜ"),
    "German": ("Die Maß-Übergröße", "die maß übergröße"),
    "Greek": ("Ελληνική Δημοκρατία", "ΕΛΛΗΝΙΚΉ ΔΗΜΟΚΡΑΤΊΑ"),
    "Chinese": ("东京大学图书馆", "东京大学图书馆"),
    "Japanese": ("トウキョウ", "ﾄｳｷｮｳ"),
    "Korean": ("서울특별시", "서울특별시"),
}


@pytest.mark.parametrize(("name", "again"), NAMES.values(), ids=NAMES)
def test_names_of_any_script_are_one_node(name, again):  # S82
    documents = [
        RetrievedDocument(f"Read “{name}” beside `redis_cache`.", "a.md", 0.0, {"entryId": "1"}),
        RetrievedDocument(f"Again “{again}” beside `sql_store`.", "b.md", 0.0, {"entryId": "2"}),
    ]
    store = InMemoryGraphStore(documents)
    key = store.identity_key(name)
    assert key == store.identity_key(again)
    assert store.node(key).documents == ("1", "2")
    assert [node.id for node, _ in store.seeds(name, 3)][:1] == [key]
    assert {"redis cache", "sql store"} <= set(walked(store, again, depth=1))


def test_names_that_fold_to_one_identity():  # S82
    texts = ["See “Auth Service”.", "See “the AUTH-service”!", "See “auth  service”?"]
    store = InMemoryGraphStore(
        RetrievedDocument(text, f"{number}.md", 0.0, {"entryId": str(number)})
        for number, text in enumerate(texts)
    )
    assert store.node("auth service").documents == ("0", "1", "2")
    assert "the auth service" not in walked(store, "auth service")


class FailingStore(DictStore):
    """Fails when it is asked for the edges of ``b``, which is one hop away."""

    def __init__(self, error):
        super().__init__(nodes("a b c"), edges("a>b b>c"), {"q": [("a", 1.0)]})
        self.error = error

    def edges(self, node_id):
        if node_id == "b":
            raise self.error
        return super().edges(node_id)


def test_a_store_that_raises_in_the_middle_of_a_walk():  # S43
    with pytest.raises(ExecutionError, match=r"graph store 'p': edges\('b'\) raised OSError: gone"):
        walked(FailingStore(OSError("gone")))
    for error in (RetrievalTimeoutError("late"), CancelledError("stop"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as raised:
            walked(FailingStore(error))
        assert raised.value is error
    strategy = GraphRAGStrategy("p", store := FailingStore(OSError("gone")), (), 3, 0.5, 10)
    with pytest.raises(ExecutionError):
        strategy.retrieve("q")
    store.error, store.edges = None, lambda node_id: DictStore.edges(store, node_id)
    assert len(strategy.retrieve("q")) == 3  # nothing of the failure is kept


@pytest.mark.parametrize("base", [DictStore, BatchStore])
def test_a_store_that_blocks_in_the_middle_of_a_walk_holds_up_no_other(base):  # S6
    reached, go_on = threading.Event(), threading.Event()

    class Blocking(base):
        def edges(self, node_id):
            if node_id == "b":
                reached.set()
                assert go_on.wait(60)
            return super().edges(node_id)

    store = Blocking(nodes("a b c"), edges("a>b b>c"), {"q": [("a", 1.0)], "other": [("c", 1.0)]})
    strategy = GraphRAGStrategy("p", store, (), 3, 0.5, 10)
    found = []
    blocked = threading.Thread(target=lambda: found.extend(strategy.retrieve("q")))
    blocked.start()
    try:
        assert reached.wait(60)
        assert [hit.metadata["entryId"] for hit in strategy.retrieve("other")] == ["c"]
    finally:
        go_on.set()
        blocked.join(60)
    assert [hit.metadata["entryId"] for hit in found] == ["a", "b", "c"]


@pytest.mark.parametrize("base", [DictStore, BatchStore])
def test_a_walk_that_is_cancelled_asks_no_more(base):  # S25 S50
    token = CancellationToken()

    class Cancelling(base):
        def edges(self, node_id):
            if node_id == "b":
                token.cancel()
            return super().edges(node_id)

    store = Cancelling(nodes("a b c d"), edges("a>b b>c c>d"), {"q": [("a", 1.0)]})
    strategy = MultiQueryRAGStrategy(
        GraphRAGStrategy("p", store, (), 9, 0.5, 10),
        lambda *given: [], QueryExpansion.MULTI_QUERY, "m", 1, token,
    )  # fmt: skip
    with pytest.raises(CancelledError):
        strategy.retrieve("q")
    assert ("edges", "b") in store.asked
    assert not {("node", "c"), ("edges", "c"), ("edges", "d")} & set(store.asked)


def test_what_an_agent_remembers_may_have_any_shape():  # S24 S83
    tools = KnowledgeTools()
    store = KnowledgeToolsGraphStore(lambda: [tools])
    assert walked(store, "anything") == {}
    for subject, predicate, obj in [
        ("Auth", "is", "Auth"), ("Auth", "calls", "Redis"), ("Auth", "reads", "Redis"),
        ("Redis", "feeds", "Auth"), ("Straße", "liegt in", "İstanbul"), ("東京", "は", "京都"),
    ]:  # fmt: skip
        assert tools.kg_add_triple(subject, predicate, obj)
    assert walked(store, "auth", depth=0) == {"Auth": 1.0, "Redis": 0.5}
    assert walked(store, "auth", sources={"elsewhere"}) == {}
    assert walked(store, "東京") == {}
    assert walked(store, "liegt", depth=1, decay=1.0) == {"Straße": 0.5, "İstanbul": 0.5}


@pytest.mark.slow
def test_much_on_one_line_ends_in_time():  # S82
    """A megabyte of names in one sentence: linear, so it ends, and so is the number of edges."""
    line = ", ".join(f"Word{number} Name" for number in range(65_000))
    assert len(line) > 1_000_000
    store = InMemoryGraphStore([RetrievedDocument(line, "a.md", 0.0, {"entryId": "1"})])
    assert store.nodes.rows > 65_000
    assert np.diff(store.offsets).max() <= 64 + 1
