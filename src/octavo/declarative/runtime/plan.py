"""Who takes part in a retrieval; found before anything runs, above every failure policy (S63)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from octavo.declarative.declarations.binding import BoundDeclarations
from octavo.declarative.declarations.enums import (
    KnowledgeType,
    QueryExpansion,
    SearchStrategy,
)
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.providers import Providers
from octavo.errors import GraphCapabilityError
from octavo.graph.providers import NamedProvider, claiming_provider
from octavo.spi import (
    GraphScope,
    QueryExpander,
    Reranker,
    RetrievalEngineProvider,
    RetrievalScope,
    TreeNavigator,
)

_WITHOUT_VECTORS = frozenset(
    {SearchStrategy.KEYWORD, SearchStrategy.REASONING, SearchStrategy.GRAPH}
)
_WITH_GRAPH = frozenset({SearchStrategy.GRAPH, SearchStrategy.HYBRID})


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """A search, the sources it is about, and the providers that serve it.

    Parameters
    ----------
    search
        The settings.
    searched
        The sources that the action names with use SEARCH.
    loaded
        The sources whose documents it is about; for a graph, those that it can be made of.
    graph_scope
        For whom a graph is wanted.
    graph, engine, expander, navigator, reranker
        Who serves it; ``None`` where nobody is needed, or octavo itself does.
    """

    search: ResolvedSearch
    searched: tuple[Knowledge, ...]
    loaded: tuple[Knowledge, ...]
    graph_scope: GraphScope
    graph: NamedProvider | None = None
    engine: RetrievalEngineProvider | None = None
    expander: QueryExpander | None = None
    navigator: TreeNavigator | None = None
    reranker: Reranker | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the searched sources."""
        return tuple(each.name for each in self.searched)

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the sources that an engine is asked for; a chat's memory is octavo's own."""
        return tuple(each.name for each in self.searched if each.type is not KnowledgeType.MEMORY)

    @property
    def needs_vectors(self) -> bool:
        """Whether queries or documents are compared by their vectors."""
        return self.search.deduplicate or self.search.strategy not in _WITHOUT_VECTORS

    @property
    def has_documents(self) -> bool:
        """Whether there are documents that words can be looked for in; a graph alone has none."""
        return self.engine is not None or self.search.strategy is not SearchStrategy.GRAPH

    @property
    def loads(self) -> bool:
        """Whether documents are loaded for it: not where somebody else has them.

        A graph of the application's own, or a database, is no reason to load files.
        """
        if self.engine is not None:
            return False
        if self.search.strategy is not SearchStrategy.GRAPH:
            return True
        return bool(self.loaded) and self.graph is not None and self.graph.provider.is_default

    def simple(self) -> "RetrievalPlan":
        """Return the one keyword retry of RETRY_SIMPLE.

        It expands, compares and reranks nothing; where reranking would have left fewer, so does it.
        """
        search = self.search
        limit = min(search.top_k, search.top_n) if search.rerank else search.top_k
        keyword = replace(
            search,
            strategy=SearchStrategy.KEYWORD,
            query_expansion=QueryExpansion.NONE,
            rerank=False,
            deduplicate=False,
            top_k=limit,
        )
        return replace(
            self, search=keyword, graph=None, expander=None, navigator=None, reranker=None
        )


def plan_retrieval(
    bindings: BoundDeclarations,
    search: ResolvedSearch,
    searched: Sequence[Knowledge],
    providers: Providers,
) -> RetrievalPlan:
    """Find everybody that a search needs.

    Raises
    ------
    ConfigurationError
        A model is blank, or several providers would serve, whose order must not decide.
    ProviderUnavailableError
        No provider serves a model.
    GraphCapabilityError
        No provider serves a graph that is searched alone.
    """
    documents = tuple(each for each in searched if each.type is not KnowledgeType.MEMORY)
    scope = RetrievalScope(bindings.role_name, bindings.agent_name, documents)
    engine = providers.engine(scope) if documents else None
    files = _files(bindings.sources)
    alone = search.strategy is SearchStrategy.GRAPH
    graph_scope = GraphScope(
        bindings.role_name,
        searched[0].name if alone else None,
        tuple(each.name for each in (files if alone else _files(searched))),
        bool(files),
    )
    graph = None
    if engine is None and search.strategy in _WITH_GRAPH:
        graph = claiming_provider(graph_scope, providers.graphs())
        if graph is None and alone:
            raise GraphCapabilityError(
                f"graph of the role {bindings.role_name!r}: no provider serves it: there is "
                "neither FILE knowledge, nor a live KnowledgeTools, nor a graph database that is "
                "configured"
            )
    loaded = files if alone else documents
    if engine is None and (not alone or graph is None or graph.provider.is_default):
        providers.check_context_models(loaded)
    expands = search.query_expansion is not QueryExpansion.NONE
    reasons = search.strategy is SearchStrategy.REASONING and engine is None
    return RetrievalPlan(
        search,
        tuple(searched),
        () if engine is not None else loaded,
        graph_scope,
        graph,
        engine,
        providers.expander(search.query_expansion_model) if expands else None,
        providers.navigator(search.navigator_model) if reasons else None,
        providers.reranker(search.reranker_model) if search.rerank else None,
    )


def _files(sources: Sequence[Knowledge]) -> tuple[Knowledge, ...]:
    return tuple(each for each in sources if each.type is KnowledgeType.FILE)
