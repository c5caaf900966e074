"""The graph as a third stream of hybrid retrieval (S9, S22, S23, S67)."""

from fractions import Fraction

import pytest

from octavo import ExecutionError, HybridRAGStrategy, RAGContext, RetrievedDocument
from octavo.graph.csr_graph import CsrGraph
from octavo.memory.bm25_index import BM25Index
from octavo.memory.entry import MemoryEntry, MemoryTier
from octavo.memory.vector_store import VectorMemoryStore
from octavo.spi import GraphNode
from octavo.strategies.document_list import DocumentList
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hybrid import GraphStream
from tests.graph.graph_stores import DictStore, OnlyProtocol, edges

STREAMS = ("keyword", "vector", "graph")


def graph_of(corpus_ids, links, starts, **metadata):
    nodes = [GraphNode(each, f"node {each}", "graph", metadata) for each in corpus_ids]
    return CsrGraph(nodes, edges(links), lambda query, limit: starts.get(query, []))


def with_graph(corpus, graph, sources=(), **options):
    third = GraphRAGStrategy("provider", graph, sources, 2, 0.5, 100, **options)
    return HybridRAGStrategy(corpus.keyword_index, corpus.vector_store, third)


def entry_ids(hits):
    return [hit.metadata["entryId"] for hit in hits]


def exact_fusion(streams, order):
    streams = [stream for stream in streams if stream]
    scores = {}
    for stream in streams:
        for rank, name in enumerate(stream, start=1):
            scores[name] = scores.get(name, 0) + Fraction(61, 60 + rank)
    return {
        name: float(scores[name] / len(streams))
        for name in sorted(scores, key=lambda name: (-scores[name], order.index(name)))
    }


CORPUS_ORDER = [f"d{number}" for number in range(10)] + ["extra", "other"]


@pytest.mark.parametrize("query", ["red fox", "whale", "nothing known", "owl"])
@pytest.mark.parametrize("filters", [{}, {"tier": "WORKING"}])
def test_three_streams_are_fused_by_id(corpus, query, filters):  # S22 S23
    starts = {
        "red fox": [("d3", 1.0)],
        "whale": [("extra", 1.0), ("d8", 0.9)],
        "owl": [("d6", 1.0)],
    }
    graph = graph_of(["d3", "d4", "d6", "d8", "extra"], "d3>d4 d3>d6 extra>d8 d6>extra", starts)
    context = RAGContext(10, -2.0, filters)
    streams = {
        "keyword": entry_ids(corpus.strategy("keyword").retrieve(query, context)),
        "vector": entry_ids(corpus.strategy("vector").retrieve(query, context)),
    }
    alone = GraphRAGStrategy(
        "provider", graph, (), 2, 0.5, 100, documents=corpus.keyword_index
    ).retrieve(query, context)
    streams["graph"] = entry_ids(alone)
    expected = exact_fusion(streams.values(), CORPUS_ORDER)
    hits = with_graph(corpus, graph).retrieve(query, context.with_max_results(100))
    assert entry_ids(hits) == list(expected)
    assert [hit.score for hit in hits] == pytest.approx(list(expected.values()), rel=1e-15)
    for hit in hits:
        name = hit.metadata["entryId"]
        named = [stream for stream in STREAMS if name in streams[stream]]
        assert hit.metadata["hybrid.streams"] == ",".join(named)
        for stream in STREAMS:
            rank = streams[stream].index(name) + 1 if stream in named else None
            assert hit.metadata.get(f"hybrid.{stream}.rank") == (rank and str(rank))
        if "graph" in named:
            score = next(each.score for each in alone if each.metadata["entryId"] == name)
            assert hit.metadata["hybrid.graph.score"] == repr(score)


def test_a_document_first_in_all_three_scores_one(corpus):  # S22
    graph = graph_of(["d5"], "", {"fox fox fox": [("d5", 0.3)]})
    first = with_graph(corpus, graph).retrieve("fox fox fox")[0]
    assert first.score == 1.0
    assert first.metadata["hybrid.streams"] == "keyword,vector,graph"
    # The document is the corpus's: its own content, source and metadata (S24).
    assert first.content == "fox fox fox"
    assert first.source == "file2.md"
    assert first.metadata["tier"] == "SEMANTIC"


def test_an_empty_graph_stream_does_not_lower_scores(corpus):  # S22 S23
    graph = graph_of(["d5"], "", {})
    two = HybridRAGStrategy(corpus.keyword_index, corpus.vector_store)
    three = with_graph(corpus, graph)
    assert two.graph_stream is GraphStream.ABSENT
    assert three.graph_stream is GraphStream.FUSED
    assert three.retrieve("red fox") == two.retrieve("red fox")


def test_a_node_that_no_store_knows_keeps_its_own_source(corpus):  # S24
    graph = graph_of(["d5", "other"], "d5>other", {"owl": [("d5", 1.0)]})
    hits = {hit.metadata["entryId"]: hit for hit in with_graph(corpus, graph).retrieve("owl")}
    assert hits["other"].source == "graph"
    assert hits["other"].content == "node other"
    assert hits["other"].metadata["hybrid.streams"] == "graph"
    assert hits["d5"].source == "file2.md"


def test_linked_documents_are_the_corpus_documents(corpus):  # S23 S24
    node = GraphNode("animals", "foxes and whales", "graph", {"tier": "NONE"}, ("d5", "d8", "gone"))
    graph = CsrGraph([node], [], lambda query, limit: [("animals", 1.0)])
    found = with_graph(corpus, graph)
    hits = found.retrieve("owl", RAGContext(100))
    linked = [hit for hit in hits if "graph" in hit.metadata["hybrid.streams"]]
    assert sorted(entry_ids(linked)) == ["d5", "d8"]
    semantic = found.retrieve("owl", RAGContext(100, metadata_filters={"tier": "SEMANTIC"}))
    assert {hit.metadata["tier"] for hit in semantic} == {"SEMANTIC"}  # S9
    ranked = {hit.metadata["entryId"]: hit.metadata.get("hybrid.graph.rank") for hit in semantic}
    assert ranked["d5"] == "1"
    assert "d8" not in ranked


def test_equal_text_is_not_the_same_document(corpus):  # S23
    twin = GraphNode("twin", "fox fox fox", "file2.md")
    graph = CsrGraph([twin], [], lambda query, limit: [("twin", 1.0)])
    hits = with_graph(corpus, graph).retrieve("fox fox fox", RAGContext(100))
    assert sum(hit.content == "fox fox fox" for hit in hits) == 2


def test_the_graph_may_have_a_store_of_its_own(corpus):
    notes = DocumentList(
        [
            RetrievedDocument("a note", "notes", 0.0, {"entryId": "note"}),
            RetrievedDocument("a copy of d5", "notes", 0.0, {"entryId": "d5"}),
        ]
    )
    node = GraphNode("animals", "foxes", "graph", {}, ("note", "d5"))
    graph = CsrGraph([node], [], lambda query, limit: [("animals", 1.0)])
    hits = with_graph(corpus, graph, documents=notes).retrieve("owl", RAGContext(100))
    ranked = {hit.metadata["entryId"]: hit for hit in hits if "hybrid.graph.rank" in hit.metadata}
    assert ranked["note"].content == "a note"
    assert ranked["d5"].content == "fox fox fox"


def test_a_batch_is_the_loop(corpus):  # S5
    graph = graph_of(
        ["d1", "d2", "d5", "extra"],
        "d1>d2 d2>extra extra>d5",
        {"fox": [("d1", 1.0)], "owl": [("d2", 1)]},
    )
    queries = ["fox", "nothing", "owl", "fox"]
    for store in (graph, OnlyProtocol(graph)):
        found = with_graph(corpus, store)
        table = found.retrieve_batch(queries, RAGContext(20))
        for number, query in enumerate(queries):
            rows = [row for row in table.to_pylist() if row["query_id"] == str(number)]
            hits = found.retrieve(query, RAGContext(20))
            assert [row["id"] for row in rows] == entry_ids(hits)
            assert [row["score"] for row in rows] == [hit.score for hit in hits]
    assert table.column_names[-5:] == ["graph_rank", "graph_score", "hops", "seed_score", "node_id"]


def test_a_failing_graph_fails_the_retrieval(corpus):  # S23 S43 S67
    class Down(DictStore):
        def seeds(self, query, limit):
            raise TimeoutError("no answer")

    with pytest.raises(ExecutionError, match="graph store 'provider': seeds"):
        with_graph(corpus, Down()).retrieve("fox")


def test_memory_stores_join_by_entry_id():  # S23
    keywords, vectors = BM25Index(), VectorMemoryStore(lambda text: [float("fox" in text), 1.0])
    for name, text in (("a", "red fox"), ("b", "blue whale"), ("c", "grey owl")):
        entry = MemoryEntry(name, text, MemoryTier.SEMANTIC)
        keywords.add(entry)
        if name != "c":
            vectors.add(entry)
    vectors.add(MemoryEntry("v", "only a vector", MemoryTier.WORKING))
    graph = graph_of(["a", "c", "v", "n"], "a>c c>n a>v", {"fox": [("a", 1.0)]})
    third = GraphRAGStrategy("provider", graph, (), 2, 0.5, 100)
    hits = HybridRAGStrategy(keywords, vectors, third).retrieve("fox", RAGContext(10))
    streams = {hit.metadata["entryId"]: hit.metadata["hybrid.streams"] for hit in hits}
    assert streams == {
        "a": "keyword,vector,graph", "b": "vector", "v": "vector,graph", "c": "graph", "n": "graph",
    }  # fmt: skip
    assert hits[0].score == 1.0
    working = RAGContext(10, metadata_filters={"tier": "WORKING"})
    only = HybridRAGStrategy(keywords, vectors, third).retrieve("fox", working)
    assert entry_ids(only) == ["v"]
