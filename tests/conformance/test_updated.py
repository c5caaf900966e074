"""An index with a past gives what an index of its documents gives, and its past never shows.

The oracle for keyword scores, whose statistics count deleted rows until they are merged away (S21),
is one index of all rows, built at once, whose deleted rows a filter leaves out.
"""

import dataclasses

import pyarrow as pa
import pytest

from octavo import Corpus, HybridRAGStrategy, RAGContext
from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphEdge, GraphNode
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.temporal import TemporalRAGStrategy
from tests.conformance import subjects
from tests.conformance.world import ANY, QUERIES, build, build_updated, options

SIZE = 40
CONTEXTS = (
    *(RAGContext(limit, -1e300) for limit in (1, 3, 10, 1_000)),
    RAGContext(10, 0.4),
    RAGContext(10, -1e300, {"topic": "fox"}),
    RAGContext(10, -1e300, {"tier": "WORKING", "topic": "owl"}),
    *(RAGContext(10, -1e300, {"entryId": each}) for each in ("d001", "d039", "old3", "nobody")),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("built") / "index", SIZE)


@pytest.fixture(scope="module", params=["block_max", "tantivy"])
def updated(request, tmp_path_factory):
    block_max = request.param == "block_max"
    return build_updated(tmp_path_factory.mktemp("updated") / "index", SIZE, block_max=block_max)


@pytest.fixture(scope="module")
def marked(updated, tmp_path_factory):
    """All rows of the updated index, built at once; the deleted ones have another tier."""
    snapshot = updated.snapshot
    rows = pa.array(range(snapshot.rows)).to_numpy()
    live = snapshot.live.tolist()
    ids = [each if alive else f"gone-{each}-{row}" for row, (each, alive) in enumerate(zip(snapshot.ids(rows), live, strict=True))]  # fmt: skip
    columns = {"id": ids, "text": snapshot.texts("content", rows), "source": snapshot.texts("source", rows)}  # fmt: skip
    for key in ("tier", "topic"):
        columns[key] = snapshot.metadata(key, rows)
    columns["alive"] = ["yes" if alive else "no" for alive in live]
    chosen = options(())
    chosen = {"source": "source", "embedding": "hash", "metadata": [*chosen["metadata"], "alive"]}
    path = tmp_path_factory.mktemp("marked") / "index"
    return Corpus.build(pa.table(columns), path, **chosen)


def vector_graph(world):
    return subjects.graph(world, CsrGraph, world.snapshot)


def vector_hierarchical(world):
    return subjects.hierarchical(world, subjects.vector)


def fenced_hierarchical(world):
    index = HierarchyIndex.of_corpus(world.snapshot)
    return HierarchicalRAGStrategy(subjects.vector(world), index, ("file1.md", "file2.md"))


def fenced_temporal(world):
    index = subjects.TemporalIndex.of_corpus(world.snapshot)
    return TemporalRAGStrategy(
        subjects.vector(world), index, ("file3.md",), clock=lambda: subjects.NOW
    )


SUBJECTS = {
    **{
        name: getattr(subjects, name)
        for name in (
            *("vector", "temporal_vector", "temporal_own", "hierarchical_own", "multi_query_own"),
            *("multi_query_vector", "reasoning", "reasoning_flat", "graph_csr"),
        )
    },
    **{
        make.__name__: make
        for make in (vector_graph, vector_hierarchical, fenced_hierarchical, fenced_temporal)
    },
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_it_answers_as_if_built_from_what_is_left(built, updated, name):  # S6 S8 S26 S27 S28
    expected, found = (SUBJECTS[name](world) for world in (built, updated))
    for context in CONTEXTS:
        assert found.retrieve_batch(QUERIES, context).equals(
            expected.retrieve_batch(QUERIES, context)
        ), context
    for query in QUERIES:
        assert found.retrieve(query, ANY) == expected.retrieve(query, ANY)


@pytest.mark.parametrize("name", ["keyword", "hybrid", "multi_query", "multi_query_vector"])
def test_it_ranks_as_if_a_filter_left_out_the_deleted_rows(updated, marked, name):  # S21 S22
    twin = dataclasses.replace(updated, corpus=marked)
    found, expected = (getattr(subjects, name)(world) for world in (updated, twin))
    for context in CONTEXTS:
        filters = {**context.metadata_filters, "alive": "yes"}
        filtered = RAGContext(context.max_results, context.min_score, filters)
        assert found.retrieve_batch(QUERIES, context).equals(
            expected.retrieve_batch(QUERIES, filtered)
        ), context


def test_the_past_is_in_no_answer(updated):  # S8 S13
    old = {f"old{number}" for number in range(SIZE)}
    for name in (*("keyword", "vector", "hybrid", "temporal", "hierarchical", "multi_query"),
                 *("reasoning", "graph_documents", "hybrid_graph", "everything")):  # fmt: skip
        strategy = getattr(subjects, name)(updated)
        for query in (*QUERIES, "old3"):
            found = strategy.retrieve(query, ANY)
            ids = [each.metadata["entryId"] for each in found]
            assert old.isdisjoint(ids)
            assert len(set(ids)) == len(ids)
            texts = {row["id"]: row["text"] for row in updated.rows}
            assert [each.content for each in found] == [texts[each] for each in ids]
            told = {value for each in found for value in each.metadata.values()}
            assert old.isdisjoint(told)


def test_what_is_told_of_it(built, updated):
    assert len(updated.corpus) == len(built.corpus) == SIZE
    assert repr(updated.corpus).endswith(f"documents={SIZE})")
    found, expected = updated.corpus.info(), built.corpus.info()
    assert (found.documents, found.empty_texts, found.null_vectors) == (SIZE, 0, 0)
    assert (found.deleted_rows, found.deleted_share) == (60, 0.6)
    assert "60 % of the rows are deleted" in found.compaction
    assert (expected.deleted_rows, expected.compaction) == (0, None)
    verified = updated.corpus.verify()
    assert (verified.whole, verified.documents) == (True, SIZE)


def test_a_node_whose_documents_are_deleted(built, updated):  # S24
    nodes = [
        GraphNode("fox", "the fox", "graph", documents=("old1", "d003")),
        GraphNode("old2", "a deleted one", "graph", documents=("old4", "old2")),
        GraphNode("d039", "its document was replaced", "graph", documents=("old39",)),
        GraphNode("whale", "whale", "graph", documents=("d039", "d039", "old39")),
    ]
    edges = [GraphEdge("fox", "to", "old2"), GraphEdge("fox", "to", "d039"), GraphEdge("old2", "to", "whale")]  # fmt: skip
    found, expected = (
        GraphRAGStrategy("g", CsrGraph(nodes, edges), (), 2, 0.5, 99, documents=world.snapshot)
        for world in (updated, built)
    )
    for context in CONTEXTS:
        for query in ("fox", "whale replaced", "deleted"):
            assert found.retrieve(query, context) == expected.retrieve(query, context)
    ids = [each.metadata["entryId"] for each in found.retrieve("fox", ANY)]
    assert ids == ["d003", "d039", "old2"]  # the node yields itself
    fused = HybridRAGStrategy(updated.snapshot, updated.snapshot, found)
    (own,) = [hit for hit in fused.retrieve("fox", ANY) if hit.metadata["entryId"] == "old2"]
    assert (own.content, own.metadata["hybrid.streams"]) == ("a deleted one", "graph")
