"""Graph retrieval as a strategy (S5-S8, S10, S12-S14, S24, S29)."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import (
    ConfigurationError,
    ExecutionError,
    InvalidArgumentError,
    RAGContext,
    RetrievedDocument,
)
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphEdge, GraphNode
from octavo.strategies.document_list import DocumentList
from octavo.strategies.graph import GraphRAGStrategy
from tests.graph.graph_stores import DictStore, OnlyProtocol, edges, nodes


def strategy(store, sources=(), depth=2, decay=0.5, most=100, **options):
    return GraphRAGStrategy("provider", store, sources, depth, decay, most, **options)


def scores(hits):
    return {hit.metadata["entryId"]: hit.score for hit in hits}


def chain():
    return DictStore(nodes("a b c d"), edges("a>b b>c c>d d>a"), {"q": [("a", 1.0)]})


def stored(*ids, source="file.md", **metadata):
    return DocumentList(
        [
            RetrievedDocument(f"text of {each}", source, 0.0, {"entryId": each, **metadata})
            for each in ids
        ]
    )


def test_the_constants_of_the_reference():  # S24
    assert GraphRAGStrategy.DEFAULT_MAX_DEPTH == 2
    assert GraphRAGStrategy.DEFAULT_DEPTH_DECAY == 0.85
    assert GraphRAGStrategy.DEFAULT_MAX_VISITED_NODES == 1024
    assert strategy(chain()).name == "graph"
    with pytest.raises(TypeError):
        GraphRAGStrategy("provider", chain(), ())


@pytest.mark.parametrize(
    ("depth", "decay", "expected"),
    [
        (0, 0.5, {"a": 1.0}),
        (1, 0.5, {"a": 1.0, "b": 0.5}),
        (9, 0.5, {"a": 1.0, "b": 0.5, "c": 0.25, "d": 0.125}),
        (9, 1.0, {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}),
        (9, 0.0, {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}),
    ],
)
def test_scores_decay_with_every_hop(depth, decay, expected):  # S24
    hits = strategy(chain(), depth=depth, decay=decay).retrieve("q")
    assert scores(hits) == expected
    for hit in hits:
        assert hit.source == "provider"
        assert hit.content == f"about {hit.metadata['entryId']}"
        assert hit.metadata["graph.nodeId"] == hit.metadata["entryId"]
        assert hit.metadata["graph.seedScore"] == "1.0"
        assert hit.score == decay ** int(hit.metadata["graph.hops"])


def test_the_fence_is_the_nodes_own_source():  # S24
    store = DictStore(
        [*nodes("a c", "ours"), *nodes("b", "theirs"), *nodes("d", "ours")],
        edges("a>b b>c a>d"),
        {"q": [("a", 1.0), ("b", 0.9)]},
    )
    assert scores(strategy(store, {"ours"}).retrieve("q")) == {"a": 1.0, "d": 0.5}
    assert list(scores(strategy(store, ()).retrieve("q"))) == ["a", "b", "d", "c"]
    assert strategy(store, {"nobody's"}).retrieve("q") == ()


def test_the_bound_counts_seeds_and_limits_them():  # S14 S24
    store = DictStore(nodes("a b c d"), edges("a>d"), {"q": [("a", 1.0), ("b", 0.6), ("c", 0.1)]})
    assert scores(strategy(store, most=3).retrieve("q")) == {"a": 1.0, "b": 0.6, "d": 0.5}
    assert store.asked[0] == ("seeds", "q", 3)
    for most, results, option, limit in (
        (1024, 10, {}, 100), (1024, 150, {}, 150), (1024, 10, {"candidate_depth": 20}, 20),
        (1024, 30, {"candidate_depth": 20}, 30), (50, 10, {}, 50),
    ):  # fmt: skip
        store = chain()
        strategy(store, most=most, **option).retrieve("q", RAGContext(results))
        assert store.asked[0] == ("seeds", "q", limit)


def test_linked_documents_stand_for_their_nodes():  # S24
    store = DictStore(
        [
            GraphNode("a", "node a", "wiki", {}, ("d1", "d2")),
            GraphNode("b", "node b", "wiki", {}, ("d2", "d3", "gone")),
            GraphNode("c", "node c", "wiki", {}, ("gone",)),
            GraphNode("d4", "node d4", "wiki"),
        ],
        edges("a>b b>c b>d4"),
        {"q": [("a", 1.0)]},
    )
    documents = stored("d3", "d2", "d1", "d4")
    hits = strategy(store, documents=documents).retrieve("q")
    assert list(scores(hits).items()) == [
        ("d2", 1.0), ("d1", 1.0), ("d3", 0.5), ("d4", 0.25), ("c", 0.25),
    ]  # fmt: skip
    assert [hit.content for hit in hits] == [
        "text of d2", "text of d1", "text of d3", "text of d4", "node c",
    ]  # fmt: skip
    assert [hit.metadata["graph.nodeId"] for hit in hits] == ["a", "a", "b", "d4", "c"]
    assert {hit.source for hit in hits} == {"provider"}
    # Without a store, nobody can read them: nodes stand for themselves.
    assert list(scores(strategy(store).retrieve("q"))) == ["a", "b", "c", "d4"]


def test_filters_act_on_what_is_returned_and_not_on_the_walk():  # S7 S8 S24
    linked = GraphNode("b", "node b", "wiki", {"tier": "WORKING"}, ("d1", "d2"))
    store = DictStore(
        [*nodes("a", tier="SEMANTIC"), linked, *nodes("c", tier="WORKING"), *nodes("e")],
        edges("a>b b>c a>e"),
        {"q": [("a", 1.0)]},
    )
    documents = DocumentList(
        [
            RetrievedDocument("one", "file.md", 0.0, {"entryId": "d1", "tier": "WORKING"}),
            RetrievedDocument("two", "file.md", 0.0, {"entryId": "d2", "tier": "working"}),
        ]
    )
    working = RAGContext(metadata_filters={"tier": "WORKING"})
    found = strategy(store, documents=documents)
    assert scores(found.retrieve("q", working)) == {"d1": 0.5, "c": 0.25}
    assert scores(found.retrieve("q", working.with_max_results(1))) == {"d1": 0.5}
    assert scores(strategy(store).retrieve("q", working)) == {"b": 0.5, "c": 0.25}
    assert scores(found.retrieve("q", RAGContext(metadata_filters={"entryId": "c"}))) == {"c": 0.25}
    assert found.retrieve("q", RAGContext(metadata_filters={"graph.hops": "0"})) == ()  # S11


@pytest.mark.parametrize("matching", [0, 1, 4, 5, 6, 50, 100])
def test_no_matching_node_is_lost_to_the_limit(matching):  # S8
    chosen = [GraphNode(f"n{n:03}", "", "s", {"in": str(n >= 100 - matching)}) for n in range(100)]
    store = DictStore(
        chosen, edges(" ".join(f"n000>{node.id}" for node in chosen[1:])), {"q": [("n000", 1.0)]}
    )
    for source in (store, CsrGraph(chosen, store.following, lambda query, limit: [("n000", 1.0)])):
        hits = strategy(source).retrieve("q", RAGContext(5, metadata_filters={"in": "True"}))
        assert len(hits) == min(5, matching)


def test_min_score_is_inclusive_and_of_the_final_score():  # S10
    found = strategy(chain(), depth=9)
    assert list(scores(found.retrieve("q", RAGContext(min_score=0.25)))) == ["a", "b", "c"]
    store = DictStore(nodes("a b"), edges("a>b"), {"q": [("a", -1.0)]})
    assert strategy(store).retrieve("q") == ()
    assert scores(strategy(store).retrieve("q", RAGContext(min_score=-1.0))) == {
        "b": -0.5,
        "a": -1.0,
    }


def test_equal_scores_are_in_order_of_id_whatever_the_store_says():  # S6
    for order in itertools.permutations("abc"):
        store = DictStore(
            nodes(" ".join(order) + " z"),
            edges(" ".join(f"z>{name}" for name in order)),
            {"q": [("z", 1.0)]},
        )
        for source in (
            store,
            CsrGraph(list(store.nodes.values()), store.following, store_seeds(store)),
        ):
            assert list(scores(strategy(source).retrieve("q"))) == ["z", "a", "b", "c"]


def store_seeds(store):
    return lambda query, limit: [(name, score) for name, score in store.starts.get(query, [])]


def test_top_k_is_a_prefix():  # S12
    graph = CsrGraph(nodes("a b c d e f"), edges("a>b a>c b>d c>e e>f a>f"))
    everything = strategy(graph).retrieve("about", RAGContext(100))
    for limit in range(1, 7):
        assert strategy(graph).retrieve("about", RAGContext(limit)) == everything[:limit]


NAMES = [f"n{number}" for number in range(6)]


@given(
    st.lists(st.tuples(*[st.sampled_from(NAMES)] * 2), max_size=14),
    st.lists(st.lists(st.sampled_from(["d1", "d2", "d3", "n1", "gone"]), max_size=3), min_size=6, max_size=6),
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), max_size=4),
        min_size=1, max_size=4,
    ),
    st.sampled_from([(), ("s0",), ("s0", "s1")]),
    st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 7), st.integers(1, 6),
    st.booleans(), st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_arrays_and_protocol_and_loop_agree_in_every_bit(
    pairs, linked, starts, fence, depth, decay, most, limit, filtered, with_store
):  # S5
    every = [
        GraphNode(name, name, f"s{row % 3}", {"even": str(row % 2)}, tuple(linked[row]))
        for row, name in enumerate(NAMES)
    ]
    seeds = {f"q{number}": list(each.items()) for number, each in enumerate(starts)}
    graph = CsrGraph(
        every, [GraphEdge(a, "to", b) for a, b in pairs], lambda query, limit: seeds[query]
    )
    options = {"documents": stored("d2", "d1", "n1", "d3", even="0")} if with_store else {}
    context = RAGContext(limit, -5.0, {"even": "0"} if filtered else {})
    arrays = strategy(graph, fence, depth, decay, most, **options)
    protocol = strategy(OnlyProtocol(graph), fence, depth, decay, most, **options)
    table = arrays.retrieve_batch(list(seeds), context)
    assert protocol.retrieve_batch(list(seeds), context).equals(table)
    for query in seeds:
        hits = arrays.retrieve(query, context)
        assert hits == protocol.retrieve(query, context)
        mine = [row for row in table.to_pylist() if row["query_id"] == query[1:]]
        assert [row["id"] for row in mine] == [hit.metadata["entryId"] for hit in hits]
        assert [row["score"] for row in mine] == [hit.score for hit in hits]
        assert [str(row["hops"]) for row in mine] == [hit.metadata["graph.hops"] for hit in hits]
        found = [(-hit.score, hit.metadata["entryId"]) for hit in hits]
        assert [score for score, _ in found] == sorted(score for score, _ in found)
        assert len(set(found)) == len(found)
        for row in mine:
            assert row["score"] == row["seed_score"] * decay ** row["hops"]


@pytest.mark.parametrize("filters", [{}, {"even": "0"}])
def test_a_long_batch_is_the_loop(filters):  # S5
    every = [
        GraphNode(f"n{n:03}", f"word{n % 7}", "s", {"even": str(n % 2)}, (f"d{n % 5}",) * (n % 2))
        for n in range(40)
    ]
    graph = CsrGraph(every, [GraphEdge(f"n{n:03}", "to", f"n{3 * n % 40:03}") for n in range(40)])
    found = strategy(graph, documents=stored("d4", "d1", "n002", even="0"))
    queries = [f"word{number % 9}" for number in range(600)]
    context = RAGContext(4, metadata_filters=filters)
    table = found.retrieve_batch(queries, context).to_pylist()
    expected = {query: found.retrieve(query, context) for query in set(queries)}
    assert any(expected.values())
    assert [(row["query_id"], row["id"], row["score"], row["node_id"]) for row in table] == [
        (str(number), hit.metadata["entryId"], hit.score, hit.metadata["graph.nodeId"])
        for number, query in enumerate(queries)
        for hit in expected[query]
    ]


def test_the_batch_has_its_columns_even_without_hits():
    table = strategy(chain()).retrieve_batch(["nothing", ""])
    assert table.num_rows == 0
    assert table.column_names == [
        "query_id",
        "rank",
        "id",
        "score",
        "hops",
        "seed_score",
        "node_id",
    ]
    assert [str(table.schema.field(name).type) for name in ("hops", "seed_score", "node_id")] == [
        "int32", "double", "string",
    ]  # fmt: skip


def test_a_failing_store_fails_the_retrieval():  # S43
    store = chain()
    store.edges = lambda node_id: 1 / 0
    with pytest.raises(
        ExecutionError, match="graph store 'provider': edges\\('a'\\) raised ZeroDiv"
    ):
        strategy(store).retrieve("q")


@pytest.mark.parametrize(
    ("position", "value", "error", "message"),
    [
        (0, " ", InvalidArgumentError, "provider_name"),
        (0, None, InvalidArgumentError, "provider_name"),
        (1, object(), ConfigurationError, "store: expected a graph store"),
        (2, "wiki", InvalidArgumentError, "allowed_sources"),
        (2, None, InvalidArgumentError, "allowed_sources"),
        (2, [1], InvalidArgumentError, "allowed_sources"),
        (3, -1, InvalidArgumentError, "max_depth"),
        (3, True, InvalidArgumentError, "max_depth"),
        (4, float("nan"), InvalidArgumentError, "depth_decay"),
        (4, 1.5, InvalidArgumentError, "depth_decay"),
        (4, True, InvalidArgumentError, "depth_decay"),
        (5, 0, InvalidArgumentError, "max_visited_nodes"),
        (5, True, InvalidArgumentError, "max_visited_nodes"),
    ],
)
def test_what_the_constructor_refuses(position, value, error, message):  # S29
    arguments = ["provider", chain(), (), 2, 0.85, 1024]
    arguments[position] = value
    with pytest.raises(error, match=message):
        GraphRAGStrategy(*arguments)


@pytest.mark.parametrize("depth", [0, -1, True, 1.5])
def test_the_candidate_depth_is_a_count(depth):  # S14 S29
    with pytest.raises(InvalidArgumentError, match="candidate_depth"):
        strategy(chain(), candidate_depth=depth)


def test_documents_must_be_a_store():
    with pytest.raises(ConfigurationError, match="documents: expected a DocumentSource"):
        strategy(chain(), documents=["d1"])


def test_a_query_is_a_string():  # S2
    with pytest.raises(TypeError, match="query: expected a string"):
        strategy(chain()).retrieve(None)


def test_metadata_of_a_node_is_read_when_it_is_asked_for():  # S3
    owned = {"tier": "WORKING"}
    graph = CsrGraph([GraphNode("a", "", "s", owned)], [], lambda query, limit: [("a", 1.0)])
    semantic = RAGContext(metadata_filters={"tier": "SEMANTIC"})
    assert strategy(graph).retrieve("q", semantic) == ()
    owned["tier"] = "SEMANTIC"
    assert len(strategy(graph).retrieve("q", semantic)) == 1


def test_the_rows_of_the_documents_are_not_read_at_construction():
    class Store(DocumentList):
        @property
        def rows(self):
            raise AssertionError

    strategy(chain(), documents=Store(()))


def test_blocks_are_small_where_walks_are_large(monkeypatch):
    monkeypatch.setattr("octavo.strategies.graph._MOST_VISITS", 20)
    walked = []

    class Seen(ArrayWalk):
        def walk(self, texts, *rest):
            walked.append(len(texts))
            return super().walk(texts, *rest)

    monkeypatch.setattr("octavo.strategies.graph.ArrayWalk", Seen)
    store = CsrGraph(nodes("a b c d"), edges("a>b b>c c>d d>a"), lambda query, limit: [("a", 1.0)])
    queries = ["q"] * 12
    for most, sizes in ((1, [12]), (2, [10, 2]), (1000, [5, 5, 2])):
        table = strategy(store, most=most).retrieve_batch(queries)
        assert walked == sizes
        walked.clear()
        alone = strategy(store, most=most).retrieve("q")
        assert table["score"].to_pylist() == [hit.score for hit in alone] * 12
        walked.clear()
