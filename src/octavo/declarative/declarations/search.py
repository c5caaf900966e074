"""How sources are searched, as far as a declaration says so."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from octavo.declarative.declarations import enums
from octavo.declarative.declarations.checks import (
    count,
    flag,
    fraction,
    identifier,
    name_or_blank,
    one_of,
)
from octavo.declarative.declarations.context_format import context_format
from octavo.declarative.declarations.enums import FailureAction, SearchStrategy
from octavo.declarative.declarations.mappings import members_from
from octavo.declarative.declarations.members import member, represented, settle
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.unset import UNSET, Unset


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Search:
    """The search settings of a source; a member that is not given is ``UNSET`` (S62).

    What an unset member means is in :class:`~octavo.declarative.ResolvedSearch`. The name of an
    enumeration's member, in any case, stands for the member.

    Parameters
    ----------
    strategy
        One of the eight strategies; unset: SEMANTIC.
    query_param
        The action's parameter that is the query; unset or blank: the first ``str`` parameter.
    rerank
        Whether a reranker orders what was retrieved; unset: no.
    reranker_model
        The reranker's model, needed where ``rerank`` is set.
    context_window
        The most tokens of the whole rendered context, at least 1; unset: 4000.
    top_k
        The most results of the strategy, at least 1; unset: 5.
    top_n
        The most results after reranking, at least 1; unset: 3.
    min_score
        The lowest score, from 0 to 1, inclusive; unset: 0.5.
    deduplicate
        Whether similar results are dropped; unset: yes.
    dedupe_threshold
        The cosine from which two results are similar, from 0 to 1; unset: 0.9.
    query_expansion
        What kind of variations of the query are searched too; unset: NONE.
    query_expansion_model
        The expander's model, needed where queries are expanded.
    navigator_model
        The tree navigator's model, needed by the strategy REASONING.
    expanded_queries
        The most variations besides the original query, at least 1; unset: 3.
    include_spec
        Whether source and score show in the context; unset: yes.
    context_format
        How a document is written, with ``${content}``, ``${source}`` and ``${score}``; unset:
        source, then content.
    cache
        Whether results are cached; unset: yes.
    cache_ttl
        Seconds for which a cached result is fresh, at least 0; unset: 300.
    max_staleness
        Further seconds for which USE_CACHE may serve it, -1 without bound; unset: 3600.
    on_failure
        What follows a failed retrieval; unset: CONTINUE.

    Raises
    ------
    ConfigurationError
        A member has a value that it cannot have; the message names it.

    Examples
    --------
    >>> search = Search(strategy=Search.Strategy.HYBRID, top_k=8)
    >>> search
    Search(strategy=<SearchStrategy.HYBRID: 'HYBRID'>, top_k=8)
    >>> search.min_score
    UNSET
    """

    Strategy: ClassVar = SearchStrategy
    QueryExpansion: ClassVar = enums.QueryExpansion
    FallbackAction: ClassVar = FailureAction

    strategy: SearchStrategy | Unset = member(UNSET, one_of(SearchStrategy))
    query_param: str | Unset = member(UNSET, name_or_blank)
    rerank: bool | Unset = member(UNSET, flag)
    reranker_model: str | Unset = member(UNSET, identifier)
    context_window: int | Unset = member(UNSET, count(1))
    top_k: int | Unset = member(UNSET, count(1))
    top_n: int | Unset = member(UNSET, count(1))
    min_score: float | Unset = member(UNSET, fraction)
    deduplicate: bool | Unset = member(UNSET, flag)
    dedupe_threshold: float | Unset = member(UNSET, fraction)
    query_expansion: enums.QueryExpansion | Unset = member(UNSET, one_of(enums.QueryExpansion))
    query_expansion_model: str | Unset = member(UNSET, identifier)
    navigator_model: str | Unset = member(UNSET, identifier)
    expanded_queries: int | Unset = member(UNSET, count(1))
    include_spec: bool | Unset = member(UNSET, flag)
    context_format: str | Unset = member(UNSET, context_format)
    cache: bool | Unset = member(UNSET, flag)
    cache_ttl: int | Unset = member(UNSET, count(0))
    max_staleness: int | Unset = member(UNSET, count(-1))
    on_failure: FailureAction | Unset = member(UNSET, one_of(FailureAction))

    def __post_init__(self) -> None:
        with naming("Search"):
            settle(self)

    @property
    def given(self) -> dict[str, Any]:
        """The members that are set, in order."""
        members = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in members.items() if value is not UNSET}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Search":
        """Return the settings that a plain mapping holds, as TOML or JSON gives it.

        Raises
        ------
        ConfigurationError
            A key is unknown, or its value is not possible.

        Examples
        --------
        >>> Search.from_mapping({"topK": 8, "on_failure": "fail"})
        Search(top_k=8, on_failure=<FailureAction.FAIL: 'FAIL'>)
        """
        with naming("Search"):
            members = members_from(mapping, (each.name for each in fields(cls)))
        return cls(**members)  # type: ignore[arg-type]  # they are checked when they are set

    def __repr__(self) -> str:
        return represented(self, frozenset(self.given))
