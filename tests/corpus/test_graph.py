"""An index built with edges, through every change of its documents (S24)."""

import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus, GraphRAGStrategy, InvalidArgumentError, RAGContext
from tests.graph.corpora import IDS, OPTIONS, table
from tests.graph.stored_graphs import same_graph

EDGES = [
    (IDS[a % 10], ("near", "far")[a % 2], IDS[b % 10], float(a))
    for a, b in zip(range(24), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4], strict=True)
] + [("later", "to", IDS[0], 1.0), (IDS[1], "to", "later", 1.0), ("never", "to", "never", 1.0)]  # fmt: skip
QUERIES = ["fox", "owl x", "name1 name4", "name41", ""]


@pytest.fixture
def corpus(tmp_path):
    names = ("head", "relation", "tail", "weight")
    edges = pa.table(dict(zip(names, map(list, zip(*EDGES, strict=True)), strict=True)))
    return Corpus.build(table(IDS), tmp_path / "index", edges=edges, **OPTIONS)


def assert_it_is_the_graph_of_its_documents(corpus):
    oracle = GraphRAGStrategy(
        "corpus", same_graph(corpus, EDGES), (), 3, 0.85, 1024, documents=corpus.keyword_index
    )
    found = corpus.strategy("graph", max_depth=3)
    for context in (RAGContext(100), RAGContext(3), RAGContext(100, 0.0, {"even": "1"})):
        expected = oracle.retrieve_batch(QUERIES, context)
        assert found.retrieve_batch(QUERIES, context).equals(expected)
        assert len(expected) > 0
    snapshot = corpus.keyword_index
    live = np.ones(snapshot.rows, np.bool_) if snapshot.live is None else snapshot.live
    ids = set(snapshot.ids(np.flatnonzero(live)))
    dangling = [edge for edge in EDGES if not {edge[0], edge[2]} <= ids]
    assert corpus.graph.dangling_edges == len(dangling)
    described = corpus.info().graph
    assert (described.nodes, described.edges, described.relations) == (12, len(EDGES), 3)
    assert described.dangling_edges == len(dangling)
    assert described.dangling_nodes == len({*IDS, "later", "never"} - ids)
    assert len(corpus) == len(ids)


def test_every_change_is_the_same_graph(corpus):
    assert_it_is_the_graph_of_its_documents(corpus)
    with corpus.writer() as writer:
        writer.delete([IDS[4], IDS[7]])
    assert_it_is_the_graph_of_its_documents(corpus)
    with corpus.writer() as writer:
        writer.add(table(["later", "alone"], 40))
    assert_it_is_the_graph_of_its_documents(corpus)
    with corpus.writer() as writer:
        writer.upsert(table([IDS[0], IDS[4], "alone"], 50))
    assert_it_is_the_graph_of_its_documents(corpus)
    corpus.compact()
    assert_it_is_the_graph_of_its_documents(corpus)
    assert_it_is_the_graph_of_its_documents(Corpus.open(corpus.path))


def test_a_state_that_was_left_goes_on(corpus):
    graph, strategy = corpus.graph, corpus.strategy("graph")
    before = strategy.retrieve_batch(QUERIES)
    with corpus.writer() as writer:
        writer.delete(IDS[2:])
    assert strategy.retrieve_batch(QUERIES).equals(before)
    assert graph.node(IDS[5]).id == IDS[5]
    with pytest.raises(KeyError):
        corpus.graph.node(IDS[5])
    assert_it_is_the_graph_of_its_documents(corpus)


def test_parents_that_no_search_finds_are_walked_to(tmp_path):  # S24 S26
    parents = pa.table({"id": ["top"], "title": ["All of it"]})
    documents = pa.table({"id": ["a"], "text": ["red fox"], "up": ["top"]})
    edges = pa.table({"head": ["a", "top"], "tail": ["top", "a"]})
    corpus = Corpus.build(
        documents, tmp_path / "index", parent="up", parents=parents, edges=edges, embedding="none"
    )
    hits = corpus.search("fox", strategy="graph")
    assert [hit.metadata["entryId"] for hit in hits] == ["a", "top"]
    assert corpus.search("all", strategy="graph") == ()


def test_a_graph_without_edges_is_its_seeds(tmp_path):
    documents = pa.table({"id": ["a", "b"], "text": ["one", "two"]})
    none = pa.table({"head": pa.array([], pa.string()), "tail": pa.array([], pa.string())})
    corpus = Corpus.build(documents, tmp_path / "index", edges=none, embedding="none")
    assert [hit.content for hit in corpus.search("two", strategy="graph")] == ["two"]
    assert corpus.info().graph.edges == 0


@pytest.mark.parametrize("given", [{"head": ["a"], "tail": ["b"]}, [("a", "b")], []])
@pytest.mark.parametrize("argument", ["edges", "parents"])
def test_an_input_of_another_kind_is_named(tmp_path, argument, given):
    with pytest.raises(InvalidArgumentError, match=f"^{argument}: expected"):
        Corpus.build(table(IDS), tmp_path / "index", **{argument: given}, **OPTIONS)
