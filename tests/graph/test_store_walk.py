"""An application's graph store is asked little and trusted in nothing (S24, S43)."""

import functools

import pytest

from octavo import ExecutionError, ProviderUnavailableError
from octavo.graph import store_walk
from octavo.graph.bounds import WalkBounds
from octavo.graph.store_walk import StoreWalk
from octavo.spi import GraphNode
from tests.graph.graph_stores import DictStore, edges, nodes


def walk(store, texts=("q",), limit=100, depth=2, decay=0.5, most=100, allowed=()):
    walked = StoreWalk("test", store, WalkBounds(depth, decay, most), allowed).walk(texts, limit)
    ids = walked.nodes.node_ids(walked.hits.rows)
    return list(zip(ids, walked.hits.scores.tolist(), strict=True)), walked.report.counters


def test_each_node_is_asked_for_once_a_batch():
    store = DictStore(nodes("a b c"), edges("a>b b>c c>a"), {"q": [("a", 1.0)], "r": [("b", 1.0)]})
    found, counters = walk(store, ["q", "r", "q"])
    assert [name for name, _ in found] == ["a", "b", "c", "b", "c", "a", "a", "b", "c"]
    asked = [call for call in store.asked if call[0] != "seeds"]
    assert len(asked) == len(set(asked))
    assert counters["nodes found"] == 9
    assert [call for call in store.asked if call[0] == "seeds"] == [
        ("seeds", "q", 100), ("seeds", "r", 100), ("seeds", "q", 100),
    ]  # fmt: skip


def test_no_more_nodes_are_expanded_than_may_be_visited():  # S24
    names = " ".join(f"n{number:03}" for number in range(200))
    everything = [f"n000>n{number:03}" for number in range(1, 200)]
    store = DictStore(nodes(names), edges(" ".join(everything)), {"q": [("n000", 1.0)]})
    found, _ = walk(store, most=5, depth=9)
    assert [name for name, _ in found] == ["n000", "n001", "n002", "n003", "n004"]
    assert sum(call[0] == "edges" for call in store.asked) <= 5
    assert sum(call[0] == "node" for call in store.asked) <= 5


def test_depth_zero_asks_for_no_edges():
    store = DictStore(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})
    assert walk(store, depth=0)[0] == [("a", 1.0)]
    assert store.asked == [("seeds", "q", 100)]


def test_an_edge_to_no_node_leads_nowhere_and_is_counted():
    store = DictStore(nodes("a b"), edges("a>gone gone>b"), {"q": [("a", 1.0)]})
    found, counters = walk(store)
    assert found == [("a", 1.0)]
    assert counters["edges to no node"] == 1


def test_seeds_are_put_in_order_and_cut():
    store = DictStore(nodes("a b c"), [], {"q": [("c", 0.1), ("b", 0.5), ("b", 0.7), ("a", 0.5)]})
    assert walk(store, limit=4)[0] == [("b", 0.7), ("a", 0.5), ("c", 0.1)]

    class More(DictStore):
        def seeds(self, query, limit):
            return super().seeds(query, 100)

    more = More(nodes("a b c"), [], {"q": [("a", 0.1), ("b", 0.5), ("c", 0.3)]})
    assert walk(more, limit=2)[0] == [("b", 0.5), ("c", 0.3)]


def test_nodes_of_other_sources_do_not_crowd_out_the_allowed():  # S24
    ours, theirs = nodes("a", "ours"), nodes("b c d e f", "theirs")
    starts = [(name, 1.0) for name in "bcdef"] + [("a", 0.5)]
    store = DictStore(ours + theirs, edges("a>b b>a"), {"q": starts})
    assert walk(store, limit=1, allowed={"ours"})[0] == [("a", 0.5)]
    assert walk(store, limit=1, allowed={"nobody's"})[0] == []
    assert walk(store, limit=1)[0] == [("b", 1.0), ("a", 0.5)]


def test_a_store_that_ignores_the_limit_and_the_fence_ends_all_the_same():
    class Stubborn(DictStore):
        def seeds(self, query, limit):
            return [(self.nodes["b"], 1.0)] * limit

    store = Stubborn([*nodes("a", "ours"), *nodes("b", "theirs")])
    assert walk(store, limit=2, allowed={"ours"})[0] == []


@pytest.mark.parametrize("call", ["seeds", "edges", "node"])
@pytest.mark.parametrize(
    "error", [OSError("gone"), AttributeError("x"), ProviderUnavailableError("d")]
)
def test_what_a_store_raises(call, error):  # S43
    store = DictStore(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})

    def fail(*arguments):
        raise error

    setattr(store, call, fail)
    if isinstance(error, ProviderUnavailableError):
        with pytest.raises(ProviderUnavailableError, match="^d$"):
            walk(store)
        return
    with pytest.raises(ExecutionError, match=rf"graph store 'test': {call}\(") as raised:
        walk(store)
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("seeds", None), ("seeds", [1]), ("seeds", [("a", 1.0)]), ("seeds", [(None, 1.0)]),
        ("seeds", [(GraphNode("a", "", "s"), float("nan"))]),
        ("seeds", [(GraphNode("a", "", "s"), float("-inf"))]),
        ("seeds", [(GraphNode("a", "", "s"), True)]), ("seeds", [(GraphNode("a", "", "s"), 10**400)]),
        ("seeds", [(GraphNode("\ud800", "", "s"), 1.0)]), ("seeds", [(GraphNode(5, "", "s"), 1.0)]),
        ("edges", None), ("edges", ["b"]), ("edges", [GraphNode("b", "", "s")]),
        ("node", None), ("node", "b"), ("node", GraphNode("c", "", "s")),
        ("node", GraphNode("b", None, "s")), ("node", GraphNode("b", "", "s", None)),
        ("node", GraphNode("b", "", "s", {}, "abc")),
    ],
)  # fmt: skip
def test_what_a_store_must_not_answer(call, answer):  # S43
    store = DictStore(nodes("a b"), edges("a>b"), {"q": [("a", 1.0)]})
    setattr(store, call, lambda *arguments: answer)
    with pytest.raises(ExecutionError, match="graph store 'test'"):
        walk(store)


def test_targets_are_strings():
    store = DictStore(nodes("a"), [], {"q": [("a", 1.0)]})
    store.edges = lambda node_id: [type("Edge", (), {"target": 3})()]
    with pytest.raises(ExecutionError, match="expected targets that are strings"):
        walk(store)


def test_too_many_paths_from_below_zero_are_a_failure(monkeypatch):
    names = [f"n{number}" for number in range(8)]
    complete = edges(" ".join(f"{a}>{b}" for a in names for b in names))
    store = DictStore(nodes(" ".join(names)), complete, {"q": [("n0", -1.0)]})
    bounded = functools.partial(store_walk.best_first, most_paths=1000)
    monkeypatch.setattr(store_walk, "best_first", bounded)
    with pytest.raises(ExecutionError, match="'test': query 0: seeds with scores below zero"):
        walk(store, depth=7)
