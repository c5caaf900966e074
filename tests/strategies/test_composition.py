"""Strategies inside strategies: what one query gets never depends on the others of its batch."""

import pytest

from octavo import (
    CancellationToken,
    CancelledError,
    CsrGraph,
    GraphNode,
    GraphRAGStrategy,
    HierarchicalRAGStrategy,
    HierarchyIndex,
    InvalidArgumentError,
    MemoryEntry,
    MemoryTier,
    MultiQueryRAGStrategy,
    QueryExpansion,
    RAGContext,
    ReasoningRAGStrategy,
    RetrievedDocument,
    TemporalIndex,
    TemporalRAGStrategy,
    VectorMemoryStore,
    VectorRAGStrategy,
)
from octavo.strategies.queries import Queries


class Own:
    """A user's own strategy, from a function of the query."""

    name = "own"

    def __init__(self, answer):
        self.answer = answer

    def retrieve(self, query, context):
        return self.answer(query)


def document(identifier, source="s", content="text", score=1.0):
    return RetrievedDocument(content, source, score, {"entryId": identifier})


def variants(base, answers, cancellation=None):
    return MultiQueryRAGStrategy(
        base, lambda *_: answers, QueryExpansion.SYNONYM, "m", 3, cancellation
    )


def found(strategy, query, **context):
    hits = strategy.retrieve(query, RAGContext(**context))
    return [(hit.metadata["entryId"], hit.score) for hit in hits]


def found_in_batch(strategy, queries, **context):
    rows = strategy.retrieve_batch(queries, RAGContext(**context)).to_pylist()
    return [
        [(row["id"], row["score"]) for row in rows if row["query_id"] == str(number)]
        for number in range(len(queries))
    ]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_ties_are_settled_within_a_query(limit):  # S5 S6
    lists = {"q0": "ba", "q1": "ac", "v": "bc"}
    strategy = variants(Own(lambda query: [document(each) for each in lists[query]]), ["v"])
    alone = [found(strategy, query, max_results=limit) for query in ("q0", "q1")]
    assert found_in_batch(strategy, ["q0", "q1"], max_results=limit) == alone
    assert found_in_batch(strategy, ["q1", "q0"], max_results=limit) == alone[::-1]


@pytest.mark.parametrize("compose", [
    lambda base: TemporalRAGStrategy(base, TemporalIndex([]), ("t",)),
    lambda base: HierarchicalRAGStrategy(base, HierarchyIndex([]), ("t",)),
])  # fmt: skip
def test_a_document_is_judged_by_the_source_it_came_with(compose):  # S5 S9
    own = Own(lambda query: [document("a", "s" if query == "q0" else "t", f"for {query}")])
    strategy = compose(variants(own, []))
    alone = [len(strategy.retrieve(query)) for query in ("q0", "q1")]
    assert alone == [0, 1]
    assert [len(hits) for hits in found_in_batch(strategy, ["q0", "q1"])] == alone
    assert [len(hits) for hits in found_in_batch(strategy, ["q1", "q0"])] == alone[::-1]
    assert strategy.retrieve("q1")[0].content == "for q1"


def test_a_zero_query_votes_in_no_fusion_however_deep(tmp_path):  # S20
    store = VectorMemoryStore(lambda text: [float(text.count("x")), float(text.count("y"))])
    for identifier, text in (("a", "x"), ("b", "y"), ("c", "yy x")):
        store.add(MemoryEntry(identifier, text, MemoryTier.SEMANTIC))
    vector = VectorRAGStrategy(store)
    expected = found(variants(vector, ["nothing"]), "y")
    assert expected[0] == ("b", 1.0)
    through = HierarchicalRAGStrategy(vector, HierarchyIndex([]), max_depth=0)
    assert found(variants(through, ["nothing"]), "y") == expected


def test_a_stream_keeps_the_state_it_ranked():  # S31
    store = VectorMemoryStore(lambda text: [float(text.count("x")), float(text.count("y"))])
    for identifier, text in (("a", "x"), ("b", "y")):
        store.add(MemoryEntry(identifier, text, MemoryTier.SEMANTIC))
    ranking = VectorRAGStrategy(store).stream(Queries(("y", "nothing")), RAGContext())
    store.remove("a")
    assert [hit.metadata["entryId"] for hit in ranking.retrieved()] == ["b", "a"]


def test_a_fence_over_a_graph_means_the_same_alone_and_fused():  # S24
    store = CsrGraph([GraphNode("n", "node", "own")], [], lambda *_: [("n", 1.0)])
    graph = GraphRAGStrategy("provider", store, (), 1, 0.5, 10)
    for fence, expected in ((("own",), 1), (("provider",), 0)):
        for compose in (
            lambda child, fence=fence: TemporalRAGStrategy(child, TemporalIndex([]), fence),
            lambda child, fence=fence: HierarchicalRAGStrategy(child, HierarchyIndex([]), fence),
        ):
            strategy = compose(graph)
            assert len(strategy.retrieve("q")) == expected
            assert len(variants(strategy, []).retrieve("q")) == expected


@pytest.mark.parametrize("sources", ["s", [1], [None], None, 5])
def test_a_fence_is_a_collection_of_sources(sources):
    child, tree = Own(lambda _: []), HierarchyIndex([])
    for make in (
        lambda: HierarchicalRAGStrategy(child, tree, sources),
        lambda: TemporalRAGStrategy(child, TemporalIndex([]), sources),
        lambda: ReasoningRAGStrategy(tree, lambda *_: None, "m", sources),
    ):
        with pytest.raises(InvalidArgumentError, match="allowed_sources"):
            make()


def test_cancelling_stops_between_the_calls_of_a_user_strategy():  # S25
    token, calls = CancellationToken(), []

    def answer(query):
        calls.append(query)
        token.cancel()
        return []

    with pytest.raises(CancelledError):
        variants(Own(answer), ["b", "c", "d"], token).retrieve("a")
    assert calls == ["a"]


def test_any_number_of_results_may_be_asked_for():  # S13
    child = Own(lambda _: [document("a"), document("b")])
    strategy = HierarchicalRAGStrategy(child, HierarchyIndex([]))
    for limit in (2**31, 2**63, 10**30):
        assert len(strategy.retrieve("q", RAGContext(max_results=limit))) == 2
