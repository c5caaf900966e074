"""``paths(query, context)`` of the graph and the hybrid strategy (S9, S10, S23, S24)."""

import pyarrow as pa
import pytest

from octavo import (
    Corpus,
    GraphPath,
    GraphRAGStrategy,
    HybridRAGStrategy,
    InMemoryGraphStore,
    KnowledgeTools,
    KnowledgeToolsGraphStore,
    RAGContext,
    RetrievedDocument,
)
from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphNode
from octavo.strategies.document_list import DocumentList
from tests.graph.graph_stores import DictStore, OnlyProtocol, edges, nodes


def graph_strategy(store, sources=(), depth=2, decay=0.5, most=100, **options):
    return GraphRAGStrategy("provider", store, sources, depth, decay, most, **options)


def linked_store():
    return DictStore(
        [
            GraphNode("a", "node a", "wiki", {}, ("d1", "d2")),
            GraphNode("b", "node b", "wiki", {"entryId": "known as b"}, ("d2", "d3", "gone")),
            GraphNode("c", "node c", "wiki", {"kind": "x"}, ("gone",)),
            GraphNode("d4", "node d4", "wiki"),
        ],
        edges("a>b b>c b>d4"),
        {"q": [("a", 1.0)]},
    )


def documents():
    return DocumentList(
        [
            RetrievedDocument(f"text of {each}", "file.md", 0.0, {"entryId": each, "kind": "y"})
            for each in ("d3", "d2", "d1", "d4")
        ]
    )


def test_linked_documents_have_the_path_of_their_best_node():  # S24
    for store in (linked_store(), OnlyProtocol(linked_store())):
        found = graph_strategy(store, documents=documents())
        paths = found.paths("q")
        assert [(path.document, "".join(path.nodes)) for path in paths] == [
            ("d2", "a"), ("d1", "a"), ("d3", "ab"), ("d4", "abd4"), ("c", "abc"),
        ]  # fmt: skip
        assert [path.score for path in paths] == [hit.score for hit in found.retrieve("q")]
        alone = graph_strategy(store)
        assert [path.document for path in alone.paths("q")] == ["a", "known as b", "c", "d4"]


@pytest.mark.parametrize(
    "context",
    [
        RAGContext(2),
        RAGContext(10, 0.5),
        RAGContext(10, 0.0, {"kind": "x"}),
        RAGContext(10, 0.0, {"kind": "y"}),
        RAGContext(1, 0.3, {"kind": "y"}),
        RAGContext(10, 2.0),
    ],
)
def test_paths_are_those_of_the_hits_that_a_context_leaves(context):  # S7 S9 S10
    found = graph_strategy(linked_store(), documents=documents())
    hits = found.retrieve("q", context)
    assert [path.document for path in found.paths("q", context)] == [
        hit.metadata["entryId"] for hit in hits
    ]


def test_queries_and_contexts_have_their_types():
    hybrid = HybridRAGStrategy(*two_stores())
    for strategy in (graph_strategy(linked_store()), hybrid):
        with pytest.raises(TypeError, match="expected a string, found NoneType"):
            strategy.paths(None)
        with pytest.raises(TypeError, match="context: expected a RAGContext"):
            strategy.paths("q", 3)


def two_stores():
    from octavo import BM25Index, MemoryEntry, MemoryTier, VectorMemoryStore

    keywords, vectors = BM25Index(), VectorMemoryStore(lambda text: [float("fox" in text), 1.0])
    for name, text in (("a", "red fox"), ("b", "blue whale"), ("c", "grey owl")):
        entry = MemoryEntry(name, text, MemoryTier.SEMANTIC)
        keywords.add(entry)
        if name != "c":
            vectors.add(entry)
    vectors.add(MemoryEntry("v", "only a vector", MemoryTier.WORKING))
    return keywords, vectors


@pytest.mark.parametrize("kind", [lambda store: store, OnlyProtocol])
@pytest.mark.parametrize("context", [None, RAGContext(2), RAGContext(10, 0.4)])
def test_a_hybrid_has_paths_where_the_graph_ranks(kind, context):  # S22 S23 S24
    graph = CsrGraph(
        nodes("a c v n"), edges("a>c c>n a>v"), lambda query, limit: [("a", 1.0)] * ("fox" in query)
    )
    hybrid = HybridRAGStrategy(*two_stores(), graph_strategy(kind(graph)))
    hits, paths = hybrid.retrieve("fox", context), hybrid.paths("fox", context)
    assert len(hits) == len(paths)
    expected = {"a": "a", "c": "ac", "v": "av", "n": "acn"}
    for hit, path in zip(hits, paths, strict=True):
        name = hit.metadata["entryId"]
        if "hybrid.graph.rank" in hit.metadata:
            assert "".join(path.nodes) == expected[name]
            assert repr(path.score) == hit.metadata["hybrid.graph.score"]
            assert path.document == name
        else:
            assert name == "b"
            assert path is None
    assert set(hybrid.paths("owl")) == {None}
    assert set(HybridRAGStrategy(*two_stores()).paths("fox")) == {None}


def test_a_hybrid_over_a_corpus_names_linked_documents(corpus):  # S23 S24
    graph = CsrGraph(
        [GraphNode("animals", "Animals", "graph", {}, ("d5", "d8", "gone")), *nodes("zoo")],
        edges("zoo>animals"),
        lambda query, limit: [("zoo", 1.0)],
    )
    hybrid = HybridRAGStrategy(corpus.keyword_index, corpus.vector_store, graph_strategy(graph))
    hits = hybrid.retrieve("owl", RAGContext(100))
    paths = hybrid.paths("owl", RAGContext(100))
    found = {
        hit.metadata["entryId"]: path
        for hit, path in zip(hits, paths, strict=True)
        if path is not None
    }
    names = ("about zoo", "Animals")
    assert found == {
        "zoo": GraphPath(("zoo",), ("about zoo",), (), 1.0, 0.5, "zoo"),
        **{
            each: GraphPath(("zoo", "animals"), names, ("to",), 1.0, 0.5, each)
            for each in ("d5", "d8")
        },
    }


def test_stores_of_octavo_tell_paths():  # S82 S83 S24
    tools = KnowledgeTools()
    for triple in (
        ("Auth Service", "writes to", "Redis"),
        ("Redis", "runs on", "Host 7"),
        ("Redis", "is backed up to", "Host 7"),
    ):
        tools.kg_add_triple(*triple)
    store = KnowledgeToolsGraphStore(lambda: [tools])
    paths = graph_strategy(store).paths("the auth service")
    assert [str(path).partition(" (")[0] for path in paths[:1]] == ["seed 'Auth Service'"]
    last = paths[-1]  # Redis is a seed too: the service is in one of its triples
    assert last.names == last.nodes == ("Redis", "Host 7")
    assert last.relations == ("runs on",)

    text = InMemoryGraphStore([RetrievedDocument('See "Blue Whale" and PEP 8.', "a.md", 0.0, {})])
    found = graph_strategy(text)
    for hit, path in zip(found.retrieve("blue whale"), found.paths("blue whale"), strict=True):
        assert path.score == hit.score
        for source, relation, target in zip(
            path.nodes, path.relations, path.nodes[1:], strict=False
        ):
            first = next(edge for edge in text.edges(source) if edge.target == target)
            assert first.relation == relation


def test_a_live_graph_tells_the_paths_that_it_has_by_then():
    store = linked_store()
    found = graph_strategy(store)
    assert len(found.paths("q")) == 4
    store.following = edges("a>d4")
    assert ["".join(path.nodes) for path in found.paths("q")] == ["a", "ad4"]


class Forgetting(DictStore):
    """Has edges only the first time that it is asked for those of a node."""

    def edges(self, node_id):
        given = super().edges(node_id)
        self.following = [edge for edge in self.following if edge.source != node_id]
        return given


def test_one_walk_is_asked_for_hits_and_paths():
    store = linked_store()
    once = Forgetting(store.nodes.values(), store.following, store.starts)
    assert ["".join(path.nodes) for path in graph_strategy(once).paths("q")] == [
        "a", "ab", "abc", "abd4",
    ]  # fmt: skip
    # A hybrid ranks first and walks again: what is no longer reached has no path.
    once = Forgetting(store.nodes.values(), store.following, store.starts)
    hybrid = HybridRAGStrategy(*two_stores(), graph_strategy(once))
    paths = hybrid.paths("q", RAGContext(100))
    assert [path.nodes for path in paths if path is not None] == [("a",)]


def test_paths_of_a_search_by_a_vector_of_its_own(tmp_path):  # S23 S24
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "text": ["one", "two", "three"],
            "vector": [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
        }
    )
    links = pa.table({"head": ["b"], "relation": ["r"], "tail": ["c"]})
    corpus = Corpus.build(table, tmp_path / "i", embedding="column:vector", edges=links)
    for name, options in (("graph", {}), ("hybrid", {"graph": True})):
        hits = corpus.search("none", strategy=name, query_vector=[0.1, 1.0], **options)
        paths = corpus.strategy(name, **options).paths("none", query_vector=[0.1, 1.0])
        assert [hit.metadata["entryId"] for hit in hits] == ["b", "a", "c"]
        assert [path.document for path in paths] == ["b", "a", "c"]
        assert paths[2].nodes == ("b", "c")
