"""One retrieval, its stages in the order of S64."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from octavo.declarative.declarations.enums import SearchStrategy
from octavo.declarative.runtime.bindings import Binding
from octavo.declarative.runtime.composition import Composition
from octavo.declarative.runtime.deduplication import distinct
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import ProcessEmbedding
from octavo.declarative.runtime.events import Event, Events
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.plan import RetrievalPlan
from octavo.declarative.runtime.request_token import RequestToken, heeding
from octavo.declarative.runtime.reranking import reranked
from octavo.declarative.runtime.write_back import WrittenBack
from octavo.spi import RAGContext, RetrievedDocument
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.queries import Queries

_FIRST_DEPTH: Final = 100
_DEEPER: Final = 4


@dataclass(frozen=True, slots=True)
class Engine:
    """Retrieves for one dispatch.

    Parameters
    ----------
    binding
        Whose documents are searched.
    process_embedding
        Where vectors come from.
    filters
        The request's filters, all of them.
    pushed
        Those that documents must match.
    context, events
        Of the dispatch.
    memory
        A chat's memory, searched together with the documents; ``None`` where there is none.
    written
        What was written back into a chat that KEYWORD searches; ``None`` where nothing was.
    """

    binding: Binding
    process_embedding: ProcessEmbedding
    filters: Mapping[str, str]
    pushed: Mapping[str, str]
    context: DispatchContext
    events: Events
    memory: MemoryCorpus | None = None
    written: WrittenBack | None = None

    def retrieve(self, plan: RetrievalPlan, query: str) -> tuple[RetrievedDocument, ...]:
        """Return the documents for a query: expanded, retrieved, deduplicated, reranked.

        Filters and ``min_score`` act first, then what is too similar goes, and ``top_k`` stay; with
        a reranker those go in, and ``top_n`` stay. Cancellation and deadline are looked at between
        all stages.

        Raises
        ------
        OctavoError
            A stage failed.
        """
        self.context.check()
        embedding = self.process_embedding.get() if plan.needs_vectors else None
        composition = Composition(
            plan,
            self.binding,
            embedding,
            dict(self.filters),
            self.context,
            self.events,
            self.memory,
            None if self.written is None else self.written.snapshot(),
        )
        with self.events.stage("binding", loaded=self.binding.is_loaded):
            corpus = composition.corpus()
        self.context.check()
        with heeding(self.context):
            strategy = composition.strategy(corpus)
        search = plan.search
        depth = max(_FIRST_DEPTH, _DEEPER * search.top_k) if search.deduplicate else search.top_k
        while True:
            found = self._ranked(strategy, plan, query, depth)
            self.context.check()
            if not search.deduplicate:
                break
            with self.events.stage("deduplication", before=len(found.hits)) as event:
                store = None if corpus is None else corpus.vector_store
                kept = distinct(found, search.dedupe_threshold, search.top_k, store, embedding)
                event["after"] = len(kept.hits)
            self.context.check()
            if len(kept.hits) >= search.top_k or len(found.hits) < depth:
                found = kept
                break
            depth *= _DEEPER
        documents = found.retrieved()
        if plan.reranker is None or not documents:
            return documents
        with self.events.stage("reranking", before=len(documents)) as event:
            model = str(search.reranker_model)
            documents = reranked(plan.reranker, query, documents, model, search.top_n)
            event["after"] = len(documents)
        self.context.check()
        return documents

    def _ranked(
        self, strategy: ColumnarStrategy, plan: RetrievalPlan, query: str, depth: int
    ) -> Ranking:
        name = plan.search.strategy
        with self.events.stage("retrieval", strategy=str(name), depth=depth) as event:
            queries = Queries((query,), cancellation=RequestToken(self.context))
            context = RAGContext(depth, plan.search.min_score, self.pushed)
            with heeding(self.context):
                ranking = strategy.rank(queries, context)
            _tell(event, ranking, plan)
        return ranking


def _tell(event: Event, ranking: Ranking, plan: RetrievalPlan) -> None:
    event["documents"] = len(ranking.hits)
    event["plan"] = dict(ranking.report.plans)
    if plan.engine is not None:
        event["engine"] = type(plan.engine).__qualname__
    if plan.graph is not None or plan.search.strategy is SearchStrategy.HYBRID:
        event["graph"] = "absent" if plan.graph is None else plan.graph.name
