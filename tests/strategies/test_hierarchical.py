"""Hierarchical retrieval over corpora and over strategies of a user (S5, S9, S10, S14, S26, S29)."""

import math
from itertools import product

import pyarrow as pa
import pytest

from octavo import Corpus, InvalidArgumentError, RAGContext, RetrievedDocument
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.keyword import KeywordRAGStrategy

PARENTS = {
    "book": None, "part1": "book", "part2": "book", "ch1": "part1", "ch2": "part1", "ch3": "part2",
    "p1": "ch1", "p2": "ch1", "p3": "ch2", "p4": "ch3", "p5": "ch3", "other": None,
}  # fmt: skip
TEXTS = {
    "p1": "red fox", "p2": "red red fox hunts", "p3": "blue whale", "p4": "red whale song",
    "p5": "green", "ch1": "foxes and a fox", "other": "red", "book": "all",
}  # fmt: skip
SOURCES = {"part1": "draft", "p4": "draft"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    table = pa.table(
        {
            "id": list(PARENTS),
            "text": [TEXTS.get(name, "") for name in PARENTS],
            "parent": pa.array(list(PARENTS.values()), pa.string()),
            "source": [SOURCES.get(name, "book.md") for name in PARENTS],
            "kind": ["leaf" if name.startswith("p") and name[1:].isdigit() else "node" for name in PARENTS],
            "even": [str(number % 2 == 0) for number in range(len(PARENTS))],
        }
    )  # fmt: skip
    path = tmp_path_factory.mktemp("tree") / "index"
    return Corpus.build(
        table, path, parent="parent", source="source", metadata=["kind", "even"], embedding="hash"
    )


@pytest.fixture(scope="module")
def index(tree):
    return HierarchyIndex.of_corpus(tree.keyword_index)


def climbed(hits, *, depth, decay, admitted=lambda _: True, allowed=lambda _: True):
    """S26 over (id, score) pairs, in the order of PARENTS for equal scores."""
    order = list(PARENTS)
    best = {}
    for start, child_score in hits:
        node, score = start, child_score
        for level in range(depth + 1):
            if not allowed(node):
                break
            if level == 0 or admitted(node):
                entry = (-score, level, order.index(start))
                best[node] = min(best.get(node, entry), entry)
            node, score = PARENTS[node], score * decay
            if node is None:
                break
    ranked = sorted(best.items(), key=lambda item: (item[1][0], order.index(item[0])))
    return [
        (node, -score, level, order[start] if level else None)
        for node, (score, level, start) in ranked
    ]


def found(strategy, query, context=None):
    table = strategy.retrieve_batch([query], context or RAGContext(100))
    columns = (table[name].to_pylist() for name in ("id", "score", "level", "from_id"))
    return list(zip(*columns, strict=True))


QUERIES = ["red fox", "whale", "fox", "nothing", "all green song"]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("depth", "decay"), [(3, 0.85), (0, 0.85), (1, 1.0), (9, 0.5), (2, 0.0)])
def test_the_formula_over_a_corpus(tree, index, query, depth, decay):  # S26
    keyword = KeywordRAGStrategy(tree.keyword_index)
    hits = [(hit.metadata["entryId"], hit.score) for hit in keyword.retrieve(query)]
    strategy = HierarchicalRAGStrategy(keyword, index, max_depth=depth, decay=decay)
    assert found(strategy, query) == climbed(hits, depth=depth, decay=decay)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("filters", [{"kind": "leaf"}, {"kind": "node"}, {"even": "True"}, {"kind": "?"}])  # fmt: skip
def test_filters_act_on_parents_which_are_climbed_through(tree, index, query, filters):  # S7 S9
    keyword = KeywordRAGStrategy(tree.keyword_index)
    context = RAGContext(100, metadata_filters=filters)
    hits = [(hit.metadata["entryId"], hit.score) for hit in keyword.retrieve(query, context)]
    matching = {
        name
        for name, row in zip(PARENTS, tree.keyword_index.rows_of(list(PARENTS)), strict=True)
        if tree.keyword_index.select(filters).admitted[row]
    }
    expected = climbed(hits, depth=3, decay=0.85, admitted=matching.__contains__)
    strategy = HierarchicalRAGStrategy(keyword, index)
    assert found(strategy, query, context) == expected
    for hit in strategy.retrieve(query, context):
        assert all(hit.metadata[key] == value for key, value in filters.items())


@pytest.mark.parametrize("query", QUERIES)
def test_a_fence_drops_hits_and_stops_the_climb(tree, index, query):  # S9 S26
    keyword = KeywordRAGStrategy(tree.keyword_index)
    hits = [(hit.metadata["entryId"], hit.score) for hit in keyword.retrieve(query)]
    strategy = HierarchicalRAGStrategy(keyword, index, {"book.md"})
    expected = climbed(hits, depth=3, decay=0.85, allowed=lambda name: name not in SOURCES)
    assert found(strategy, query) == expected


def test_the_better_of_hit_and_parent_is_kept(index):  # S26
    child = Returning([("p1", 1.0), ("ch1", 0.5)])
    strategy = HierarchicalRAGStrategy(child, index, decay=0.85)
    assert ("ch1", 0.85, 1, "p1") in found(strategy, "")
    assert ("ch1", 0.5, 0, None) in found(HierarchicalRAGStrategy(child, index, decay=0.5), "")


def test_limits_come_last(tree, index):  # S8 S10 S12
    keyword = KeywordRAGStrategy(tree.keyword_index)
    strategy = HierarchicalRAGStrategy(keyword, index)
    whole = found(strategy, "red fox")
    for limit in range(1, len(whole) + 1):
        assert found(strategy, "red fox", RAGContext(limit)) == whole[:limit]
    threshold = whole[4][1]
    expected = [hit for hit in whole if hit[1] >= threshold]
    assert found(strategy, "red fox", RAGContext(100, threshold)) == expected


def test_a_low_child_score_is_not_lost_before_the_climb(index):  # S10
    hits = found(HierarchicalRAGStrategy(Returning([("p1", -0.5)]), index, decay=0.0), "")
    assert [hit[:3] for hit in hits] == [("book", 0.0, 3), ("part1", 0.0, 2), ("ch1", 0.0, 1)]


def test_each_hit_says_where_it_came_from(tree, index):  # S26
    strategy = HierarchicalRAGStrategy(tree.strategy("hybrid"), index)
    table = strategy.retrieve_batch(["whale song"])
    assert table.column_names[4:7] == ["level", "from_id", "child_score"]
    assert {"keyword_rank", "keyword_score", "vector_rank", "vector_score"} < set(
        table.column_names
    )
    inner = {hit.metadata["entryId"]: hit for hit in tree.search("whale song", strategy="hybrid", max_results=100)}  # fmt: skip
    for row, hit in zip(table.to_pylist(), strategy.retrieve("whale song"), strict=True):
        below = inner[row["from_id"] or row["id"]]
        score = below.score
        for _ in range(row["level"]):
            score *= 0.85
        assert (row["score"], row["child_score"]) == (score, below.score)
        assert hit.metadata["hierarchy.level"] == str(row["level"])
        assert hit.metadata.get("hierarchy.fromId") == row["from_id"]
        assert float(hit.metadata["hierarchy.childScore"]) == below.score
        for key in ("hybrid.streams", "hybrid.vector.rank", "hybrid.keyword.score"):
            assert hit.metadata.get(key) == below.metadata.get(key)


def test_a_batch_is_the_queries_one_by_one(tree, index):  # S5
    strategy = HierarchicalRAGStrategy(KeywordRAGStrategy(tree.keyword_index), index)
    rows = strategy.retrieve_batch(QUERIES, RAGContext(5)).to_pylist()
    for number, query in enumerate(QUERIES):
        hits = strategy.retrieve(query, RAGContext(5))
        own = [row for row in rows if row["query_id"] == str(number)]
        assert [(row["id"], row["score"]) for row in own] == [
            (hit.metadata["entryId"], hit.score) for hit in hits
        ]
    assert strategy.retrieve_batch([]).num_rows == 0


class Returning:
    """A user's strategy with fixed answers; remembers what it was asked for."""

    name = "mine"

    def __init__(self, hits, source="mine.md", **metadata):
        self.hits = hits
        self.source = source
        self.metadata = metadata
        self.contexts = []

    def retrieve(self, query, context):
        self.contexts.append(context)
        return [
            RetrievedDocument("mine", self.source, score, {"entryId": name, **self.metadata})
            for name, score in self.hits
        ]


def test_the_child_is_asked_for_the_candidates(index):  # S10 S14
    for options, limit, expected in (
        ({}, 10, 100), ({}, 150, 150), ({"candidate_depth": 7}, 5, 7), ({"candidate_depth": 7}, 9, 9),
    ):  # fmt: skip
        child = Returning([])
        context = RAGContext(limit, 0.5, {"kind": "leaf"})
        HierarchicalRAGStrategy(child, index, **options).retrieve("", context)
        (asked,) = child.contexts
        assert (asked.max_results, asked.metadata_filters) == (expected, {"kind": "leaf"})
        assert asked.min_score < -1e308
        assert math.isfinite(asked.min_score)


def test_an_unknown_hit_is_kept_and_not_expanded(index):  # S26
    child = Returning([("p1", 1.0), ("stranger", 0.9)])
    hits = found(HierarchicalRAGStrategy(child, index, max_depth=1), "")
    assert [hit[0] for hit in hits] == ["p1", "stranger", "ch1"]
    strategy = HierarchicalRAGStrategy(child, index)
    documents = {hit.metadata["entryId"]: hit for hit in strategy.retrieve("")}
    assert documents["stranger"].content == "mine"
    assert documents["p1"].content == TEXTS["p1"]
    fenced = HierarchicalRAGStrategy(child, index, ["book.md"], 1)
    assert [hit[0] for hit in found(fenced, "")] == ["p1", "ch1"]
    other = HierarchicalRAGStrategy(child, index, ["mine.md"], 1)
    assert [hit[0] for hit in found(other, "")] == ["stranger"]


@pytest.mark.parametrize("fence", [(), ("mine.md", "book.md")])
def test_a_hit_that_matches_only_as_the_child_has_it_is_returned_so(index, fence):  # S7 S8
    child = Returning([("p1", 1.0), ("ch1", 0.9)], kind="node")
    context = RAGContext(metadata_filters={"kind": "node"})
    hits = HierarchicalRAGStrategy(child, index, fence, decay=0.5).retrieve("", context)
    shown = [(hit.metadata["entryId"], hit.content, hit.metadata["kind"]) for hit in hits]
    assert shown[:2] == [("p1", "mine", "node"), ("ch1", TEXTS["ch1"], "node")]
    # The fence is the child document's own, and the index's.
    assert not HierarchicalRAGStrategy(child, index, ["mine.md"]).retrieve("", context)


def test_so_it_is_within_another_hierarchical_strategy(index):  # S7 S8
    child = Returning([("p1", 1.0), ("stranger", 0.9)], kind="node")
    context = RAGContext(metadata_filters={"kind": "node"})
    inner = HierarchicalRAGStrategy(child, index, max_depth=0)
    hits = HierarchicalRAGStrategy(inner, index, max_depth=1, decay=0.5).retrieve("", context)
    assert [(hit.metadata["entryId"], hit.content) for hit in hits] == [
        ("p1", "mine"), ("stranger", "mine"), ("ch1", TEXTS["ch1"]),
    ]  # fmt: skip
    assert hits[2].metadata["hierarchy.fromId"] == "p1"


def test_documents_as_a_hierarchy():  # S26
    def document(name, parent, source):
        metadata = {"hierarchy.id": name, **({"hierarchy.parentId": parent} if parent else {})}
        return RetrievedDocument(f"text of {name}", source, 0.0, metadata)

    chain = [document(str(n), str(n + 1) if n < 9 else None, f"s{n % 2}") for n in range(10)]

    class Child:
        name = "mine"

        def retrieve(self, query, context):
            return [chain[0]]

    index = HierarchyIndex(chain)
    hits = HierarchicalRAGStrategy(Child(), index, (), 100, 1.0).retrieve("", RAGContext(5))
    assert [hit.content for hit in hits] == [f"text of {n}" for n in range(5)]
    assert [hit.metadata.get("hierarchy.fromId") for hit in hits] == [None, "0", "0", "0", "0"]
    fenced = HierarchicalRAGStrategy(Child(), index, {"s0"}, 100, 1.0).retrieve("")
    assert [hit.content for hit in fenced] == ["text of 0"]


def test_a_hierarchical_strategy_is_a_child_like_any_other(tree, index):  # S26
    inner = HierarchicalRAGStrategy(Returning([("p1", 1.0)]), index, max_depth=1, decay=0.5)
    outer = HierarchicalRAGStrategy(inner, index, max_depth=1, decay=0.5)
    hits = outer.retrieve("")
    assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
        ("p1", 1.0), ("ch1", 0.5), ("part1", 0.25),
    ]  # fmt: skip
    assert [hit.metadata["hierarchy.level"] for hit in hits] == ["0", "0", "1"]
    table = outer.retrieve_batch([""])
    assert table["hierarchical_level"].to_pylist() == [0, 1, 1]
    assert table["hierarchical_from_id"].to_pylist() == [None, "p1", "p1"]


@pytest.mark.parametrize(("name", "value"), [
    *product(["max_depth"], [-1, True, 1.0, None, "3"]),
    *product(["decay"], [-0.1, 1.1, math.nan, math.inf, True, None, "0.5"]),
    *product(["candidate_depth"], [0, -1, True, 2.5]),
])  # fmt: skip
def test_bounds(index, name, value):  # S29
    with pytest.raises(InvalidArgumentError, match=f"{name}: expected"):
        HierarchicalRAGStrategy(Returning([]), index, **{name: value})


def test_the_defaults(index):  # S26
    assert HierarchicalRAGStrategy.DEFAULT_MAX_DEPTH == 3
    assert HierarchicalRAGStrategy.DEFAULT_DECAY == 0.85
    assert HierarchicalRAGStrategy(Returning([]), index).name == "hierarchical"
    chain = found(HierarchicalRAGStrategy(Returning([("p1", 1.0)]), index), "")
    assert chain == climbed([("p1", 1.0)], depth=3, decay=0.85)
