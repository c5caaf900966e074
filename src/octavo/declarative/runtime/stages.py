"""What the runtime puts around strategies: embedding, scaling, and providers that are timed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from octavo.columns.hits import Hits, Part
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.provided import answered
from octavo.declarative.runtime.attribution import KNOWLEDGE, RequestMetadata
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.events import Events
from octavo.spi import (
    QueryExpander,
    QueryExpansion,
    RAGContext,
    RetrievalEngineProvider,
    RetrievalRequest,
    RetrievedDocument,
)
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.inner import inner_context
from octavo.strategies.queries import Queries
from octavo.strategies.returned_check import checked_documents


class EmbeddedStrategy(ColumnarStrategy):
    """A strategy whose queries the process's provider embeds, so that a busy one fails at once.

    Parameters
    ----------
    strategy
        Ranks by the vectors of queries.
    provider
        Gives them.
    """

    def __init__(self, strategy: ColumnarStrategy, provider: EmbeddingProvider) -> None:
        self._strategy = strategy
        self._provider = provider
        self.name = strategy.name

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Embed, and rank."""
        return self._strategy.rank(self._embedded(queries), context)

    def stream(self, queries: Queries, context: RAGContext) -> Ranking:
        """Embed, and rank as one stream of a fusion."""
        return self._strategy.stream(self._embedded(queries), context)

    def _embedded(self, queries: Queries) -> Queries:
        if queries.vectors is not None or not len(queries):
            return queries
        return replace(queries, vectors=self._provider.embed_queries(queries.texts))


class ScaledStrategy(ColumnarStrategy):
    """A strategy whose scores are divided by the best of each query, so that 1.0 is the best (S64).

    The score before is the part ``raw_score``, in metadata ``keyword.score``.
    """

    RAW_SCORE = "keyword.score"

    def __init__(self, strategy: ColumnarStrategy) -> None:
        self._strategy = strategy
        self.name = strategy.name

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank without a threshold, scale, and apply the threshold."""
        found = self._strategy.rank(queries, inner_context(context, context.max_results))
        hits = found.hits
        scores = hits.scores
        if len(hits):
            first = hits.offsets[:-1].clip(max=len(hits) - 1)
            scores = scores / np.repeat(scores[first], hits.counts())
        parts = {**hits.parts, "raw_score": Part(hits.scores, None, self.RAW_SCORE)}
        scaled = Hits(hits.offsets, hits.rows, scores, parts)
        return Ranking(scaled.at_least(context.min_score), found.documents, found.report)


class TimedExpander:
    """An expander that is asked once a query of a dispatch, and whose calls are told."""

    def __init__(self, expander: QueryExpander, events: Events) -> None:
        self._expander = expander
        self._events = events
        self._answers: dict[str, Sequence[str]] = {}

    def __call__(
        self, query: str, mode: QueryExpansion, model: str, max_expansions: int
    ) -> Sequence[str]:
        """Return the expander's variations, the same ones for the same query."""
        if query not in self._answers:
            with self._events.stage("expansion", mode=str(mode)) as event:
                found = answered(
                    "query expander",
                    lambda: self._expander.expand(query, mode, model, max_expansions),
                    self._expander,
                )
                self._answers[query] = found
                event["variants"] = len(found) if isinstance(found, Sequence) else 0
        return self._answers[query]


class EngineStrategy:
    """An application's retrieval engine as a strategy (S73).

    Parameters
    ----------
    engine
        Answers requests.
    search, sources, filters, context
        What each request says besides the query.
    """

    name = "engine"

    def __init__(
        self,
        engine: RetrievalEngineProvider,
        search: ResolvedSearch,
        sources: Sequence[str],
        filters: Mapping[str, str],
        context: DispatchContext,
    ) -> None:
        self._engine = engine
        self._search = search
        self._sources = tuple(sources)
        self._filters = filters
        self._context = context

    def retrieve(self, query: str, context: RAGContext) -> tuple[RetrievedDocument, ...]:
        """Ask the engine; each document names its source, where it can be told."""
        del context  # what comes is filtered, ordered and cut again
        request = RetrievalRequest(
            query,
            self._search,
            self._sources,
            self._filters,
            self._context,
            self._context.turn_message,
            self._context.conversation_id,
            self._context.source_paths,
        )
        engine = self._engine
        found = answered("retrieval engine", lambda: engine.retrieve(request), engine)
        documents = answered("retrieval engine", lambda: checked_documents(self.name, found))
        return tuple(self._named(each) for each in documents)

    def _named(self, document: RetrievedDocument) -> RetrievedDocument:
        named = document.metadata.get(RequestMetadata.SOURCE, "")
        if named not in self._sources:
            named = self._sources[0] if len(self._sources) == 1 else ""
        metadata = dict(document.metadata)
        metadata.pop(KNOWLEDGE, None)
        return RetrievedDocument(
            document.content,
            document.source,
            document.score,
            {**metadata, KNOWLEDGE: named} if named else metadata,
        )
