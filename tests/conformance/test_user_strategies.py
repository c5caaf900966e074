"""A user's own strategy inside octavo's: what it is asked, and what of its answers is kept."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import ExecutionError, InvalidArgumentError, RAGContext, RetrievedDocument
from octavo.spi import QueryExpansion
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.returned import as_columnar
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex
from octavo.testing import FakeExpander, contexts, documents
from tests.conformance.world import NOW

DEPTH = 100  # S14


class Returning:
    """Returns what it is given, whatever it is asked."""

    name = "returning"

    def __init__(self, *documents, failure=None):
        self.documents = documents
        self.failure = failure
        self.asked = []

    def retrieve(self, query, context):
        self.asked.append((query, context))
        if self.failure is not None:
            raise self.failure
        return list(self.documents)


def hierarchical(child, **options):
    return HierarchicalRAGStrategy(child, HierarchyIndex([]), decay=1.0, **options)


def temporal(child, **options):
    return TemporalRAGStrategy(
        child, TemporalIndex([]), clock=lambda: NOW, relevance_floor=1.0, **options
    )


def multi_query(child, **options):
    expander = FakeExpander({"query": []})
    return MultiQueryRAGStrategy(child, expander, QueryExpansion.SYNONYM, "fake", 1, **options)


OUTER = (hierarchical, temporal, multi_query)


class Nan(RetrievedDocument):
    @property
    def score(self):
        return float("nan")


def document(name, score=1.0, kind=RetrievedDocument, **metadata):
    return kind(f"text of {name}", "own", score, {"entryId": name, **metadata})


def names(found):
    return [each.metadata["entryId"] for each in found]


@pytest.mark.parametrize("outer", OUTER)
def test_unsorted_documents_are_sorted_and_ties_keep_their_order(outer):  # S15 S6
    child = Returning(
        document("low", 0.1), document("high", 0.9), document("tie 1", 0.5), document("tie 2", 0.5)
    )
    found = outer(child).retrieve("query", RAGContext())
    assert names(found) == ["high", "tie 1", "tie 2", "low"]


@pytest.mark.parametrize("outer", OUTER)
def test_the_best_of_the_same_document_is_kept(outer):  # S15
    child = Returning(
        document("a", 0.2),
        document("b", 0.5),
        document("a", 0.9),
        # The same text under another id is another document; without ids, all must be equal.
        RetrievedDocument("text of a", "own", 0.4, {"entryId": "c"}),
        RetrievedDocument("text", "own", 0.3, {"k": "1"}),
        RetrievedDocument("text", "own", 0.31, {"k": "1"}),
        RetrievedDocument("text", "own", 0.29, {"k": "2"}),
        RetrievedDocument("text", "other", 0.28, {"k": "1"}),
    )
    found = outer(child).retrieve("query", RAGContext())
    assert [each.metadata.get("entryId") for each in found[:3]] == ["a", "b", "c"]
    assert [(each.source, each.metadata["k"]) for each in found[3:]] == [
        ("own", "1"),
        ("own", "2"),
        ("other", "1"),
    ]


@given(st.lists(documents(), max_size=12), st.lists(st.integers(0, 3)), contexts())
def test_what_is_kept_is_what_the_rule_says(found, ids, context):  # S15 S6 S7 S8 S10
    returned = [
        RetrievedDocument(each.content, each.source, each.score, {**each.metadata, **known})
        for each, known in zip(
            found,
            [{"entryId": f"d{number}"} for number in ids[: len(found)]]
            + [{}] * (len(found) - len(ids)),
            strict=True,
        )
    ]
    # Stable re-sort, re-filter, best duplicate kept, truncated: in these words, one by one.
    kept = sorted(returned, key=lambda each: -each.score)
    kept = [each for each in kept if context.metadata_filters.items() <= each.metadata.items()]
    kept = [each for each in kept if each.score >= context.min_score]
    seen = [
        each.metadata.get("entryId")
        or (each.content, each.source, tuple(sorted(each.metadata.items())))
        for each in kept
    ]
    kept = [each for number, each in enumerate(kept) if seen[number] not in seen[:number]]
    assert as_columnar(Returning(*returned)).retrieve("query", context) == tuple(
        kept[: context.max_results]
    )


@given(st.lists(documents(), max_size=12), contexts())
def test_what_changes_nothing_changes_nothing(found, context):  # S15 S22 S25 S26 S27
    # A floor of 1, an index that knows nothing, no variants: each is the strategy itself.
    child = Returning(*found)
    alone = as_columnar(child).retrieve("query", context)
    for outer in (hierarchical, temporal):
        assert outer(child).retrieve("query", context) == tuple(
            RetrievedDocument(each.content, each.source, each.score, again.metadata)
            for each, again in zip(alone, outer(child).retrieve("query", context), strict=True)
        )
    anything = context.with_min_score(-sys.float_info.max)
    ranked = as_columnar(child).retrieve("query", anything)
    fused = multi_query(child).retrieve("query", anything)
    assert [(each.content, each.source, each.score) for each in fused] == [
        (each.content, each.source, 61 / (60 + rank)) for rank, each in enumerate(ranked, 1)
    ]


@pytest.mark.parametrize("outer", OUTER)
def test_documents_are_filtered_again(outer):  # S15 S7
    child = Returning(document("a", tier="WORKING"), document("b", tier="working"), document("c"))
    filters = {"tier": "WORKING"}
    assert names(outer(child).retrieve("query", RAGContext(10, 0.0, filters))) == ["a"]


@pytest.mark.parametrize("outer", OUTER)
def test_more_than_asked_for_is_cut(outer):  # S15 S14
    child = Returning(*(document(f"d{number}", 1 / (1 + number)) for number in range(500)))
    assert len(outer(child).retrieve("query", RAGContext(1_000))) == 500
    assert len(outer(child).retrieve("query", RAGContext(7))) == 7
    whole = outer(child, candidate_depth=3).retrieve("query", RAGContext(3))
    assert names(whole) == ["d0", "d1", "d2"]


@pytest.mark.parametrize("outer", OUTER)
def test_a_nan_score_is_an_execution_failure(outer):  # S15 S13
    child = Returning(document("a"), document("b", kind=Nan))
    with pytest.raises(ExecutionError, match="'returning'.*NaN"):
        outer(child).retrieve("query", RAGContext())


@pytest.mark.parametrize("outer", OUTER)
def test_what_a_strategy_is_asked(outer):  # S9 S10 S14
    filters = {"tier": "WORKING"}
    for limit, option, depth in (
        (1, {}, DEPTH),
        (DEPTH + 1, {}, DEPTH + 1),
        (1, {"candidate_depth": 5}, 5),
        (6, {"candidate_depth": 5}, 6),
    ):
        child = Returning(document("a", -0.5, tier="WORKING"))
        outer(child, **option).retrieve("query", RAGContext(limit, 0.7, filters))
        (asked,) = child.asked
        assert asked == ("query", RAGContext(depth, -sys.float_info.max, filters))


@pytest.mark.parametrize("outer", [hierarchical, temporal])
def test_a_negative_score_is_not_lost_inside(outer):  # S10
    child = Returning(document("a", -0.25), document("b", -0.5))
    assert names(outer(child).retrieve("query", RAGContext(10, -0.25))) == ["a"]
    assert outer(child).retrieve("query", RAGContext()) == ()


@pytest.mark.parametrize("outer", OUTER)
def test_its_own_errors_keep_their_type_and_others_name_it(outer):  # S43
    with pytest.raises(InvalidArgumentError, match="mine"):
        outer(Returning(failure=InvalidArgumentError("mine"))).retrieve("query", RAGContext())
    with pytest.raises(ExecutionError, match="'returning'.*OSError.*no line") as raised:
        outer(Returning(failure=OSError("no line"))).retrieve("query", RAGContext())
    assert isinstance(raised.value.__cause__, OSError)
