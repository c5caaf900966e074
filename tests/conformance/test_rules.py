"""One small, hand-computed example for each rule of the strategies, pipeline and stores (S20-S32)."""

import math
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from octavo import (
    ConfigurationError,
    DimensionMismatchError,
    HierarchyError,
    HybridRAGStrategy,
    InvalidArgumentError,
    KeywordRAGStrategy,
    NonFiniteVectorError,
    ProviderUnavailableError,
    RAGContext,
    RetrievedDocument,
    TemporalError,
    VectorRAGStrategy,
)
from octavo.memory.bm25_index import BM25Index
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.memory.vector_store import VectorMemoryStore
from octavo.spi import GraphEdge, GraphNode, QueryExpansion
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.hybrid import GraphStream
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.pipeline import RAGPipeline
from octavo.strategies.reasoning import ReasoningRAGStrategy
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex
from octavo.testing import FakeExpander, FakeGraphStore, FakeNavigator

ROOT = Path(__file__).parents[2]
ANY = RAGContext(100, -1e300)
NOW = datetime(2026, 1, 31, tzinfo=UTC)

VECTORS = {"east": [1.0, 0.0], "north": [0.0, 2.0], "between": [3.0, 3.0], "nothing": [0.0, 0.0]}


def entry(name, content, tier=MemoryTier.SEMANTIC):
    return MemoryEntry(name, content, tier)


def scores(found, key="entryId"):
    return {each.metadata[key]: each.score for each in found}


class Given:
    """A strategy that returns given scores."""

    name = "given"

    def __init__(self, **scores):
        self.scores = scores

    def retrieve(self, query, context):
        found = [
            RetrievedDocument(name, "given", score, {"entryId": name})
            for name, score in self.scores.items()
        ]
        return tuple(sorted(found, key=lambda each: -each.score))


def test_vector():  # S20 S44
    store = VectorMemoryStore(VECTORS.__getitem__)
    for name in VECTORS:
        store.add(entry(name, name))
    found = VectorRAGStrategy(store).retrieve("east", ANY)
    assert [each.metadata["entryId"] for each in found] == ["east", "between", "north", "nothing"]
    assert [each.score for each in found] == pytest.approx([1.0, math.sqrt(0.5), 0.0, 0.0])
    triples = VectorMemoryStore(lambda text: [1.0] * len(text))
    triples.add(entry("a", "abc"))
    with pytest.raises(DimensionMismatchError, match=r"3.*4"):
        triples.add(entry("b", "abcd"))
    with pytest.raises(NonFiniteVectorError):
        VectorMemoryStore(lambda _: [math.nan]).add(entry("a", "a"))


def test_keyword():  # S21
    index = BM25Index()
    texts = {"a": "fox", "b": "fox owl owl", "c": "whale", "d": "whale"}
    for name, text in texts.items():
        index.add(entry(name, text))
    # N = 4, df = 2, mean length 6 / 4; the lengths 1 and 3 are exact as one byte.
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    expected = {
        name: idf * 2.2 / (1 + 1.2 * (1 - 0.75 + 0.75 * length / 1.5))
        for name, length in (("a", 1), ("b", 3))
    }
    strategy = KeywordRAGStrategy(index)
    assert scores(strategy.retrieve("fox", ANY)) == pytest.approx(expected, rel=1e-5)
    twice = scores(strategy.retrieve("fox AND (fox)", ANY))
    assert twice == pytest.approx({name: 2 * score for name, score in expected.items()}, rel=1e-5)
    assert strategy.retrieve("OR unknown", ANY) == ()


def test_hybrid():  # S22
    index, store = BM25Index(), VectorMemoryStore(VECTORS.__getitem__)
    for name in VECTORS:
        each = entry(name, name)
        store.add(each)
        if name != "between":
            index.add(each)
    strategy = HybridRAGStrategy(index, store)
    assert strategy.graph_stream is GraphStream.ABSENT
    found = scores(strategy.retrieve("east", ANY))
    assert found == pytest.approx(
        {"east": 1.0, "between": 61 / 62 / 2, "north": 61 / 63 / 2, "nothing": 61 / 64 / 2}
    )
    # An all-zero query is an empty stream; one stream is left.
    assert scores(strategy.retrieve("nothing", ANY)) == {"nothing": 1.0}


def test_streams_are_told_and_joined_by_id():  # S23
    index, store = BM25Index(), VectorMemoryStore(lambda _: [1.0])
    index.add(entry("a", "same text"))
    store.add(entry("b", "same text"))
    index.add(entry("c", "other text"))
    store.add(entry("c", "another thing"))
    found = HybridRAGStrategy(index, store).retrieve("same", ANY)
    streams = {each.metadata["entryId"]: each.metadata["hybrid.streams"] for each in found}
    assert streams == {"a": "keyword", "b": "vector", "c": "vector"}
    by_id = {each.metadata["entryId"]: each.metadata for each in found}
    assert by_id["c"]["hybrid.vector.rank"] in {"1", "2"}
    assert "hybrid.keyword.rank" not in by_id["c"]


NODES = [GraphNode(name, f"about {name}", f"{name}.md") for name in "abcde"]
EDGES = [GraphEdge(*pair) for pair in (("a", "to", "b"), ("b", "to", "c"), ("c", "to", "d"))]
CYCLE = [GraphEdge("b", "to", "a"), GraphEdge("e", "to", "c", 9.0)]


def graph(seeds, sources=(), depth=2, visited=10):
    store = FakeGraphStore(NODES, [*EDGES, *CYCLE], seeds={"query": seeds})
    return GraphRAGStrategy("provider", store, sources, depth, 0.5, visited)


def graph_scores(found):
    return {each.content.removeprefix("about "): each.score for each in found}


def test_graph():  # S24
    found = graph([("a", 1.0)]).retrieve("query", ANY)
    assert graph_scores(found) == {"a": 1.0, "b": 0.5, "c": 0.25}
    assert {each.source for each in found} == {"provider"}
    # The best path wins, and one with fewer hops still goes further.
    found = graph([("a", 1.0), ("e", 0.4)]).retrieve("query", ANY)
    assert graph_scores(found) == {"a": 1.0, "b": 0.5, "c": 0.25, "e": 0.4, "d": 0.1}
    # What is fenced out is not walked through.
    fenced = graph([("a", 1.0)], {"a.md", "c.md"}).retrieve("query", ANY)
    assert graph_scores(fenced) == {"a": 1.0}
    assert graph_scores(graph([("a", 1.0)], visited=2).retrieve("query", ANY)) == {
        "a": 1.0,
        "b": 0.5,
    }
    assert graph_scores(graph([("a", 1.0)], depth=0).retrieve("query", ANY)) == {"a": 1.0}


def test_hybrid_with_a_graph():  # S23
    index, store = BM25Index(), VectorMemoryStore(lambda _: [1.0])
    for each in (index, store):
        each.add(entry("a", "query"))
    strategy = HybridRAGStrategy(index, store, graph([("a", 1.0)]))
    assert strategy.graph_stream is GraphStream.FUSED
    found = strategy.retrieve("query", ANY)
    assert any("graph" in each.metadata["hybrid.streams"].split(",") for each in found)
    assert all(each.source != "provider" for each in found)


def multi_query(expander, base=None, limit=3, **options):
    index = BM25Index()
    for name in ("fox", "owl", "whale"):
        index.add(entry(name, name))
    base = base or KeywordRAGStrategy(index)
    arguments = {"mode": QueryExpansion.SYNONYM, "model": "fake", **options}
    return MultiQueryRAGStrategy(base, expander, max_expansions=limit, **arguments)


def test_multi_query():  # S25
    variants = [" fox ", "", "owl", " owl", "whale", "heron"]
    found = multi_query(lambda *_: variants, limit=2).retrieve("fox", ANY)
    # Ranked: fox, owl, whale; blanks and repeats do not count, the cap leaves no room for heron.
    assert scores(found) == pytest.approx({"fox": 1 / 3, "owl": 1 / 3, "whale": 1 / 3})
    expander = FakeExpander()
    multi_query(expander).retrieve("fox", ANY)
    assert expander.calls == [("fox", QueryExpansion.SYNONYM, "fake", 3)]
    for bad in ({"mode": QueryExpansion.NONE}, {"model": " "}, {"limit": 0}, {"limit": True}):
        with pytest.raises(ConfigurationError):
            multi_query(FakeExpander(), **bad)
    with pytest.raises(ProviderUnavailableError):
        multi_query(FakeExpander(), model="unknown")


def node(name, parent=None, **metadata):
    place = {} if parent is None else {"hierarchy.parentId": parent}
    source = metadata.pop("source", "guide.md")
    return RetrievedDocument(name, source, 0.0, {"hierarchy.id": name, **place, **metadata})


CHAIN = [node("root"), node("middle", "root", source="other.md"), node("leaf", "middle")]


def hierarchical(child, documents=CHAIN, **options):
    strategy = HierarchicalRAGStrategy(child, HierarchyIndex(documents), decay=0.5, **options)
    return {each.content: each.score for each in strategy.retrieve("query", ANY)}


def test_hierarchical():  # S26
    assert hierarchical(Given(leaf=0.8)) == {"leaf": 0.8, "middle": 0.4, "root": 0.2}
    assert hierarchical(Given(leaf=0.8, middle=0.3)) == {"leaf": 0.8, "middle": 0.4, "root": 0.2}
    assert hierarchical(Given(leaf=0.8, middle=0.6)) == {"leaf": 0.8, "middle": 0.6, "root": 0.3}
    assert hierarchical(Given(leaf=0.8), max_depth=1) == {"leaf": 0.8, "middle": 0.4}
    assert hierarchical(Given(leaf=0.8, unknown=0.1)) == {
        "leaf": 0.8,
        "middle": 0.4,
        "root": 0.2,
        "unknown": 0.1,
    }
    # A fence stops the climb.
    assert hierarchical(Given(leaf=0.8), allowed_sources={"guide.md"}) == {"leaf": 0.8}
    for bad in (
        [node("a"), node("a")],
        [node("a", "missing")],
        [node("a", "a")],
        [node("a", "b"), node("b", "a")],
    ):
        with pytest.raises(HierarchyError, match="a"):
            HierarchyIndex(bad)


def test_a_filtered_parent_is_climbed_through():  # S9 S26
    documents = [node("root", k="v"), node("middle", "root"), node("leaf", "middle", k="v")]

    class Leaf:
        name = "leaf"

        def retrieve(self, query, context):
            return (RetrievedDocument("leaf", "guide.md", 0.8, documents[2].metadata),)

    strategy = HierarchicalRAGStrategy(Leaf(), HierarchyIndex(documents), decay=0.5)
    found = strategy.retrieve("query", RAGContext(metadata_filters={"k": "v"}))
    assert {each.content: each.score for each in found} == {"leaf": 0.8, "root": 0.2}


def temporal(child, stamps, **options):
    documents = [
        RetrievedDocument(
            name, "s", 0.0, {"entryId": name} | ({"temporal.timestamp": at} if at else {})
        )
        for name, at in stamps.items()
    ]
    options = {"half_life": timedelta(days=30), "clock": lambda: NOW, **options}
    return TemporalRAGStrategy(child, TemporalIndex(documents), **options)


def test_temporal():  # S27
    stamps = {"old": "2026-01-01T00:00:00Z", "new": "2026-01-31T01:00:00+01:00", "undated": None}
    child = Given(old=1.0, new=1.0, undated=1.0, unknown=1.0)
    found = scores(temporal(child, stamps).retrieve("query", ANY))
    assert found == pytest.approx({"new": 1.0, "old": 0.9, "undated": 0.8, "unknown": 0.8})
    found = scores(temporal(Given(old=-1.0, new=-1.0), stamps).retrieve("query", ANY))
    assert found == pytest.approx({"new": -0.8, "old": -0.9})
    soon = {"soon": "2026-01-31T00:05:00Z"}
    assert scores(temporal(Given(soon=1.0), soon).retrieve("query", ANY)) == {"soon": 1.0}
    later = {"later": "2026-01-31T00:05:01Z"}
    with pytest.raises(TemporalError, match="later"):
        temporal(Given(later=1.0), later).retrieve("query", ANY)
    for bad in ("2026-01-01T00:00:00", "2026-02-30T00:00:00Z", "yesterday"):
        with pytest.raises(TemporalError, match="entry"):
            temporal(Given(), {"entry": bad})


TREE = [
    node("root"),
    node("left", "root"),
    node("right", "root", source="other.md"),
    node("leaf", "left", k="v"),
]


def landed(choices, context=ANY, **options):
    navigator = FakeNavigator(choices)
    strategy = ReasoningRAGStrategy(HierarchyIndex(TREE), navigator, "fake", **options)
    return {
        each.content: (each.score, each.metadata["hierarchy.stopReason"])
        for each in strategy.retrieve("query", context)
    }, navigator


def test_reasoning():  # S28
    down = {"root": "left", "left": "leaf"}
    assert landed(down)[0] == {"leaf": (1.0, "leaf")}
    assert landed({"root": None})[0] == {"root": (1.0, "answered")}
    assert landed({"root": "elsewhere"})[0] == {"root": (1.0, "not_offered")}
    assert landed(down, max_depth=1)[0] == {"left": (1.0, "max_depth")}
    assert landed(down, max_nodes_visited=2)[0] == {"left": (1.0, "max_nodes_visited")}
    found, navigator = landed({"root": "right"}, allowed_sources={"guide.md"})
    assert found == {"root": (1.0, "not_offered")}
    assert [child.id for child in navigator.calls[0][2]] == ["left"]
    filters = RAGContext(metadata_filters={"k": "v"})
    assert landed(down, filters)[0] == {"leaf": (1.0, "leaf")}
    assert landed({"root": None}, filters)[0] == {}
    with pytest.raises(ProviderUnavailableError):
        ReasoningRAGStrategy(HierarchyIndex(TREE), FakeNavigator(), "unknown")


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None])
def test_shares_are_from_zero_to_one(value):  # S29
    with pytest.raises(InvalidArgumentError, match="decay"):
        HierarchicalRAGStrategy(Given(), HierarchyIndex(CHAIN), decay=value)
    with pytest.raises(InvalidArgumentError, match="relevance_floor"):
        temporal(Given(), {}, relevance_floor=value)
    with pytest.raises(InvalidArgumentError, match="depth_decay"):
        GraphRAGStrategy("provider", FakeGraphStore(NODES), (), 2, value, 10)


@pytest.mark.parametrize("value", [-1, True, 1.5, "1", None])
def test_counts_are_integers(value):  # S29
    index = HierarchyIndex(CHAIN)
    for name, make in {
        "max_depth": lambda: HierarchicalRAGStrategy(Given(), index, max_depth=value),
        "max_nodes_visited": lambda: ReasoningRAGStrategy(
            index, FakeNavigator(), "fake", max_nodes_visited=value
        ),
        "max_visited_nodes": lambda: GraphRAGStrategy(
            "provider", FakeGraphStore(NODES), (), 2, 0.5, value
        ),
    }.items():
        with pytest.raises(InvalidArgumentError, match=name):
            make()


@pytest.mark.parametrize("option", ["half_life", "max_future_skew"])
def test_durations(option):  # S29
    zero_is_legal = option == "max_future_skew"
    for value in (timedelta(seconds=-1), 30, None, *([] if zero_is_legal else [timedelta(0)])):
        with pytest.raises(InvalidArgumentError, match=option):
            temporal(Given(), {}, **{option: value})


def test_pipeline():  # S30
    seen = []
    pipeline = (
        RAGPipeline.builder(Given(a=0.5, b=0.7))
        .default_context(RAGContext(1))
        .query_preprocessor(lambda query: seen.append(query) or query.strip())
        .reranker(lambda documents: documents[::-1])
        .build()
    )
    assert pipeline.execute(" query ", ANY) == "1. [given] a\n\n2. [given] b"
    assert [each.content for each in pipeline.retrieve_documents("query", ANY)] == ["a", "b"]
    assert seen == [" query ", "query"]
    assert RAGPipeline.builder(Given()).build().execute("query") == ""


def test_stores():  # S31
    for store in (BM25Index(), VectorMemoryStore(lambda text: [1.0, float(len(text))])):
        store.add(entry("a", "fox", MemoryTier.WORKING))
        store.add(MemoryEntry("b", "owl", MemoryTier.PROCEDURAL, source="notes.md"))
        store.add(entry("a", "whale", MemoryTier.EPISODIC))
        assert len(store) == 2
        assert {(each.id, each.content, each.tier.name) for each in store} == {
            ("a", "whale", "EPISODIC"),
            ("b", "owl", "PROCEDURAL"),
        }
        kind = KeywordRAGStrategy if isinstance(store, BM25Index) else VectorRAGStrategy
        found = kind(store).retrieve("whale owl", ANY)
        assert {(each.metadata["entryId"], each.source) for each in found} == {
            ("a", "a"),
            ("b", "notes.md"),
        }
        assert all(set(each.metadata) == {"tier", "entryId"} for each in found)  # S11
        assert not [each for each in found if each.content == "fox"]
        store.remove("a")
        assert [each.id for each in store] == ["b"]


def test_the_references_example(capsys):  # S32
    text = (ROOT / "docs/strategies/programmatic-example.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    exec(compile(code, "example", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert printed == "vector\nkeyword\n1\n1. [memory-guide] Agents can persist semantic memory.\n"
