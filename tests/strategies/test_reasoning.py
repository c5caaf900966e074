"""Reasoning retrieval: bounds, fences, filters and reasons (S9, S10, S28, S29)."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import (
    ConfigurationError,
    Corpus,
    ExecutionError,
    InvalidArgumentError,
    ProviderUnavailableError,
    RAGContext,
    RetrievedDocument,
)
from octavo.spi import NodeView
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.queries import Queries
from octavo.strategies.reasoning import ReasoningRAGStrategy

PARENTS = {
    "a": None, "a1": "a", "a2": "a", "a11": "a1", "a12": "a1", "a111": "a11", "a1111": "a111",
    "b": None, "b1": "b", "b2": "b", "c": None,
}  # fmt: skip


def tree(parents=PARENTS, sources=None, **metadata):
    return HierarchyIndex(
        [
            RetrievedDocument(
                f"text of {name}",
                (sources or {}).get(name, "guide.md"),
                0.0,
                {
                    "hierarchy.id": name,
                    **({"hierarchy.parentId": parent} if parent else {}),
                    **{key: value(name) for key, value in metadata.items()},
                },
            )
            for name, parent in parents.items()
        ]
    )


def first(query, node, children, model):
    return children[0].id


def last(query, node, children, model):
    return children[-1].id


def stay(query, node, children, model):
    return None


def landed(strategy, context=None):
    table = strategy.retrieve_batch(["query"], context or RAGContext(100))
    assert table.column_names == ["query_id", "rank", "id", "score", "stop_reason"]
    assert set(table["score"].to_pylist()) <= {1.0}
    return list(zip(table["id"].to_pylist(), table["stop_reason"].to_pylist(), strict=True))


@pytest.mark.parametrize(("navigator", "bounds", "expected"), [
    (first, {}, [("a1111", "leaf"), ("b1", "leaf"), ("c", "leaf")]),
    (last, {}, [("a2", "leaf"), ("b2", "leaf"), ("c", "leaf")]),
    (stay, {}, [("a", "answered"), ("b", "answered"), ("c", "leaf")]),
    (first, {"max_depth": 2}, [("a11", "max_depth"), ("b1", "leaf"), ("c", "leaf")]),
    (first, {"max_depth": 4}, [("a1111", "leaf"), ("b1", "leaf"), ("c", "leaf")]),
    (first, {"max_depth": 0}, [("a", "max_depth"), ("b", "max_depth"), ("c", "leaf")]),
    (first, {"max_nodes_visited": 1}, [("a", "max_nodes_visited")]),
    (first, {"max_nodes_visited": 3}, [("a11", "max_nodes_visited")]),
    (first, {"max_nodes_visited": 5}, [("a1111", "leaf")]),
    (first, {"max_nodes_visited": 6}, [("a1111", "leaf"), ("b", "max_nodes_visited")]),
    (first, {"max_nodes_visited": 7}, [("a1111", "leaf"), ("b1", "leaf")]),
    (first, {"max_nodes_visited": 3, "max_depth": 2}, [("a11", "max_depth")]),
])  # fmt: skip
def test_where_descents_end_and_why(navigator, bounds, expected):  # S28
    assert landed(ReasoningRAGStrategy(tree(), navigator, "model", **bounds)) == expected


@pytest.mark.parametrize("answer", ["b", "a", "a11", "A1", "", " a1", 1, True, b"a1", NodeView("a1"), ["a1"]])  # fmt: skip
def test_what_was_not_offered_ends_the_path(answer):  # S28
    strategy = ReasoningRAGStrategy(tree(), lambda *_: answer, "model", (), 15, 6)
    assert landed(strategy)[0] == ("a", "not_offered")


def test_what_a_navigator_is_given():  # S28
    seen = []

    def choose(query, node, children, model):
        seen.append((query, node, children, model))
        return children[-1].id if node.id == "a" else None

    index = tree(
        {"a": None, "a1": "a", "a2": "a", "a21": "a2"},
        **{"hierarchy.title": str.upper, "hierarchy.summary": lambda name: f"about {name}"},
    )
    ReasoningRAGStrategy(index, choose, "Model-1").retrieve("why?")
    views = {name: NodeView(name, name.upper(), f"about {name}") for name in ("a", "a1", "a2", "a21")}  # fmt: skip
    assert seen == [
        ("why?", views["a"], (views["a1"], views["a2"]), "Model-1"),
        ("why?", views["a2"], (views["a21"],), "Model-1"),
    ]
    assert ReasoningRAGStrategy.NODE_TITLE_METADATA == "hierarchy.title"
    assert ReasoningRAGStrategy.NODE_SUMMARY_METADATA == "hierarchy.summary"


def test_documents_say_why_they_were_returned():  # S3 S28
    hits = ReasoningRAGStrategy(tree(), last, "model").retrieve("query")
    assert [hit.content for hit in hits] == ["text of a2", "text of b2", "text of c"]
    assert [hit.metadata["hierarchy.stopReason"] for hit in hits] == ["leaf"] * 3
    assert {hit.score for hit in hits} == {ReasoningRAGStrategy.SELECTED_SCORE} == {1.0}
    assert hits[0].metadata["hierarchy.parentId"] == "a"


def test_the_fence_hides_nodes_and_what_is_below():  # S9 S28
    offered = []

    def choose(query, node, children, model):
        offered.extend(child.id for child in children)
        return children[0].id

    index = tree(sources={"a1": "draft.md", "b": "draft.md", "a2": "other.md"})
    strategy = ReasoningRAGStrategy(index, choose, "model", {"guide.md", "other.md"})
    assert landed(strategy) == [("a2", "leaf"), ("c", "leaf")]
    assert offered == ["a2"]
    hidden = ReasoningRAGStrategy(index, lambda *_: "a1", "model", {"guide.md", "other.md"})
    assert landed(hidden)[0] == ("a", "not_offered")
    # With all children hidden a node is a leaf.
    assert landed(ReasoningRAGStrategy(index, choose, "model", {"guide.md"}))[0] == ("a", "leaf")
    assert landed(ReasoningRAGStrategy(index, choose, "model", {"nowhere"})) == []


def test_hidden_roots_are_not_visited():  # S28
    index = tree(sources={"a": "draft.md"})
    strategy = ReasoningRAGStrategy(index, first, "model", ["guide.md"], max_nodes_visited=2)
    assert landed(strategy) == [("b1", "leaf")]


def test_filters_act_on_the_nodes_landed_on():  # S7 S9 S28
    index = tree(kind=lambda name: "leaf" if len(name) > 1 else "root")
    strategy = ReasoningRAGStrategy(index, last, "model")
    leaves = RAGContext(metadata_filters={"kind": "leaf"})
    assert landed(strategy, leaves) == [("a2", "leaf"), ("b2", "leaf")]
    assert landed(strategy, leaves.with_max_results(1)) == [("a2", "leaf")]
    roots = RAGContext(1, metadata_filters={"kind": "root"})
    assert landed(strategy, roots) == [("c", "leaf")]
    assert landed(strategy, RAGContext(metadata_filters={"hierarchy.stopReason": "leaf"})) == []


def test_min_score_is_inclusive():  # S10
    strategy = ReasoningRAGStrategy(tree(), stay, "model")
    assert len(landed(strategy, RAGContext(min_score=1.0))) == 3
    assert landed(strategy, RAGContext(min_score=np.nextafter(1.0, 2.0))) == []


def test_equal_scores_are_in_order_of_row():  # S6 S12
    parents = {"b1": "b", "a": None, "a1": "a", "b": None}
    strategy = ReasoningRAGStrategy(tree(parents), first, "model")
    assert landed(strategy) == [("b1", "leaf"), ("a1", "leaf")]
    assert landed(strategy, RAGContext(1)) == [("b1", "leaf")]


def test_a_batch_is_the_queries_one_by_one():  # S5
    def by_query(query, node, children, model):
        return children[len(query) % len(children)].id

    strategy = ReasoningRAGStrategy(tree(), by_query, "model")
    queries = ["", "x", "xx"]
    table = strategy.retrieve_batch(queries)
    for number, query in enumerate(queries):
        own = [row for row in table.to_pylist() if row["query_id"] == str(number)]
        assert [(row["id"], row["stop_reason"]) for row in own] == [
            (hit.metadata["hierarchy.id"], hit.metadata["hierarchy.stopReason"])
            for hit in strategy.retrieve(query)
        ]
    assert strategy.retrieve_batch([]).num_rows == 0


def test_the_report_counts_visits_and_calls():  # S28
    ranking = ReasoningRAGStrategy(tree(), first, "model").rank(Queries.of(["", "x"]), RAGContext())
    assert ranking.report.counters == {"nodes visited": 16, "calls of the navigator": 10}


def test_a_navigator_that_raises():  # S43
    def choose(*_):
        raise RuntimeError("no network")

    with pytest.raises(ExecutionError, match="navigator choose: raised RuntimeError: no network"):
        ReasoningRAGStrategy(tree(), choose, "model").retrieve("query")


class Unserving:
    def supports(self, model):
        return False

    def choose(self, query, node, children, model):
        return None


def test_what_the_constructor_refuses():  # S28 S29
    with pytest.raises(ProviderUnavailableError):
        ReasoningRAGStrategy(tree(), Unserving(), "model")
    with pytest.raises(ConfigurationError, match="model: "):
        ReasoningRAGStrategy(tree(), stay, " ")
    for name, value in [
        *product(["max_nodes_visited"], [0, -1, True, 1.5, None, "3"]),
        *product(["max_depth"], [-1, True, 1.5, None]),
    ]:
        with pytest.raises(InvalidArgumentError, match=f"{name}: expected"):
            ReasoningRAGStrategy(tree(), stay, "model", **{name: value})


def test_the_defaults():  # S28
    assert ReasoningRAGStrategy.DEFAULT_MAX_NODES_VISITED == 15
    assert ReasoningRAGStrategy.DEFAULT_MAX_DEPTH == 6
    chain = {str(n): str(n - 1) if n else None for n in range(20)}
    strategy = ReasoningRAGStrategy(tree(chain), first, "model")
    assert strategy.name == "reasoning"
    assert landed(strategy) == [("6", "max_depth")]
    forest = {str(n): None for n in range(20)}
    assert len(landed(ReasoningRAGStrategy(tree(forest), first, "model"))) == 15


def test_no_documents():
    assert landed(ReasoningRAGStrategy(tree({}), first, "model")) == []


def test_over_a_corpus(tmp_path):  # S28
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "title": ["Guide", "Install", "Remove"],
            "text": ["", "pip install", "pip uninstall"],
            "up": [None, "a", "a"],
            "tier": ["x", "x", "y"],
        }
    )
    corpus = Corpus.build(table, tmp_path / "index", parent="up", metadata=["tier"], embedding="none")  # fmt: skip
    index = HierarchyIndex.of_corpus(corpus.keyword_index)

    def by_title(query, node, children, model):
        return next((child.id for child in children if child.title == query), None)

    strategy = ReasoningRAGStrategy(index, by_title, "model")
    (hit,) = strategy.retrieve("Remove")
    assert (hit.content, hit.metadata["entryId"]) == ("pip uninstall", "c")
    assert not strategy.retrieve("Remove", RAGContext(metadata_filters={"tier": "x"}))


def descended(parents, choices, roots, allowed, max_nodes, max_depth):
    """S28 in plain Python, over rows."""
    visited, ends = 0, []
    for root in roots:
        if root not in allowed:
            continue
        if visited == max_nodes:
            break
        visited, node, depth = visited + 1, root, 0
        while True:
            children = [c for c, p in enumerate(parents) if p == node and c in allowed]
            if not children:
                reason = "leaf"
            elif depth == max_depth:
                reason = "max_depth"
            elif visited == max_nodes:
                reason = "max_nodes_visited"
            elif choices[node] is None:
                reason = "answered"
            elif choices[node] not in children:
                reason = "not_offered"
            else:
                node, depth, visited = choices[node], depth + 1, visited + 1
                continue
            ends.append((str(node), reason))
            break
    return sorted(ends, key=lambda end: int(end[0]))


@given(st.data())
def test_any_navigator_in_any_forest(data):  # S28
    nodes = data.draw(st.integers(0, 10))
    parents = [data.draw(st.integers(-1, node - 1)) for node in range(nodes)]
    choices = [data.draw(st.none() | st.integers(0, nodes)) for _ in range(nodes)]
    allowed = data.draw(st.sets(st.integers(0, max(nodes - 1, 0))))
    max_nodes, max_depth = data.draw(st.integers(1, 12)), data.draw(st.integers(0, 5))

    def choose(query, node, children, model):
        chosen = choices[int(node.id)]
        return None if chosen is None else str(chosen)

    index = tree(
        {str(node): None if parent < 0 else str(parent) for node, parent in enumerate(parents)},
        {str(node): "in" if node in allowed else "out" for node in range(nodes)},
    )
    strategy = ReasoningRAGStrategy(index, choose, "model", ["in"], max_nodes, max_depth)
    roots = [node for node in range(nodes) if parents[node] < 0]
    expected = descended(parents, choices, roots, allowed, max_nodes, max_depth)
    assert landed(strategy) == expected


def test_an_answer_is_compared_as_plain_text():  # S28 S43
    class Hostile(str):
        __slots__ = ()

        def _raise(self, *_):
            raise ZeroDivisionError

        __eq__ = __hash__ = __repr__ = __str__ = __format__ = _raise

    def choose(query, node, children, model):
        return Hostile(children[0].id) if node.id == "a" else Hostile("elsewhere")

    found = landed(ReasoningRAGStrategy(tree(), choose, "model"))
    assert found == [("a1", "not_offered"), ("b", "not_offered"), ("c", "leaf")]


def test_what_is_no_text_is_not_compared():  # S28 S43
    class Odd:
        def __eq__(self, other):
            raise ZeroDivisionError

        __hash__ = None

    found = landed(ReasoningRAGStrategy(tree(), lambda *_: Odd(), "model"))
    assert found == [("a", "not_offered"), ("b", "not_offered"), ("c", "leaf")]
