"""Search settings, built member by member."""

from typing import Any

from octavo.declarative.declarations.enums import FailureAction, QueryExpansion, SearchStrategy
from octavo.declarative.declarations.search import Search


class RetrievalConfig:
    """The twin of :class:`~octavo.declarative.Search`: one method a member, then ``build``.

    A value is checked when it is given; the last one given holds.

    Examples
    --------
    >>> RetrievalConfig.builder().query_param("question").top_k(8).build()
    Search(query_param='question', top_k=8)
    """

    __slots__ = ("_search",)

    def __init__(self) -> None:
        self._search = Search()

    @classmethod
    def builder(cls) -> "RetrievalConfig":
        """Return a configuration with nothing set."""
        return cls()

    def build(self) -> Search:
        """Return what was set."""
        return self._search

    def strategy(self, value: SearchStrategy) -> "RetrievalConfig":
        """Set which of the eight strategies searches."""
        return self._with(strategy=value)

    def query_param(self, value: str) -> "RetrievalConfig":
        """Set the action's parameter that is the query."""
        return self._with(query_param=value)

    def rerank(self, value: bool) -> "RetrievalConfig":  # noqa: FBT001
        """Set whether a reranker orders what was retrieved."""
        return self._with(rerank=value)

    def reranker_model(self, value: str) -> "RetrievalConfig":
        """Set the reranker's model."""
        return self._with(reranker_model=value)

    def context_window(self, value: int) -> "RetrievalConfig":
        """Set the most tokens of the rendered context."""
        return self._with(context_window=value)

    def top_k(self, value: int) -> "RetrievalConfig":
        """Set the most results of the strategy."""
        return self._with(top_k=value)

    def top_n(self, value: int) -> "RetrievalConfig":
        """Set the most results after reranking."""
        return self._with(top_n=value)

    def min_score(self, value: float) -> "RetrievalConfig":
        """Set the lowest score, from 0 to 1."""
        return self._with(min_score=value)

    def deduplicate(self, value: bool) -> "RetrievalConfig":  # noqa: FBT001
        """Set whether similar results are dropped."""
        return self._with(deduplicate=value)

    def dedupe_threshold(self, value: float) -> "RetrievalConfig":
        """Set the cosine from which results are similar."""
        return self._with(dedupe_threshold=value)

    def query_expansion(self, value: QueryExpansion) -> "RetrievalConfig":
        """Set what kind of variations are searched too."""
        return self._with(query_expansion=value)

    def query_expansion_model(self, value: str) -> "RetrievalConfig":
        """Set the expander's model."""
        return self._with(query_expansion_model=value)

    def navigator_model(self, value: str) -> "RetrievalConfig":
        """Set the tree navigator's model."""
        return self._with(navigator_model=value)

    def expanded_queries(self, value: int) -> "RetrievalConfig":
        """Set the most variations besides the original query."""
        return self._with(expanded_queries=value)

    def include_spec(self, value: bool) -> "RetrievalConfig":  # noqa: FBT001
        """Set whether source and score show in the context."""
        return self._with(include_spec=value)

    def context_format(self, value: str) -> "RetrievalConfig":
        """Set how a document is written into the context."""
        return self._with(context_format=value)

    def cache(self, value: bool) -> "RetrievalConfig":  # noqa: FBT001
        """Set whether results are cached."""
        return self._with(cache=value)

    def cache_ttl(self, value: int) -> "RetrievalConfig":
        """Set the seconds for which a cached result is fresh."""
        return self._with(cache_ttl=value)

    def max_staleness(self, value: int) -> "RetrievalConfig":
        """Set the further seconds for which USE_CACHE may serve it."""
        return self._with(max_staleness=value)

    def on_failure(self, value: FailureAction) -> "RetrievalConfig":
        """Set what follows a failed retrieval."""
        return self._with(on_failure=value)

    def _with(self, **members: Any) -> "RetrievalConfig":  # noqa: ANN401 - one of the above
        self._search = Search(**self._search.given | members)
        return self
