"""Every strategy by its name over a corpus, with options as objects and as text."""

import json
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from octavo import (
    ConfigurationError,
    Corpus,
    CsrGraph,
    GraphEdge,
    GraphNode,
    GraphRAGStrategy,
    HierarchyError,
    InvalidArgumentError,
    LexicalNavigator,
    RAGContext,
    SynonymExpander,
    TemporalError,
)

NOW = "2026-01-31T00:00:00+00:00"
DOCUMENTS = pa.table(
    {
        "id": ["guide", "setup", "usage", "old", "new"],
        "title": ["Guide", "Setup", "Usage", None, None],
        "text": ["", "install the fox", "feed the fox", "fox news", "fox news"],
        "parent": [None, "guide", "guide", None, None],
        "time": [None, None, None, "2020-01-01T00:00:00Z", "2026-01-30T00:00:00Z"],
    }
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return Corpus.build(
        DOCUMENTS,
        tmp_path_factory.mktemp("tree") / "index",
        parent="parent",
        timestamp="time",
        embedding="hash",
    )


def ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


def test_hierarchical_climbs_from_the_child_strategy(tree):  # S26
    hits = tree.search("install", strategy="hierarchical", decay=0.5, child="keyword")
    alone = tree.search("install", strategy="keyword")
    assert ids(hits) == ["setup", "guide"]
    assert hits[1].score == alone[0].score * 0.5
    assert hits[1].metadata["hierarchy.fromId"] == "setup"
    assert ids(tree.search("install", strategy="hierarchical", max_depth=0)) == ["setup"]


def test_temporal_prefers_the_fresh(tree):  # S27
    hits = tree.search("news", strategy="temporal", now=NOW, half_life="1d", floor=0.5)
    alone = tree.search("news", strategy="keyword")
    assert ids(alone) == ["old", "new"]
    assert ids(hits) == ["new", "old"]
    assert hits[0].score == pytest.approx(alone[1].score * 0.75)
    assert hits[1].score == alone[0].score * 0.5
    by_objects = tree.search(
        "news", strategy="temporal", now=datetime(2026, 1, 31, tzinfo=UTC),
        half_life=timedelta(days=1), floor=0.5,
    )  # fmt: skip
    assert by_objects == hits
    with pytest.raises(TemporalError, match="new"):
        tree.search("news", strategy="temporal", now="2025-01-01T00:00:00Z")


def test_multi_query_asks_an_expander(tree, tmp_path):  # S25
    table = {"nourish": ["feed"]}
    (tmp_path / "synonyms.json").write_text(json.dumps(table))
    for expander in (SynonymExpander(table), f"table:{tmp_path}/synonyms.json"):
        for mode in ({}, {"mode": "SYNONYM"}):
            hits = tree.search(
                "nourish", strategy="multi-query", expander=expander, model="any", **mode
            )
            assert ids(hits) == ["usage"]
    with pytest.raises(InvalidArgumentError, match="mode: expected one of NONE, SYNONYM"):
        tree.strategy("multi-query", expander=expander, model="any", mode="LOUD")
    assert tree.search("nourish", strategy="keyword") == ()


def test_reasoning_walks_down(tree):  # S28
    for navigator in (LexicalNavigator(), "lexical"):
        hits = tree.search("usage", strategy="reasoning", navigator=navigator, model="any")
        assert "usage" in ids(hits)
        assert {hit.score for hit in hits} == {1.0}


def test_graph_and_hybrid_with_graph(tree):  # S23 S24
    store = CsrGraph(
        [GraphNode("fox", "fox", "graph", documents=("setup",)),
         GraphNode("food", "food", "graph", documents=("usage",))],
        [GraphEdge("fox", "eats", "food")],
    )  # fmt: skip
    hits = tree.search("fox", strategy="graph", store=store, provider_name="animals", decay=0.5)
    assert ids(hits) == ["setup", "usage"]
    assert hits[1].score == hits[0].score * 0.5
    assert {hit.source for hit in hits} == {"animals"}
    graph = GraphRAGStrategy("animals", store, (), 2, 0.85, 1024, documents=tree.keyword_index)
    fused = tree.search("fox", strategy="hybrid", graph=graph)
    streams = {hit.metadata["entryId"]: hit.metadata["hybrid.streams"] for hit in fused}
    assert streams["setup"] == "keyword,vector,graph"
    assert {hit.source for hit in fused} == {hit.metadata["entryId"] for hit in fused}


def test_composition_is_a_one_liner(tree):
    strategy = tree.strategy(
        "temporal", now=NOW, child=tree.strategy("hierarchical", child="hybrid")
    )
    hits = strategy.retrieve("install fox", RAGContext(max_results=3))
    described = hits[0].metadata
    assert {"temporal.multiplier", "hierarchy.level", "hybrid.streams"} <= described.keys()
    table = strategy.retrieve_batch(["install fox", "news"], RAGContext(max_results=3))
    row = table.to_pylist()[0]
    assert row["score"] == row["child_score"] * row["multiplier"]
    assert {"level", "from_id", "hierarchical_child_score", "keyword_rank"} <= row.keys()


def test_one_batch_is_one_moment(tree):  # S27
    queries = ["news"] * 700  # three blocks
    table = tree.search_batch(queries, strategy="temporal", half_life="1h", threads=2)
    assert len(set(table["age_seconds"].drop_null().to_pylist())) == 2


@pytest.mark.parametrize(
    ("strategy", "options", "message"),
    [
        ("temporal", {"half_life": "soon"}, "half_life"),
        ("temporal", {"half_life": 3}, "half_life"),
        ("temporal", {"now": "yesterday"}, "now"),
        ("temporal", {"now": "2026-01-01T00:00:00"}, "zone"),
        ("temporal", {"decay": 0.5}, "no option decay"),
        ("keyword", {"child": "vector"}, "no option child"),
        ("multi-query", {}, "expected the option expander, model"),
        ("reasoning", {"model": "m"}, "expected the option navigator"),
        ("hierarchical", {"child": "bm25"}, "found 'bm25'"),
        ("hierarchical", {"max_depth": -1}, "max_depth"),
    ],
)
def test_wrong_options_are_named(tree, strategy, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        tree.strategy(strategy, **options)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("navigator", "lexcal", "expected MODULE:ATTR"),
        ("navigator", "no_such_module:f", "no_such_module"),
    ],
)
def test_wrong_names_of_objects_are_configuration_errors(tree, option, value, message):
    with pytest.raises(ConfigurationError, match=message):
        tree.strategy("reasoning", model="m", **{option: value})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        tree.strategy("multi-query", model="m", expander="table:no-such-file.json")


def test_a_corpus_without_parents_or_times_says_so(corpus):
    with pytest.raises(TemporalError, match="timestamp"):
        corpus.strategy("temporal")
    with pytest.raises(HierarchyError, match="parent"):
        corpus.strategy("hierarchical")


def test_parents_are_reached_and_never_found(tmp_path):  # S26
    sections = pa.table({"id": ["s1", "s2"], "text": ["red fox", "blue whale"], "up": ["c", "c"]})
    chapters = pa.table({"id": ["c"], "text": ["red fox chapter"], "title": ["Chapter"]})
    corpus = Corpus.build(
        sections, tmp_path / "index", parent="up", parents=chapters, embedding="hash"
    )
    for strategy in ("keyword", "vector", "hybrid"):
        assert "c" not in ids(corpus.search("red fox chapter", strategy=strategy, min_score=-1))
    hits = corpus.search("fox", strategy="hierarchical", child="keyword")
    assert [(hit.metadata["entryId"], hit.content) for hit in hits] == [
        ("s1", "red fox"), ("c", "red fox chapter"),
    ]  # fmt: skip
    assert corpus.verify().whole


def test_hybrid_takes_a_constant_and_weights(tree):  # S22
    plain = tree.search_batch(["fox news"], strategy="hybrid")
    assert tree.search_batch(["fox news"], strategy="hybrid", rrf_k=60).equals(plain)
    other = tree.search_batch(["fox news"], strategy="hybrid", rrf_k=1)
    for row in other.to_pylist():
        ranks = [row["keyword_rank"], row["vector_rank"]]
        terms = sum(2 / (1 + rank) for rank in sorted(rank for rank in ranks if rank))
        assert row["score"] == terms / row["voting_streams"]
    by_text, by_object = (
        tree.search_batch(["fox news"], strategy="hybrid", weights=weights)
        for weights in ("keyword=3, vector=0.5", {"vector": 0.5, "keyword": 3})
    )
    assert by_text.equals(by_object)
    assert by_text["voting_weight"].to_pylist() == [3.5] * by_text.num_rows
    assert by_text["id"].to_pylist()[0] == tree.search_batch(["fox news"], strategy="keyword")["id"].to_pylist()[0]  # fmt: skip
    alone = tree.search_batch(["fox news"], strategy="hybrid", weights="keyword=0,vector=1")
    assert alone["id"].to_pylist() == tree.search_batch(["fox news"], strategy="vector")["id"].to_pylist()  # fmt: skip
    assert alone["keyword_rank"].null_count == alone.num_rows


@pytest.mark.parametrize("weights", ["", "keyword", "keyword=", "=1", "keyword=1,keyword=1", "keyword=x"])  # fmt: skip
def test_weights_that_are_no_text_of_weights(tree, weights):
    with pytest.raises(
        InvalidArgumentError, match="weights: expected such as keyword=1,vector=0.5"
    ):
        tree.strategy("hybrid", weights=weights)


@pytest.mark.parametrize(
    "options", [{"rrf_k": -1}, {"rrf_k": 1.5}, {"weights": {"keyword": 1}}, {"weights": {"keyword": 1, "vector": -1}}]
)  # fmt: skip
def test_constants_and_weights_out_of_range(tree, options):
    (name,) = options
    with pytest.raises(InvalidArgumentError, match=f"{name}: .*expected"):
        tree.strategy("hybrid", **options)
