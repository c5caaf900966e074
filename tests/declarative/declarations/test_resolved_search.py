"""What unset members mean, and which members do not go together."""

from dataclasses import FrozenInstanceError, asdict, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative import UNSET, QueryExpansion, ResolvedSearch, Search, SearchStrategy
from octavo.errors import ConfigurationError

# The reference's table of @Search, "Unset means", typed in.
TABLE = {
    "strategy": "SEMANTIC",
    "query_param": None,  # positional
    "rerank": False,
    "reranker_model": None,
    "context_window": 4000,
    "top_k": 5,
    "top_n": 3,
    "min_score": 0.5,
    "deduplicate": True,
    "dedupe_threshold": 0.9,
    "query_expansion": "NONE",
    "query_expansion_model": None,
    "navigator_model": None,
    "expanded_queries": 3,
    "include_spec": True,
    "context_format": "[Source: ${source}]\n${content}\n\n",  # source + content
    "cache": True,
    "cache_ttl": 300,
    "max_staleness": 3600,
    "on_failure": "CONTINUE",
}


def test_the_defaults_are_the_references():  # S62
    resolved = asdict(ResolvedSearch.of(Search()))
    assert resolved == TABLE
    assert list(resolved) == [each.name for each in fields(Search)]
    assert {
        name: type(value) for name, value in resolved.items() if type(value) in {int, bool}
    } == {name: type(value) for name, value in TABLE.items() if type(value) in {int, bool}}


@pytest.mark.parametrize(
    ("name", "value"),
    [("top_k", 8), ("min_score", 0.0), ("rerank", False), ("cache_ttl", 0), ("max_staleness", -1)],
)
def test_a_given_member_is_kept_and_others_have_their_defaults(name, value):  # S62
    assert asdict(ResolvedSearch.of(Search(**{name: value}))) == TABLE | {name: value}


def test_a_blank_query_parameter_is_none():  # S65
    assert ResolvedSearch.of(Search(query_param=" ")).query_param is None
    assert ResolvedSearch.of(Search(query_param="question")).query_param == "question"


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ({"rerank": True}, "^reranker_model: needed for rerank, and not set$"),
        ({"strategy": "REASONING"}, "^navigator_model: needed for the strategy REASONING"),
        ({"strategy": "MULTI_QUERY"}, "^query_expansion_model: needed for .* MULTI_QUERY"),
        ({"query_expansion": "HYDE"}, "^query_expansion_model: needed for query_expansion HYDE"),
        (
            {"strategy": "MULTI_QUERY", "query_expansion": "NONE", "query_expansion_model": "m"},
            "^query_expansion: NONE does not go with the strategy MULTI_QUERY",
        ),
        *(
            (
                {
                    "strategy": strategy,
                    "query_expansion": "SYNONYM",
                    "query_expansion_model": "m",
                    "navigator_model": "n",
                },
                f"^query_expansion: SYNONYM does not go with the strategy {strategy}",
            )
            for strategy in ("GRAPH", "REASONING")
        ),
    ],
)
def test_members_that_do_not_go_together(search, told):  # S63
    with pytest.raises(ConfigurationError, match=told):
        ResolvedSearch.of(Search(**search))


@pytest.mark.parametrize(
    "search",
    [
        {"rerank": True, "reranker_model": "m"},
        {"rerank": False},
        {"reranker_model": "m"},
        {"strategy": "REASONING", "navigator_model": "m"},
        {"strategy": "REASONING", "navigator_model": "m", "query_expansion": "NONE"},
        {"query_expansion": "HYDE", "query_expansion_model": "m"},
        {"query_expansion": "NONE"},
        *(
            {"strategy": name}
            for name in ("KEYWORD", "HYBRID", "GRAPH", "HIERARCHICAL", "TEMPORAL")
        ),
        *(
            {"strategy": name, "query_expansion": "STEP_BACK", "query_expansion_model": "m"}
            for name in ("SEMANTIC", "KEYWORD", "HYBRID", "MULTI_QUERY", "HIERARCHICAL", "TEMPORAL")
        ),
    ],
)
def test_members_that_go_together(search):  # S63
    resolved = asdict(ResolvedSearch.of(Search(**search)))
    assert resolved == TABLE | search


def test_multi_query_expands_by_multi_query_unless_told():  # S63
    search = Search(strategy="MULTI_QUERY", query_expansion_model="m")
    assert ResolvedSearch.of(search).query_expansion is QueryExpansion.MULTI_QUERY


def test_it_is_checked_and_converted_where_it_is_made_directly():
    with pytest.raises(ConfigurationError, match="top_k: expected an integer"):
        ResolvedSearch(top_k=0)
    with pytest.raises(ConfigurationError, match="reranker_model"):
        ResolvedSearch(rerank=True)
    assert ResolvedSearch(strategy="hybrid").strategy is SearchStrategy.HYBRID
    assert ResolvedSearch(top_k=UNSET, reranker_model=UNSET) == ResolvedSearch()


@pytest.mark.parametrize("name", [name for name, value in TABLE.items() if value is not None])
def test_only_what_a_provider_needs_may_be_none(name):
    with pytest.raises(ConfigurationError, match=f"{name}: expected"):
        ResolvedSearch(**{name: None})


def test_it_is_a_value():
    assert hash(ResolvedSearch(top_k=3)) == hash(ResolvedSearch.of(Search(top_k=3)))
    with pytest.raises(FrozenInstanceError):
        ResolvedSearch().top_k = 3


@given(st.integers(1, 100), st.floats(0, 1), st.booleans())
def test_resolving_what_is_resolved_changes_nothing(top_k, min_score, cache):
    resolved = ResolvedSearch.of(Search(top_k=top_k, min_score=min_score, cache=cache))
    members = {name: value for name, value in asdict(resolved).items() if value is not None}
    assert ResolvedSearch.of(Search(**members)) == resolved
