"""Search settings with every default applied, as a retrieval runs them."""

from dataclasses import dataclass, fields

from octavo.declarative.declarations.context_format import DEFAULT_CONTEXT_FORMAT
from octavo.declarative.declarations.enums import FailureAction, QueryExpansion, SearchStrategy
from octavo.declarative.declarations.search import Search
from octavo.declarative.declarations.unset import UNSET
from octavo.errors import ConfigurationError

_UNEXPANDED = (SearchStrategy.GRAPH, SearchStrategy.REASONING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSearch:
    """The members of :class:`~octavo.declarative.Search`, each with a value (S62, S63).

    Members that a provider needs and nobody set are ``None``: ``query_param`` (the first ``str``
    parameter is the query), and the three models.

    Raises
    ------
    ConfigurationError
        A member has a value that it cannot have, or two do not go together: a reranker, an expander
        or a navigator without a model, an expansion where there can be none.

    Examples
    --------
    >>> ResolvedSearch.of(Search(top_k=8)).min_score
    0.5
    """

    strategy: SearchStrategy = SearchStrategy.SEMANTIC
    query_param: str | None = None
    rerank: bool = False
    reranker_model: str | None = None
    context_window: int = 4000
    top_k: int = 5
    top_n: int = 3
    min_score: float = 0.5
    deduplicate: bool = True
    dedupe_threshold: float = 0.9
    query_expansion: QueryExpansion = QueryExpansion.NONE
    query_expansion_model: str | None = None
    navigator_model: str | None = None
    expanded_queries: int = 3
    include_spec: bool = True
    context_format: str = DEFAULT_CONTEXT_FORMAT
    cache: bool = True
    cache_ttl: int = 300
    max_staleness: int = 3600
    on_failure: FailureAction = FailureAction.CONTINUE

    def __post_init__(self) -> None:
        defaults = {each.name: each.default for each in fields(self)}
        members = {name: getattr(self, name) for name in defaults}
        members = {name: defaults[name] if v is UNSET else v for name, v in members.items()}
        # Only what has no default may be None.
        needed = {n: v for n, v in members.items() if v is not None or defaults[n] is not None}
        for name, value in (members | Search(**needed).given).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "query_param", self.query_param or None)
        _check_expansion(self)
        _check_model("reranker_model", self.reranker_model, "rerank", needed=self.rerank)
        _check_model(
            "navigator_model",
            self.navigator_model,
            "the strategy REASONING",
            needed=self.strategy is SearchStrategy.REASONING,
        )

    @classmethod
    def of(cls, search: Search) -> "ResolvedSearch":
        """Return what a declaration means, its defaults applied.

        The strategy MULTI_QUERY without an expansion expands by MULTI_QUERY.

        Raises
        ------
        ConfigurationError
            Members do not go together.
        """
        given = search.given
        if search.strategy is SearchStrategy.MULTI_QUERY and search.query_expansion is UNSET:
            given["query_expansion"] = QueryExpansion.MULTI_QUERY
        return cls(**given)


def _check_expansion(search: ResolvedSearch) -> None:
    expands = search.query_expansion is not QueryExpansion.NONE
    if search.strategy is SearchStrategy.MULTI_QUERY and not expands:
        raise ConfigurationError(
            "query_expansion: NONE does not go with the strategy MULTI_QUERY; leave it out, or name "
            "a kind of expansion"
        )
    if expands and search.strategy in _UNEXPANDED:
        raise ConfigurationError(
            f"query_expansion: {search.query_expansion} does not go with the strategy "
            f"{search.strategy}, whose queries are not expanded"
        )
    what = f"query_expansion {search.query_expansion}"
    _check_model("query_expansion_model", search.query_expansion_model, what, needed=expands)


def _check_model(name: str, model: str | None, what: str, *, needed: bool) -> None:
    if needed and model is None:
        raise ConfigurationError(f"{name}: needed for {what}, and not set")
