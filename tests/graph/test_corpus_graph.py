"""The graph of an index as a store and as arrays (S6, S23, S24)."""

import numpy as np
import pytest

from octavo import (
    Corpus,
    CorpusCorruptError,
    CorpusGraph,
    GraphCapabilityError,
    GraphEdge,
    GraphSeeds,
)
from octavo.graph.array_graph import GraphArrays
from octavo.graph.fence import Fence
from octavo.spi import BatchSeeds, GraphStore
from octavo.testing import GraphStoreContract
from tests.graph.corpora import IDS, many_segments, one_segment, table
from tests.graph.stored_graphs import live_documents, with_graph

EDGES = [
    ("東京", "near", "İstanbul"),
    ("ılık", "is", "Straße", 0.5),
    ("東京", "near", "İstanbul"),
    ("東京", "near", "東京", 2.0),
    ("Straße", "in", "Ελλάς", 1e300),
    ("東京", "far", "a b"),
    ("zebra", "in", "Zoo", -1.0),
    ("Zoo", "has", "zebra"),
    ("nobody", "knows", "🦊"),
    ("🦊", "eats", "gone"),
    ("nobody", "knows", "nobody"),
]
EDGES = [edge if len(edge) == 4 else (*edge, 1.0) for edge in EDGES]


@pytest.fixture(scope="module", params=[one_segment, many_segments])
def corpus(request, tmp_path_factory):
    return with_graph(request.param(tmp_path_factory.mktemp("graph") / "index"), EDGES)


def live_ids(corpus):
    return [document.id for document in live_documents(corpus)]


class TestContract(GraphStoreContract):  # S24
    @pytest.fixture(autouse=True)
    def _open(self, corpus):
        self.corpus = corpus

    def store(self):
        known = live_ids(self.corpus)
        whole = [edge for edge in EDGES if edge[0] in known and edge[2] in known]
        return with_graph(self.corpus, whole).graph

    @pytest.fixture(autouse=True)
    def _restored(self, corpus):
        yield
        with_graph(corpus, EDGES)

    def queries(self):
        return ["fox", "owl x", "name1 name4", "nothing known"]


def test_it_is_both_kinds_of_store(corpus):
    assert isinstance(corpus.graph, GraphStore)
    assert isinstance(corpus.graph, GraphArrays)
    assert isinstance(corpus.graph, BatchSeeds)
    assert isinstance(corpus.graph, CorpusGraph)


def test_edges_come_as_they_were_given(corpus):  # S24
    for node_id in {end for edge in EDGES for end in (edge[0], edge[2])}:
        given = [GraphEdge(*edge) for edge in EDGES if edge[0] == node_id]
        assert list(corpus.graph.edges(node_id)) == given
    for unknown in ("a/b", "", "\ud800", "zzz", " "):
        assert corpus.graph.edges(unknown) == ()


def test_a_node_is_a_live_document(corpus):  # S24
    for document in live_documents(corpus):
        node = corpus.graph.node(document.id)
        assert (node.id, node.content, node.source) == document[:3]
        assert node.metadata == document.metadata
        assert node.documents == ()
    for unknown in ("nobody", "gone", "\ud800", "", *set(IDS) - set(live_ids(corpus))):
        with pytest.raises(KeyError):
            corpus.graph.node(unknown)


def test_rows_are_the_graphs_nodes_then_the_other_documents(corpus):
    graph, ids = corpus.graph, live_ids(corpus)
    named = sorted({end for edge in EDGES for end in (edge[0], edge[2])}, key=str.encode)
    others = [each for each in ids if each not in named]
    assert graph.nodes.rows == len(named) + len(others)
    present = graph.fence(()).nodes
    assert present.tolist() == [each in ids for each in [*named, *others]]
    rows = np.flatnonzero(present)
    assert graph.nodes.node_ids(rows) == [each for each in [*named, *others] if each in ids]
    assert [graph.nodes.row_of(each) for each in graph.nodes.ids(rows)] == rows.tolist()
    for row, name in enumerate(named):
        start, stop = graph.offsets[row : row + 2]
        assert [named[each] for each in graph.targets[start:stop]] == [
            edge[2] for edge in EDGES if edge[0] == name
        ]
    assert (graph.offsets[len(named) :] == len(EDGES)).all()
    assert len(graph.offsets) == graph.nodes.rows + 1


def test_what_leads_nowhere_is_counted(corpus):
    ids = live_ids(corpus)
    named = {end for edge in EDGES for end in (edge[0], edge[2])}
    assert corpus.graph.dangling_nodes == len(named - set(ids))
    dangling = [edge for edge in EDGES if edge[0] not in ids or edge[2] not in ids]
    assert corpus.graph.dangling_edges == len(dangling)


def test_nothing_dangles_where_all_are_there(corpus):
    graph = with_graph(corpus, [("東京", "to", "Zoo")]).graph
    assert (graph.dangling_nodes, graph.dangling_edges, graph.fence(()).nodes) == (0, 0, None)
    assert graph.edges("東京") == (GraphEdge("東京", "to", "Zoo", 1.0),)
    with_graph(corpus, EDGES)


@pytest.mark.parametrize("sources", [("s0",), ("s1", "s2"), ("nobody's",)])
def test_the_fence_is_the_documents_source(corpus, sources):  # S24
    graph = corpus.graph
    fence = graph.fence(sources)
    inside = {each.id for each in live_documents(corpus) if each.source in sources}
    rows = np.flatnonzero(fence.nodes)
    assert set(graph.nodes.node_ids(rows)) == inside
    hits, _ = graph.rank_seeds(["fox owl", "x"], 3, fence)
    assert set(graph.nodes.ids(hits.rows)) <= inside
    selection = corpus.keyword_index.select({})
    for query, text in enumerate(["fox owl", "x"]):
        everything, _ = corpus.keyword_index.rank_keyword([text], 100, selection)
        ids = [each for each in corpus.keyword_index.ids(everything.rows) if each in inside]
        start, stop = hits.offsets[query : query + 2]
        assert graph.nodes.ids(hits.rows[start:stop]) == ids[:3]  # before the limit


def test_a_fence_of_others_is_no_fence(corpus):
    with pytest.raises(TypeError, match="fence: expected one that this graph made"):
        corpus.graph.rank_seeds(["fox"], 1, Fence(np.ones(3, np.bool_)))


def test_seeds_are_what_keyword_search_finds(corpus):  # S21
    for query in ("fox", "name2 owl", "", "nothing known", "\ud800 fox"):
        seeds = corpus.graph.seeds(query, 4)
        found = corpus.search(query, strategy="keyword", max_results=4)
        assert [(node.id, score) for node, score in seeds] == [
            (hit.metadata["entryId"], hit.score) for hit in found
        ]


def test_a_node_may_be_asked_for_before_and_after_a_commit(tmp_path):  # S24
    corpus = Corpus.build(table(IDS[:3]), tmp_path / "index", embedding="none", threads=1)
    edges = [(IDS[0], "to", "new"), ("new", "to", IDS[1])]
    before = with_graph(corpus, edges).graph
    assert (before.dangling_nodes, before.dangling_edges) == (1, 2)
    with corpus.writer() as writer:
        writer.add(table(["new"], 40).select(["id", "title", "text"]))
    after = with_graph(corpus, edges).graph
    assert after.node("new").content.startswith("owl x")
    assert (after.dangling_nodes, after.dangling_edges) == (0, 0)
    with pytest.raises(KeyError):
        before.node("new")
    with corpus.writer() as writer:
        writer.delete([IDS[1]])
    assert with_graph(corpus, edges).graph.dangling_edges == 1
    assert after.node(IDS[1]).id == IDS[1]


def test_an_index_without_edges_says_how_to_get_some(tmp_path):  # S81
    corpus = Corpus.build(table(IDS[:3]), tmp_path / "index", embedding="none", threads=1)
    with pytest.raises(GraphCapabilityError, match="has no graph; build it with edges=.*--edges"):
        _ = corpus.graph
    for strategy, options in (("graph", {}), ("hybrid", {"graph": True})):
        with pytest.raises(GraphCapabilityError, match=r"a graph store of your own \(store=\)"):
            corpus.strategy(strategy, **options)


def test_no_edges_and_no_documents(tmp_path):
    corpus = Corpus.build(table(IDS[:3]), tmp_path / "a", embedding="none", threads=1)
    graph = with_graph(corpus, []).graph
    assert [node.id for node, _ in graph.seeds("fox", 2)] == [
        hit.metadata["entryId"] for hit in corpus.search("fox", strategy="keyword", max_results=2)
    ]
    assert graph.edges(IDS[0]) == ()
    assert graph.dangling_edges == 0
    empty = Corpus.build(table([]).cast(table(IDS).schema), tmp_path / "b", embedding="none")
    for edges in ([], EDGES):
        graph = with_graph(empty, edges).graph
        assert graph.seeds("fox", 2) == []
        assert graph.dangling_edges == len(edges)
        assert not graph.fence(["wiki"]).nodes.any()
        assert empty.search("fox", strategy="graph", allowed_sources=["wiki"]) == ()
        with pytest.raises(KeyError):
            graph.node(IDS[0])


def test_a_left_state_is_not_kept(tmp_path):
    """What is remembered of a snapshot must not hold it: a service that refreshes opens many."""
    import gc
    import weakref

    corpus = with_graph(one_segment(tmp_path / "index"), EDGES)
    corpus.search("fox", strategy="graph")
    assert corpus.graph.seeds("fox", 1)
    state = weakref.ref(corpus.keyword_index)
    gc.disable()
    try:
        del corpus
        assert state() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "damage",
    [{"node_of_row": 99}, {"targets": 99}, {"relations": 99}],
    ids=lambda each: next(iter(each)),
)
def test_a_damaged_graph_is_told(tmp_path, damage):
    corpus = with_graph(one_segment(tmp_path / "index"), EDGES)
    graph = corpus.keyword_index.graph
    for name, number in damage.items():
        (graph.node_of_row if name == "node_of_row" else getattr(graph.columns, name))[:] = number
    with pytest.raises(CorpusCorruptError, match="the graph is damaged; see octavo verify"):
        _ = (corpus.graph.edges("東京"), corpus.graph.dangling_edges)
    if "targets" in damage:
        with pytest.raises(CorpusCorruptError, match="the graph is damaged"):
            _ = corpus.graph.dangling_edges
        hits = corpus.search("name5", strategy="graph")
        assert [hit.metadata["entryId"] for hit in hits] == [IDS[4]]


def test_relations_of_edges(corpus):
    graph = with_graph(corpus, [("a", "x", "b"), ("a", "y", "b"), ("b", "x", "東京")]).graph
    assert graph.relations_of(np.array([2, 1, 1])) == ["x", "y", "y"]
    assert graph.relations_of(np.array([], np.int64)) == []
    with_graph(corpus, EDGES)


def test_seeds_by_name():
    assert GraphSeeds("hybrid") is GraphSeeds.HYBRID
    assert [seeds.value for seeds in GraphSeeds] == ["keyword", "vector", "hybrid"]


def test_an_import_lists_the_documents_alone(corpus):  # S84
    from octavo.graph.neo4j.importing import _rows

    graph = corpus.graph
    assert sorted(graph.nodes.node(row).id for row in _rows(graph.nodes)) == sorted(
        live_ids(corpus)
    )
