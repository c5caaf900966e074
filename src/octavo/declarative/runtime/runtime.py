"""What is retrieved when an action is dispatched, and what a process keeps for that."""

import time
from collections.abc import Callable, Mapping

from octavo.declarative.declarations.binding import BoundAction, BoundDeclarations
from octavo.declarative.declarations.enums import KnowledgeType, KnowledgeUse
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.bindings import Binding, BindingKey, Bindings, ingestion_of
from octavo.declarative.runtime.cursors import MOST_CURSORS, Cursors
from octavo.declarative.runtime.dispatch import Dispatch
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.embedding_provider import PROCESS_EMBEDDING, ProcessEmbedding
from octavo.declarative.runtime.events import Events
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.plan import RetrievalPlan, plan_retrieval
from octavo.declarative.runtime.providers import GivenProviders, Providers
from octavo.declarative.runtime.result_cache import DEFAULT_SIZE
from octavo.declarative.runtime.retrieved import Retrieved
from octavo.errors import (
    ConfigurationError,
    InvalidArgumentError,
    checked_count,
    plain_text,
    shown,
)


class RetrievalRuntime:
    """Owns what is loaded, cached and installed for declared sources, and retrieves from it.

    Safe to share between threads. A process needs one: :meth:`default`.

    Parameters
    ----------
    given
        Providers and loaders made in code, beside the installed ones.
    cached_results
        The most results that are kept for each binding; 0: none.
    kept_cursors
        The most cursors of sources of use SEQUENTIAL that are kept; beyond, those that were not
        used for longest are forgotten, and their scopes begin again.
    clock
        Seconds that never go back, for the age of cached results.
    process_embedding
        Where vectors come from; the process's one provider by default.

    Raises
    ------
    InvalidArgumentError
        ``cached_results`` is no count.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from octavo.declarative import ActionType, Knowledge, Search, action_spec, bind, role_spec
    >>> directory = tempfile.TemporaryDirectory()
    >>> _ = Path(directory.name, "fox.md").write_text("Foxes are red.")
    >>> @role_spec(knowledge=Knowledge("notes", path=directory.name))
    ... class Researcher:
    ...     @action_spec(
    ...         type=ActionType.LLM,
    ...         knowledge=Knowledge("notes", search=Search(strategy=Search.Strategy.KEYWORD)),
    ...     )
    ...     def answer(self, question: str) -> str:
    ...         return question
    >>> declared = bind(Researcher)
    >>> found = RetrievalRuntime().retrieve(
    ...     declared, declared.actions["answer"], {"question": "Which colour have foxes?"}
    ... )
    >>> [(document.content, document.score) for document in found.documents]
    [('Foxes are red.', 1.0)]
    >>> directory.cleanup()
    """

    def __init__(
        self,
        given: GivenProviders | None = None,
        *,
        cached_results: int = DEFAULT_SIZE,
        kept_cursors: int = MOST_CURSORS,
        clock: Callable[[], float] = time.monotonic,
        process_embedding: ProcessEmbedding = PROCESS_EMBEDDING,
    ) -> None:
        self._providers = Providers(given)
        checked_count("cached_results", cached_results, 0)
        self._bindings = Bindings(self._providers, cached_results, clock)
        self._embedding = process_embedding
        self._cursors = Cursors(kept_cursors)

    @staticmethod
    def default() -> "RetrievalRuntime":
        """Return the process's own runtime."""
        return _DEFAULT

    def retrieve(
        self,
        bindings: BoundDeclarations,
        action: BoundAction,
        arguments: Mapping[str, object],
        context: DispatchContext | None = None,
    ) -> Retrieved:
        """Return what grounds one dispatch of an action.

        Parameters
        ----------
        bindings
            The role, as its agent has it.
        action
            One of its actions.
        arguments
            The action's, validated and sanitised; one of them is the query.
        context
            The request's own; the turn's message, where there is one, is searched in place of the
            query.

        Raises
        ------
        ConfigurationError
            The query is missing, or providers are installed in a way that cannot work; whatever
            the failure policy.
        ProviderUnavailableError, GraphCapabilityError
            Nobody serves a model, or a graph; whatever the failure policy.
        CancelledError
            The request was cancelled; whatever the failure policy.
        OctavoError
            The retrieval failed, and the failure policy has nothing else to give.
        """
        context = context or DispatchContext()
        query = _query(action, arguments, context)
        events = Events.of_request(bindings.role_name, action.name, context)
        return self.ground(bindings, action.knowledge, action.search, query, context, events=events)

    def ground(
        self,
        bindings: BoundDeclarations,
        knowledge: tuple[Knowledge, ...],
        search: ResolvedSearch | None,
        query: str,
        context: DispatchContext,
        *,
        events: Events | None = None,
        memories: Mapping[str, MemoryCorpus] | None = None,
    ) -> Retrieved:
        """Return what sources give for a query, as :meth:`retrieve` does; for a chat's turn too.

        Parameters
        ----------
        bindings
            The role and the agent that the sources belong to.
        knowledge
            The sources, whatever their use.
        search
            How those of use SEARCH are searched together; ``None`` where there are none.
        query
            The text looked for.
        context
            The request's own.
        events
            Who is told of the stages.
        memories
            The entries of a chat's MEMORY sources, by name; at most one of them is searched.
        """
        events = events or Events(role=bindings.role_name)
        with events.stage("grounding", sources=len(knowledge)) as event:
            plan = self._plan(bindings, knowledge, search)
            whole = _whole(knowledge)
            self._providers.check_context_models(whole)
            retrieved = Dispatch(
                knowledge,
                plan,
                self._binding(bindings, () if plan is None else plan.loaded),
                self._binding(bindings, whole),
                query,
                self._embedding,
                self._cursors,
                context,
                events,
                memories or {},
            ).run()
            event["documents"] = len(retrieved.documents)
            event["units"] = len(retrieved.direct) + sum(map(len, retrieved.sequential))
            event["stale"] = retrieved.stale
        return retrieved

    def prepare(self, bindings: BoundDeclarations, context: DispatchContext | None = None) -> None:
        """Load now what a role's actions will need, so that no dispatch has to wait for it.

        Raises
        ------
        OctavoError
            A source cannot be loaded, or a provider is missing.
        """
        context = context or DispatchContext()
        for action in bindings.actions.values():
            plan = self._plan(bindings, action.knowledge, action.search)
            if plan is not None and plan.loads and plan.loaded:
                embedding = self._embedding.get() if plan.needs_vectors else None
                self._binding(bindings, plan.loaded).corpus(embedding, context)
            whole = _whole(action.knowledge)
            for source in whole:
                self._binding(bindings, whole).units(source, context)

    def invalidate(self, cls: type) -> int:
        """Forget what was loaded for a role's or an agent's class, and all cached results of it.

        The next dispatch loads it again. What is under way ends with what it began with. Cursors
        stay: reading goes on where the source still begins with what was given of it, else anew.

        Returns
        -------
        int
            How many bindings that were.
        """
        return self._bindings.invalidate(cls)

    def rewind(
        self, cls: type, source: str | None = None, context: DispatchContext | None = None
    ) -> int:
        """Begin sources of use SEQUENTIAL again.

        Parameters
        ----------
        cls
            The role's or agent's class.
        source
            Its declared name; ``None``: all of them.
        context
            Whose tenant, session and conversation say for whom; ``None``: for all.

        Returns
        -------
        int
            How many cursors that were.
        """
        return self._cursors.rewind(cls, source, context)

    def close(self) -> None:
        """Forget all that was loaded, and all cursors; what is needed again is loaded again."""
        self._bindings.clear()
        self._cursors.clear()

    def _plan(
        self,
        bindings: BoundDeclarations,
        knowledge: tuple[Knowledge, ...],
        search: ResolvedSearch | None,
    ) -> RetrievalPlan | None:
        searched = tuple(each for each in knowledge if each.use is KnowledgeUse.SEARCH)
        if search is None or not searched:
            return None
        return plan_retrieval(bindings, search, searched, self._providers)

    def _binding(self, bindings: BoundDeclarations, sources: tuple[Knowledge, ...]) -> Binding:
        key = BindingKey(
            bindings.role_class, bindings.agent_class, tuple(map(ingestion_of, sources))
        )
        return self._bindings.get(key)


class RoleRagBinding:
    """The reference's name for what is loaded for a role."""

    @staticmethod
    def invalidate(role_class: type) -> int:
        """Forget, in the process's own runtime, what was loaded for a role's or agent's class."""
        return RetrievalRuntime.default().invalidate(role_class)


_DEFAULT = RetrievalRuntime()


def _whole(knowledge: tuple[Knowledge, ...]) -> tuple[Knowledge, ...]:
    return tuple(
        each
        for each in knowledge
        if each.use is not KnowledgeUse.SEARCH and each.type is not KnowledgeType.MEMORY
    )


def _query(action: BoundAction, arguments: Mapping[str, object], context: DispatchContext) -> str:
    """Return what is looked for (S64, S65).

    Raises
    ------
    ConfigurationError
        The argument is missing.
    InvalidArgumentError
        It is no text.
    """
    if context.turn_message.strip():
        return context.turn_message
    name = action.query_parameter
    if action.search is None or name is None:
        return ""
    if name not in arguments:
        raise ConfigurationError(
            f"action {action.name}: expected the argument {name!r}, which is the query, found "
            f"{', '.join(map(repr, arguments)) or 'none'}"
        )
    query = plain_text(arguments[name])
    if query is None:
        raise InvalidArgumentError(
            f"action {action.name}: {name}: expected a text, which is the query, found "
            f"{shown(arguments[name])}"
        )
    return query
