"""A graph in memory as a store and as arrays (S24)."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import (
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    ProviderUnavailableError,
)
from octavo.graph.array_graph import GraphArrays
from octavo.graph.csr_graph import CsrGraph
from octavo.graph.fence import Fence
from octavo.spi import GraphEdge, GraphNode, GraphStore
from tests.graph.graph_stores import edges, nodes


def test_it_is_both_kinds_of_store():
    graph = CsrGraph(nodes("a"), [])
    assert isinstance(graph, GraphStore)
    assert isinstance(graph, GraphArrays)


@given(st.lists(st.tuples(st.sampled_from("abcdx"), st.sampled_from("abcdx")), max_size=12))
def test_arrays_say_what_the_edges_say(pairs):
    graph = CsrGraph(nodes("d b a c"), [GraphEdge(a, "to", b) for a, b in pairs])
    for row, name in enumerate("abcd"):
        assert graph.nodes.node(row).id == name
        start, stop = graph.offsets[row : row + 2]
        followed = [graph.nodes.node(target).id for target in graph.targets[start:stop].tolist()]
        assert followed == [edge.target for edge in graph.edges(name) if edge.target != "x"]
        assert [edge.target for edge in graph.edges(name)] == [b for a, b in pairs if a == name]
    assert graph.dangling_edges == sum("x" in pair for pair in pairs)


def test_nodes_are_found_by_id():
    graph = CsrGraph(nodes("a b"), edges("a>b"))
    assert graph.node("b").content == "about b"
    with pytest.raises(KeyError):
        graph.node("c")
    assert graph.edges("c") == ()


def test_ids_are_distinct():
    with pytest.raises(InvalidArgumentError, match=r"nodes: .*'b' more than once"):
        CsrGraph(nodes("a b c b"), [])


def test_nodes_and_edges_are_nodes_and_edges():
    with pytest.raises(InvalidArgumentError, match="node 1: expected a GraphNode, found str"):
        CsrGraph([*nodes("a"), "b"], [])
    with pytest.raises(InvalidArgumentError, match="edge 0: expected a GraphEdge, found tuple"):
        CsrGraph(nodes("a b"), [("a", "to", "b")])


@pytest.mark.parametrize(
    ("node", "field"),
    [
        (GraphNode(5, "", "s"), "id"), (GraphNode("", "", "s"), "id"), (GraphNode(" ", "", "s"), "id"),
        (GraphNode("\ud800", "", "s"), "id"), (GraphNode(None, "", "s"), "id"),
        (GraphNode("b", None, "s"), "content"), (GraphNode("b", "", 5), "source"),
        (GraphNode("b", "", "s", None), "metadata"), (GraphNode("b", "", "s", {1: "x"}), "metadata"),
        (GraphNode("b", "", "s", {"x": []}), "metadata"),
        (GraphNode("b", "", "s", {}, "abc"), "documents"),
        (GraphNode("b", "", "s", {}, None), "documents"),
        (GraphNode("b", "", "s", {}, ("x", 5)), "documents"),
    ],
)  # fmt: skip
def test_fields_of_nodes_have_their_types(node, field):  # S24
    with pytest.raises(InvalidArgumentError, match=f"node 1: {field}: expected"):
        CsrGraph([*nodes("a"), node], [])


def test_ends_of_edges_are_strings():  # S24
    with pytest.raises(InvalidArgumentError, match="edge 0: source: expected a string, found 5"):
        CsrGraph(nodes("a"), [GraphEdge(5, "to", "a")])
    with pytest.raises(InvalidArgumentError, match="edge 0: target: expected a string, found None"):
        CsrGraph(nodes("a"), [GraphEdge("a", "to", None)])


def test_iterators_are_read_once_and_none_is_refused():
    graph = CsrGraph(iter(nodes("a b")), iter(edges("a>b")))
    assert [edge.target for edge in graph.edges("a")] == ["b"]
    assert graph.targets.tolist() == [1]
    with pytest.raises(InvalidArgumentError, match="nodes: expected a sequence of nodes"):
        CsrGraph(None, [])
    with pytest.raises(InvalidArgumentError, match="edges: expected a sequence of edges"):
        CsrGraph([], None)


def test_seeds_are_ranked_by_the_words_of_names_and_contents():  # S21
    graph = CsrGraph(
        [
            GraphNode("AuthService", "signs people in", "wiki"),
            GraphNode("ledger", "money in, money out", "wiki"),
            GraphNode("empty", "", "wiki"),
        ],
        [],
    )
    assert [node.id for node, _ in graph.seeds("auth", 5)] == ["AuthService"]
    assert [node.id for node, _ in graph.seeds("money in", 5)] == ["ledger", "AuthService"]
    assert [node.id for node, _ in graph.seeds("money in", 1)] == ["ledger"]
    assert graph.seeds("", 5) == []
    assert graph.seeds("EMPTY \ud800", 5)[0][0].id == "empty"


def test_seeds_of_a_batch_are_those_of_each_query():  # S5
    graph = CsrGraph(nodes("red green blue"), [])
    texts = ["red", "", "about blue", "green red"]
    hits, _ = graph.rank_seeds(texts, 2)
    for query, text in enumerate(texts):
        start, stop = hits.offsets[query : query + 2]
        ids = graph.nodes.ids(hits.rows[start:stop])
        alone = graph.seeds(text, 2)
        assert ids == [node.id for node, _ in alone]
        assert hits.scores[start:stop].tolist() == [score for _, score in alone]


@pytest.mark.parametrize("function", [None, lambda query, limit: [("a", 1), ("b", 1), ("c", 1)]])
def test_the_fence_holds_before_the_limit(function):
    graph = CsrGraph(
        [GraphNode(name, "same words", f"from {name}") for name in "abc"], [], function
    )
    hits, _ = graph.rank_seeds(["same words"], 1, Fence(np.array([False, False, True])))
    assert graph.nodes.ids(hits.rows) == ["c"]


def test_a_given_function_names_the_seeds():
    asked = []

    def function(query, limit):
        asked.append((query, limit))
        return [("b", np.float32(0.5)), ("a", 2), ("b", 0.75)]

    graph = CsrGraph(nodes("a b"), [], function)
    assert [(node.id, score) for node, score in graph.seeds("query", 7)] == [
        ("a", 2.0),
        ("b", 0.75),
    ]
    assert asked == [("query", 7)]


@pytest.mark.parametrize(
    "answer",
    [
        [("a", float("nan"))], [("a", float("inf"))], [("a", True)], [("a", 10**400)], [("a", "1")], [("a", None)],
        [("z", 1.0)], [(None, 1.0)], [("a",)], None, 3, [([], 1.0)],
    ],
)  # fmt: skip
def test_what_a_function_must_not_answer(answer):  # S43
    graph = CsrGraph(nodes("a"), [], lambda query, limit: answer)
    with pytest.raises(ExecutionError, match="seeds"):
        graph.seeds("query", 5)


def test_what_a_function_raises():  # S43
    def unavailable(query, limit):
        raise ProviderUnavailableError("down")

    def broken(query, limit):
        raise OSError("no disk")

    with pytest.raises(ProviderUnavailableError, match="^down$"):
        CsrGraph(nodes("a"), [], unavailable).seeds("query", 1)
    with pytest.raises(ExecutionError, match="OSError: no disk") as raised:
        CsrGraph(nodes("a"), [], broken).seeds("query", 1)
    assert isinstance(raised.value.__cause__, OSError)


def test_seeds_must_be_a_function():
    with pytest.raises(ConfigurationError, match="seeds: expected a function"):
        CsrGraph([], [], "bm25")


def test_an_empty_graph_knows_nothing():
    graph = CsrGraph([], edges("a>b"))
    assert graph.seeds("anything", 5) == []
    assert graph.dangling_edges == 1
    assert graph.offsets.tolist() == [0]


def test_threads_share_one_graph():
    graph = CsrGraph(nodes("red green blue"), [])
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(graph.seeds("about red", 3))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(each == found[0] for each in found)
