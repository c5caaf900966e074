"""One dispatch: cache, retrieval and failure policy around what its sources give."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from octavo.declarative.declarations.enums import (
    FailureAction,
    KnowledgeType,
    KnowledgeUse,
    SearchStrategy,
)
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.declarations.write_back import WriteBack
from octavo.declarative.runtime.attribution import (
    KNOWLEDGE,
    DividedFilters,
    attributed,
    divided,
    request_metadata,
    without_chat,
)
from octavo.declarative.runtime.bindings import Binding, BindingKey, ingestion_of
from octavo.declarative.runtime.cursors import CursorKey, Cursors, Reading, scope_of
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import ProcessEmbedding
from octavo.declarative.runtime.engine import Engine
from octavo.declarative.runtime.events import Events
from octavo.declarative.runtime.failure_policy import Documents, Fallbacks, retrieved_or_else
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.plan import RetrievalPlan
from octavo.declarative.runtime.result_cache import isolation_key
from octavo.declarative.runtime.retrieved import Retrieved, SourceGiven
from octavo.declarative.runtime.write_back import WrittenBack
from octavo.spi import SourceDocument

_SETTINGS = ResolvedSearch()


@dataclass(slots=True)
class Dispatch:
    """What is retrieved for one action or turn.

    Parameters
    ----------
    knowledge
        The sources, whatever their use.
    plan
        Who serves those that are searched; ``None`` where none is.
    searched, whole
        What is loaded for those that are searched, and for those whose units are given.
    query
        The text looked for.
    process_embedding
        Where vectors come from.
    cursors
        How far sources of use SEQUENTIAL have been read.
    context, events
        Of the dispatch.
    memories
        The entries of MEMORY sources, by name; they ground chat only.
    written
        What was written back; joins nothing but a search by KEYWORD.
    """

    knowledge: tuple[Knowledge, ...]
    plan: RetrievalPlan | None
    searched: Binding
    whole: Binding
    query: str
    process_embedding: ProcessEmbedding
    cursors: Cursors
    context: DispatchContext
    events: Events
    memories: Mapping[str, MemoryCorpus] = field(default_factory=dict)
    written: WrittenBack | None = None
    _units: dict[str, tuple[SourceDocument, ...]] = field(default_factory=dict)

    def run(self) -> Retrieved:
        """Retrieve, with the cache and the failure policy that the search asks for.

        Raises
        ------
        OctavoError
            See :func:`~octavo.declarative.runtime.failure_policy.retrieved_or_else`.
        """
        search = None if self.plan is None else self.plan.search
        on_failure = (search or _SETTINGS).on_failure
        known = request_metadata(self.context, self.searched.revision)
        filters = divided(self.context.metadata_filters, known)
        plan = self.plan if filters.admits else None
        engine = Engine(
            self.searched,
            self.process_embedding,
            without_chat(self.context.metadata_filters),
            filters.pushed,
            self.context,
            self.events,
            None if plan is None else self._memory(plan),
            self._joining,
        )
        key = None if plan is None else self._key(plan, filters.pushed)

        def retrieve() -> Documents:
            self.context.check()
            self._load_units(filters)
            return () if plan is None else self._found(engine, plan, key)

        def retry() -> Documents:
            self._load_units(filters)
            return () if plan is None else engine.retrieve(plan.simple(), self.query)

        def cached() -> tuple[Documents, bool] | None:
            # Results alone are no grounding where a source that is given whole could not be read.
            if plan is None or not plan.search.cache or len(self._units) < self._whole_sources:
                return None
            return self.searched.cache.usable(key)

        possible = plan is None or plan.has_documents
        fallbacks = Fallbacks(cached, retry if possible else None)
        outcome = retrieved_or_else(retrieve, on_failure, fallbacks, self.context)
        if outcome.failure is not None:
            self.events.tell(
                "failure",
                failure=str(outcome.failure.reason),
                error=type(outcome.failure).__name__,
                policy=str(outcome.fallback),
                stale=outcome.stale,
            )
        if outcome.fallback is FailureAction.CONTINUE:
            self._units.clear()
        readings = {
            source.name: self._reading(source, filters)
            for source in self.knowledge
            if source.use is KnowledgeUse.SEQUENTIAL and source.name in self._units
        }
        direct = [units for name, units in self._units.items() if name not in readings]
        return Retrieved(
            attributed(outcome.documents, known),
            search,
            self._given(outcome.documents, readings),
            outcome.stale,
            tuple(chain.from_iterable(direct)),
            tuple(readings.values()),
        )

    def _found(self, engine: Engine, plan: RetrievalPlan, key: Hashable) -> Documents:
        search, cache = plan.search, self.searched.cache
        if search.cache:
            with self.events.stage("cache") as event:
                cached = cache.fresh(key)
                event["outcome"] = "miss" if cached is None else "hit"
            if cached is not None:
                return cached
        documents = engine.retrieve(plan, self.query)
        if search.cache:
            cache.store(key, documents, search)
        return documents

    def _key(self, plan: RetrievalPlan, pushed: Mapping[str, str]) -> Hashable:
        key = isolation_key(self.query, plan.search, pushed, plan.names, self.context)
        memory = self._memory(plan)
        if memory is not None:
            key = (key, memory.revision)  # no two memories share one, so neither do two bindings
        if self._joining is not None:
            key = (key, "written", self._joining.revision)
        if plan.engine is None:
            return key
        # An engine of the application sees the whole request, and may answer by any of it.
        context = self.context
        told = (context.run_id, context.agent, context.simulation, context.episode)
        return (key, *told, frozenset(context.metadata_filters.items()))

    @property
    def _joining(self) -> WrittenBack | None:
        keyword = self.plan is not None and self.plan.search.strategy is SearchStrategy.KEYWORD
        return self.written if keyword else None

    def _memory(self, plan: RetrievalPlan) -> MemoryCorpus | None:
        found = [self.memories[name] for name in plan.names if name in self.memories]
        return found[0] if found else None

    @property
    def _whole_sources(self) -> int:
        return sum(each.use is not KnowledgeUse.SEARCH for each in self.knowledge)

    def _load_units(self, filters: DividedFilters) -> None:
        for source in self.knowledge:
            if source.use is not KnowledgeUse.SEARCH and source.name not in self._units:
                direct = source.use is KnowledgeUse.DIRECT
                path = self.context.source_paths.get(source.name, "") if direct else ""
                with self.events.stage("units", source=source.name) as event:
                    memory = self.memories.get(source.name)
                    found = (
                        self.whole.units(source, self.context, path)
                        if memory is None
                        else memory.units()
                    )
                    # What a request must not see does not reach it in one piece either.
                    filtered = filters.pushed or not filters.admits
                    units = (
                        found
                        if not filtered
                        else tuple(
                            each for each in found if filters.admit(each.metadata, source.name)
                        )
                    )
                    event["documents"] = len(units)
                self._units[source.name] = units

    def _reading(self, source: Knowledge, filters: DividedFilters) -> Reading:
        whole = self.whole.key
        binding = BindingKey(whole.role_class, whole.agent_class, (ingestion_of(source),))
        pushed = frozenset(filters.pushed.items()) if filters.admits else None
        key = CursorKey(binding, *scope_of(self.context), pushed)
        units = self._units[source.name]
        return self.cursors.reading(key, source.name, units, self.whole.revision)

    def _given(
        self, documents: Documents, readings: Mapping[str, Reading]
    ) -> tuple[SourceGiven, ...]:
        found = Counter(each.metadata.get(KNOWLEDGE) for each in documents)
        given = []
        for source in self.knowledge:
            if source.use is not KnowledgeUse.SEARCH:
                count = len(readings.get(source.name, self._units.get(source.name, ())))
            elif source.type is KnowledgeType.GRAPH:
                count = len(documents)
            else:
                count = found[source.name]
            given.append(SourceGiven(source.name, source.use, count))
        if self._joining is not None:
            own = found[WriteBack.SOURCE]
            given.append(SourceGiven(WriteBack.SOURCE, KnowledgeUse.SEARCH, own))
        return tuple(given)
