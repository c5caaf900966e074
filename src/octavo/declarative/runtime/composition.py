"""The strategy of a plan: octavo's own, over a binding's corpus, put together as S63 says."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from octavo.corpus.corpus import Corpus
from octavo.declarative.declarations.enums import QueryExpansion, SearchStrategy
from octavo.declarative.runtime.attribution import KNOWLEDGE
from octavo.declarative.runtime.bindings import Binding
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.events import Events
from octavo.declarative.runtime.ingested import Embedding
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.plan import RetrievalPlan
from octavo.declarative.runtime.request_token import RequestToken, check_heeded, heeded
from octavo.declarative.runtime.stages import (
    EmbeddedStrategy,
    EngineStrategy,
    ScaledStrategy,
    TimedExpander,
)
from octavo.declarative.runtime.with_memory import CorpusWithMemory, StrategyBesideMemory
from octavo.errors import ExecutionError
from octavo.graph.providers import NamedProvider, OpenedGraph, open_graph_store
from octavo.spi import RetrievalEngineProvider
from octavo.storage.snapshot.snapshot import Snapshot
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hybrid import HybridRAGStrategy
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.returned import ReturnedStrategy

if TYPE_CHECKING:
    from octavo.columns.stored_document import StoredDocument


Searched = Corpus | CorpusWithMemory


@dataclass(frozen=True, slots=True)
class Composition:
    """Puts the strategy of one dispatch together.

    Parameters
    ----------
    plan
        Who takes part.
    binding
        Whose documents are searched.
    embedding
        The process's provider; ``None`` where no vectors are needed.
    filters
        The request's, for an engine that is the application's own.
    context, events
        Of the dispatch.
    memory
        A chat's memory, searched together with the documents; ``None`` where there is none.
    """

    plan: RetrievalPlan
    binding: Binding
    embedding: Embedding
    filters: dict[str, str]
    context: DispatchContext
    events: Events
    memory: MemoryCorpus | None = None

    def corpus(self) -> Searched | None:
        """Return the documents that are searched; ``None`` where somebody else has them."""
        if self.memory is not None:
            return self._with(self.memory, self.binding.corpus(self.embedding, self.context))
        if not self.plan.loads:
            return None
        corpus = self.binding.corpus(self.embedding, self.context)
        if self.embedding is not None and corpus.dimensions is None:
            # There are no documents, so nobody knows how long their vectors would be.
            return self._with(MemoryCorpus(""), corpus)
        return corpus

    def _with(self, memory: MemoryCorpus, corpus: Corpus) -> CorpusWithMemory:
        words = self.plan.search.strategy in {SearchStrategy.KEYWORD, SearchStrategy.HYBRID}
        entries = memory.snapshot(self.context, words=words, embedding=self.embedding)
        return CorpusWithMemory(corpus, entries)

    def strategy(self, corpus: Searched | None) -> ColumnarStrategy:
        """Return the strategy, expansion around it."""
        search = self.plan.search
        engine = self.plan.engine
        base = self._own(corpus) if engine is None else self._engine(engine)
        if engine is not None and corpus is not None:
            base = StrategyBesideMemory(base, self._remembered(corpus))
        if self.plan.expander is None:
            scaled = search.strategy is SearchStrategy.KEYWORD and self.plan.engine is None
            return ScaledStrategy(base) if scaled else base
        return MultiQueryRAGStrategy(
            base,
            TimedExpander(self.plan.expander, self.events),
            QueryExpansion(search.query_expansion),
            str(search.query_expansion_model),
            search.expanded_queries,
            RequestToken(self.context),
        )

    def _engine(self, engine: RetrievalEngineProvider) -> ColumnarStrategy:
        plan = self.plan
        asked = EngineStrategy(engine, plan.search, plan.asked, self.filters, self.context)
        return ReturnedStrategy(asked, asked.name)

    def _remembered(self, corpus: Searched) -> ColumnarStrategy:
        match self.plan.search.strategy:
            case SearchStrategy.KEYWORD:
                return ScaledStrategy(corpus.strategy("keyword"))
            case SearchStrategy.HYBRID:
                return self._own(corpus)
        return self._embedded(corpus.strategy("vector"))

    def _own(self, corpus: Searched | None) -> ColumnarStrategy:
        strategy = self.plan.search.strategy
        graph = self.plan.graph
        if strategy is SearchStrategy.GRAPH and graph is not None:
            return self._graph(graph, None if corpus is None else _documents_in(corpus))
        if corpus is None:
            raise ExecutionError(f"strategy {strategy}: there are no documents to search")
        match strategy:
            case SearchStrategy.KEYWORD:
                return corpus.strategy("keyword")
            case SearchStrategy.HYBRID:
                third = None if graph is None else self._graph(graph, _documents_in(corpus))
                store = corpus.vector_store
                return self._embedded(HybridRAGStrategy(store, store, third))
            case SearchStrategy.REASONING:
                return corpus.strategy(
                    "reasoning",
                    navigator=self.plan.navigator,
                    model=self.plan.search.navigator_model,
                )
        child = self._embedded(corpus.strategy("vector"))
        if strategy in {SearchStrategy.HIERARCHICAL, SearchStrategy.TEMPORAL}:
            return corpus.strategy(strategy.lower(), child=child)
        return child

    def _embedded(self, strategy: ColumnarStrategy) -> ColumnarStrategy:
        # The hash embedding needs no provider, and no turns: the corpus embeds by itself.
        provider = self.embedding
        return (
            EmbeddedStrategy(strategy, provider)
            if isinstance(provider, EmbeddingProvider)
            else strategy
        )

    def _graph(self, provider: NamedProvider, snapshot: Snapshot | None) -> GraphRAGStrategy:
        scope = self.plan.graph_scope
        documents = partial(self._documents, snapshot, scope.file_sources)
        # The store outlives this dispatch: whoever makes it build heeds its own request.
        scope = replace(scope, documents=documents, check=check_heeded)

        def opened() -> OpenedGraph:
            with self.events.stage("graph", provider=provider.name):
                return open_graph_store(scope, [provider])

        name, store = self.binding.graph(provider.name, scope, opened, self.context)
        return GraphRAGStrategy(
            name,
            store,
            (),
            GraphRAGStrategy.DEFAULT_MAX_DEPTH,
            GraphRAGStrategy.DEFAULT_DEPTH_DECAY,
            GraphRAGStrategy.DEFAULT_MAX_VISITED_NODES,
            documents=snapshot,
        )

    def _documents(self, snapshot: Snapshot | None, sources: tuple[str, ...]) -> Iterator[Any]:
        if snapshot is None:  # whoever opens a graph may need documents that no search needs
            snapshot = self.binding.corpus(self.embedding, heeded()).keyword_index
        return _documents_of(snapshot, sources)


def _documents_in(corpus: Searched) -> Snapshot:
    """Return what was loaded, without a memory: a graph is made of documents."""
    return corpus.documents if isinstance(corpus, CorpusWithMemory) else corpus.keyword_index


def _documents_of(snapshot: Snapshot, sources: tuple[str, ...]) -> Iterator[Any]:
    """Yield the documents of some sources, for a graph that is made of them."""
    for start in range(0, snapshot.rows, 4096):
        rows = np.arange(start, min(start + 4096, snapshot.rows), dtype=np.int64)
        if snapshot.live is not None:
            rows = rows[snapshot.live[rows]]
        names = snapshot.metadata(KNOWLEDGE, rows)
        documents: list[StoredDocument] = snapshot.documents(rows)
        yield from (each for each, name in zip(documents, names, strict=True) if name in sources)
