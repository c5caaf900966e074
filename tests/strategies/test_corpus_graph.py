"""Graph and hybrid retrieval over the graph of an index (S5-S10, S12, S22-S24)."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import ConfigurationError, InvalidArgumentError, RAGContext
from octavo.graph.corpus_seeds import GraphSeeds
from octavo.strategies.document_list import DocumentList
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hybrid import GraphStream, HybridRAGStrategy
from tests.graph.corpora import IDS, many_segments, one_segment
from tests.graph.graph_stores import OnlyProtocol
from tests.graph.stored_graphs import best_paths, live_documents, same_graph, with_graph

ENDS = [*IDS, "gone", "nobody"]
QUERIES = ["fox", "owl x", "name4 name21 name30", "fox owl name1", "", "nothing known"]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    return [one_segment(folder / "one"), many_segments(folder / "many")]


@pytest.fixture(scope="module", params=[0, 1])
def corpus(corpora, request):
    return corpora[request.param]


class Elsewhere:
    """The same store as another object, so that nothing is known of it but what it answers."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)


def described(strategy, context):
    table = strategy.retrieve_batch(QUERIES, context)
    alone = [strategy.retrieve(query, context) for query in QUERIES]
    rows = table.to_pylist()
    assert [(row["query_id"], row["id"], row["score"]) for row in rows] == [
        (str(number), hit.metadata["entryId"], hit.score)
        for number, hits in enumerate(alone)
        for hit in hits
    ]  # S5
    return rows, alone


EDGES = st.lists(
    st.tuples(st.sampled_from(ENDS), st.sampled_from(["r", "s"]), st.sampled_from(ENDS)),
    max_size=25,
)
FENCES = st.sampled_from([(), ("s0",), ("s0", "s1"), ("nobody's",)])


@given(
    st.sampled_from([0, 1]), EDGES, FENCES, st.integers(0, 4), st.sampled_from([0.0, 0.5, 0.85, 1.0]),
    st.sampled_from([1, 2, 4, 1024]), st.sampled_from([1, 3, 100]), st.booleans(),
)  # fmt: skip
@settings(max_examples=50, deadline=None)
def test_it_finds_what_the_same_graph_in_memory_finds(
    corpora, which, edges, fence, depth, decay, most, limit, filtered
):  # S5 S6 S7 S24
    corpus = with_graph(corpora[which], edges)
    context = RAGContext(limit, metadata_filters={"even": "0"} if filtered else {})
    bounds, store = (fence, depth, decay, most), corpus.keyword_index
    oracle = GraphRAGStrategy("corpus", same_graph(corpus, edges), *bounds, documents=store)
    expected = described(oracle, context)
    graph = corpus.graph
    for found in (
        GraphRAGStrategy("corpus", graph, *bounds, documents=store),
        GraphRAGStrategy("corpus", graph, *bounds),
        GraphRAGStrategy("corpus", graph, *bounds, documents=Elsewhere(store)),
        GraphRAGStrategy("corpus", OnlyProtocol(graph), *bounds, documents=store),
        corpus.strategy(
            "graph", allowed_sources=fence, max_depth=depth, decay=decay, max_visited_nodes=most
        ),
    ):
        assert described(found, context) == expected


@given(
    st.sampled_from([0, 1]), EDGES, FENCES, st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0]),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_best_paths(corpora, which, edges, fence, depth, decay, filtered):
    # S7 S24
    corpus = with_graph(corpora[which], edges)
    live = {document.id: document for document in live_documents(corpus)}
    allowed = {each for each, document in live.items() if not fence or document.source in fence}
    context = RAGContext(100, metadata_filters={"even": "0"} if filtered else {})
    found = corpus.strategy("graph", allowed_sources=fence, max_depth=depth, decay=decay)
    for query in QUERIES:
        ranked = corpus.search(query, strategy="keyword", max_results=100)
        starts = {hit.metadata["entryId"]: hit.score for hit in ranked}
        starts = {each: score for each, score in starts.items() if each in allowed}
        best = best_paths(edges, starts, allowed, depth, decay)
        order = [each for each in live if each in best]
        order.sort(key=lambda each: -best[each])  # stable: equal scores in the order of rows (S6)
        hits = found.retrieve(query, context)
        assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
            (each, best[each])
            for each in order
            if not filtered or live[each].metadata["even"] == "0"
        ]
        for hit in hits:
            document = live[hit.metadata["entryId"]]
            assert (hit.content, hit.source) == (document.content, "corpus")
            assert hit.metadata["graph.nodeId"] == document.id
            hops, seed = int(hit.metadata["graph.hops"]), float(hit.metadata["graph.seedScore"])
            assert hops <= depth
            assert hit.score == pytest.approx(seed * decay**hops, rel=1e-14)


def chain(corpus):
    return with_graph(corpus, [(a, "to", b) for a, b in itertools.pairwise([*IDS, IDS[0]])])


def test_without_hops_it_is_keyword_search(corpus):  # S21 S24
    chain(corpus)
    for filters in ({}, {"even": "1"}):
        for limit in (1, 4, 100):
            context = RAGContext(limit, metadata_filters=filters)
            hits = corpus.strategy("graph", max_depth=0).retrieve("fox owl", context)
            alone = corpus.strategy("keyword").retrieve("fox owl", context)
            assert [(hit.metadata["entryId"], hit.score) for hit in hits] == [
                (hit.metadata["entryId"], hit.score) for hit in alone
            ]


def test_a_fence_that_excludes_all_finds_nothing(corpus):  # S24
    found = chain(corpus).strategy("graph", allowed_sources=("nowhere",))
    assert found.retrieve("fox owl") == ()
    assert corpus.strategy("hybrid", graph=found).retrieve("fox") == corpus.strategy(
        "hybrid"
    ).retrieve("fox")


def found_by(corpus, query):
    return [hit.metadata["entryId"] for hit in corpus.search(query, strategy="keyword")]


def test_filters_do_not_hold_back_the_walk(corpus):  # S7 S8 S24
    """A seed that does not match leads to what does."""
    with_graph(corpus, [("Straße", "to", "Zoo"), ("Zoo", "to", "Ελλάς")])
    live = {document.id: document for document in live_documents(corpus)}
    query = next(name for name in ("name3", "name22") if found_by(corpus, name) == ["Straße"])
    for wanted in ("0", "1"):
        context = RAGContext(100, metadata_filters={"even": wanted})
        hits = corpus.strategy("graph").retrieve(query, context)
        assert [hit.metadata["entryId"] for hit in hits] == [
            each for each in ("Straße", "Zoo", "Ελλάς") if live[each].metadata["even"] == wanted
        ]


def test_a_document_that_is_back_is_walked_through_again(tmp_path):  # S24
    corpus = one_segment(tmp_path / "index")
    edges = [("İstanbul", "to", "ılık"), ("ılık", "to", "Zoo")]
    documents = {each.id: each for each in live_documents(corpus)}

    def found(state):
        hits = with_graph(state, edges).search("name1", strategy="graph")
        return [hit.metadata["entryId"] for hit in hits]

    assert found(corpus) == ["İstanbul", "ılık", "Zoo"]
    with corpus.writer() as writer:
        writer.delete(["ılık"])
    assert found(corpus) == ["İstanbul"]
    with corpus.writer() as writer:
        back = {"id": ["ılık"], "title": ["back"], "text": ["back"], "source": ["s"], "even": ["0"]}
        writer.add(pa.table(back))
    hits = with_graph(corpus, edges).search("name1", strategy="graph")
    assert [hit.metadata["entryId"] for hit in hits] == ["İstanbul", "ılık", "Zoo"]
    assert hits[1].content == "back"
    assert hits[2].content == documents["Zoo"].content


def test_a_long_batch_on_many_threads_is_the_loop(corpus):  # S5
    chain(corpus)
    queries = [QUERIES[number % len(QUERIES)] for number in range(700)]
    for filters in ({}, {"even": "0"}):
        table = corpus.search_batch(queries, strategy="graph", filters=filters, threads=4)
        alone = {each: corpus.search(each, strategy="graph", filters=filters) for each in QUERIES}
        assert [(row["query_id"], row["id"], row["score"]) for row in table.to_pylist()] == [
            (str(number), hit.metadata["entryId"], hit.score)
            for number, query in enumerate(queries)
            for hit in alone[query]
        ]
    with ThreadPoolExecutor(4) as pool:
        found = corpus.strategy("graph")
        assert list(pool.map(found.retrieve, QUERIES * 20)) == [*map(found.retrieve, QUERIES)] * 20


def exact_fusion(streams, order):
    streams = [stream for stream in streams if stream]
    scores = {}
    for stream in streams:
        for rank, name in enumerate(stream, start=1):
            scores[name] = scores.get(name, 0) + Fraction(61, 60 + rank)
    ranked = sorted(scores, key=lambda name: (-scores[name], order.index(name)))
    return [(name, float(scores[name] / len(streams))) for name in ranked]


@pytest.mark.parametrize("filters", [{}, {"even": "1"}])
def test_hybrid_fuses_three_streams(corpus, filters):  # S9 S22 S23 S85
    chain(corpus)
    order = [document.id for document in live_documents(corpus)]
    deep = RAGContext(100, -2.0, filters)
    for query in QUERIES:
        streams = {
            name: [hit.metadata["entryId"] for hit in corpus.strategy(name).retrieve(query, deep)]
            for name in ("keyword", "vector", "graph")
        }
        streams["vector"] = streams["vector"] if corpus.keyword_index.embed([query]).any() else []
        hits = corpus.search(query, strategy="hybrid", graph=True, max_results=100, filters=filters)
        expected = exact_fusion(streams.values(), order)
        assert [hit.metadata["entryId"] for hit in hits] == [name for name, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx(
            [score for _, score in expected], rel=1e-15
        )
        live = {document.id: document for document in live_documents(corpus)}
        for hit in hits:
            name = hit.metadata["entryId"]
            named = [stream for stream, ids in streams.items() if name in ids]
            assert hit.metadata["hybrid.streams"] == ",".join(named)
            assert hit.source == live[name].source  # the document's own in a fusion


def test_all_ways_to_name_the_graph_of_a_hybrid(corpus):  # S23
    chain(corpus)
    plain = corpus.strategy("hybrid")
    fused = corpus.strategy("hybrid", graph=True)
    assert plain.graph_stream is GraphStream.ABSENT
    assert fused.graph_stream is GraphStream.FUSED
    for absent in (None, False):
        assert corpus.strategy("hybrid", graph=absent).graph_stream is GraphStream.ABSENT
    expected = fused.retrieve_batch(QUERIES)
    store = corpus.keyword_index
    for same in (
        corpus.strategy("hybrid", graph=corpus.graph),
        corpus.strategy("hybrid", graph=corpus.strategy("graph")),
        corpus.strategy("hybrid", graph=True, max_depth=2, decay=0.85, seeds="keyword"),
        corpus.strategy("hybrid", graph=GraphRAGStrategy("other", corpus.graph, (), 2, 0.85, 1024)),
        HybridRAGStrategy(
            store, store, GraphRAGStrategy("x", corpus.graph, (), 2, 0.85, 1024, documents=store)
        ),
    ):
        assert same.retrieve_batch(QUERIES).equals(expected)
    short = corpus.strategy("hybrid", graph=True, max_depth=1, decay=0.5)
    alone = corpus.strategy("graph", max_depth=1, decay=0.5)
    by_hand = corpus.strategy("hybrid", graph=alone)
    assert short.retrieve_batch(QUERIES).equals(by_hand.retrieve_batch(QUERIES))
    assert not short.retrieve_batch(QUERIES).equals(expected)


@pytest.mark.parametrize(
    ("strategy", "options", "error", "message"),
    [
        ("hybrid", {"max_depth": 1}, InvalidArgumentError, "max_depth: expected graph=True"),
        ("hybrid", {"seeds": "keyword", "graph": False}, InvalidArgumentError, "seeds: expected graph"),
        ("hybrid", {"graph": "yes"}, ConfigurationError, "graph: expected True, a graph store .* found str"),
        ("graph", {"seeds": "words"}, InvalidArgumentError, "seeds: expected one of keyword, vector, hybrid"),
        ("graph", {"seeds": 3}, InvalidArgumentError, "seeds: expected one of"),
        ("graph", {"store": 3}, ConfigurationError, "store: expected a graph store"),
        ("graph", {"store": OnlyProtocol}, ConfigurationError, "store: .*the class OnlyProtocol"),
        ("graph", {"decay": 1.5}, InvalidArgumentError, "^decay: expected a number from 0 to 1"),
        ("graph", {"max_depth": -1}, InvalidArgumentError, "max_depth"),
        ("graph", {"graph": True}, InvalidArgumentError, r"no option graph; .*\(graph of hybrid\)"),
        ("keyword", {"decay": 1}, InvalidArgumentError, r"\(decay of hybrid, graph, hierarchical\)"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(corpus, strategy, options, error, message):  # S50
    with pytest.raises(error, match=message):
        chain(corpus).strategy(strategy, **options)


def test_a_store_finds_its_own_seeds(corpus):
    with pytest.raises(InvalidArgumentError, match="seeds: expected no store beside it"):
        chain(corpus).strategy("graph", store=corpus.graph, seeds="vector")
    with pytest.raises(InvalidArgumentError, match="a graph strategy has its own"):
        corpus.strategy("hybrid", graph=corpus.strategy("graph"), decay=0.5)


def test_it_joins_the_documents_of_another_store(corpus):  # S23 S24
    """Nodes are found in another store by their ids, and else stand for themselves."""
    chain(corpus)
    notes = DocumentList(corpus.search("name21 name30 name5", strategy="keyword"))
    found = GraphRAGStrategy("corpus", corpus.graph, (), 1, 0.5, 1024, documents=notes)
    hits = found.retrieve("name21 name30 name5")
    alone = corpus.strategy("graph", max_depth=1, decay=0.5).retrieve("name21 name30 name5")
    assert {hit.metadata["entryId"]: hit.score for hit in hits} == {
        hit.metadata["entryId"]: hit.score for hit in alone
    }


def test_a_strategy_stays_with_the_state_that_it_began_with(tmp_path):
    corpus = chain(one_segment(tmp_path / "index"))
    found = corpus.strategy("graph")
    before = found.retrieve("fox owl")
    with corpus.writer() as writer:
        writer.delete(IDS[:5])
    assert found.retrieve("fox owl") == before


def test_parts_are_columns_of_the_batch(corpus):  # S24
    chain(corpus)
    table = corpus.search_batch(["fox"], strategy="graph")
    assert table.column_names[4:] == ["hops", "seed_score", "node_id"]
    assert table["node_id"].to_pylist() == table["id"].to_pylist()
    fused = corpus.search_batch(["fox"], strategy="hybrid", graph=True)
    assert fused.column_names[-5:] == ["graph_rank", "graph_score", "hops", "seed_score", "node_id"]
    scores = dict(zip(table["id"].to_pylist(), table["score"].to_pylist(), strict=True))
    for row in fused.to_pylist():
        if row["id"] in scores:
            assert row["graph_score"] == scores[row["id"]]


def test_seeds_that_are_named_are_used(corpus):
    chain(corpus)
    for seeds in GraphSeeds:
        found = corpus.strategy("graph", seeds=seeds, max_depth=0)
        same = corpus.strategy("graph", seeds=seeds.value, max_depth=0)
        assert found.retrieve("fox x") == same.retrieve("fox x")
    keyword = corpus.strategy("graph", seeds="keyword").retrieve("fox x")
    assert corpus.strategy("graph").retrieve("fox x") == keyword  # only hashes
    assert np.isfinite([hit.score for hit in keyword]).all()
