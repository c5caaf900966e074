"""What an agent's chat knows, from when it is first asked until it is closed (S71, S72)."""

import threading
import weakref
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, Protocol, Self, runtime_checkable

from octavo.declarative.chat.locations import check_locations
from octavo.declarative.chat.memories import ChatMemories
from octavo.declarative.declarations.binding import BoundChat, BoundDeclarations, bind_chat
from octavo.declarative.declarations.described import declared_name
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.messages import naming
from octavo.declarative.declarations.read_only import ReadOnlyMapping
from octavo.declarative.declarations.resolved_search import ResolvedSearch
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.declarative.runtime.events import Events
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.declarative.runtime.retrieved import Retrieved, retrieved_by
from octavo.declarative.runtime.runtime import RetrievalRuntime
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown
from octavo.memory import MemoryEntry

CHAT: Final = "chat"
"""How a turn is called where actions have a name."""


@runtime_checkable
class ChatRetrieval(Protocol):
    """What retrieves for a chat, such as the process-wide runtime."""

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
        """Return what sources give for a query."""
        ...

    def invalidate(self, cls: type) -> int:
        """Forget what was loaded for a class."""
        ...


class ChatKnowledgeBinding:
    """Owns what grounds an agent's chat: its enabled SEARCH and DIRECT sources, and its memory.

    Files and URLs are loaded when a turn first needs them, once for the agent's class. What is
    remembered belongs to this binding and to one tenant: a turn sees what was remembered for the
    tenant of its context and nothing else, also where either is blank. Safe to share between threads.

    Parameters
    ----------
    agent_class
        A class with an ``agent_spec``, or without one: then nothing grounds the chat.
    retrieval
        What retrieves; the runtime of the process by default.

    Raises
    ------
    ConfigurationError
        The declarations cannot work for a chat; naming class, source and member.

    Examples
    --------
    >>> from octavo import MemoryEntry, MemoryTier
    >>> from octavo.declarative import DispatchContext, Knowledge, Search, agent_spec
    >>> keyword = Search(strategy="KEYWORD")
    >>> @agent_spec(knowledge=Knowledge("memories", type="MEMORY", search=keyword))
    ... class Support: ...
    >>> with ChatKnowledgeBinding(Support) as knowledge:
    ...     knowledge.remember(MemoryEntry("1", "Ada likes tea", MemoryTier.SEMANTIC), tenant="a")
    ...     for tenant in ("a", "b"):
    ...         context = DispatchContext(tenant=tenant)
    ...         print([each.content for each in knowledge.retrieve("tea?", context).documents])
    ['Ada likes tea']
    []
    """

    def __init__(self, agent_class: type, retrieval: ChatRetrieval | None = None) -> None:
        self._chat = bind_chat(agent_class)
        with naming(agent_class.__name__):
            self._memories = ChatMemories(self._chat)
        self._retrieval = RetrievalRuntime.default() if retrieval is None else retrieval
        self._bindings = _bindings(agent_class, self._chat)
        self._closed = False

    @classmethod
    def by(cls, agent_class: type, retrieval: object) -> Self:
        """Return a binding of an agent whose retrieval may be one for actions only.

        Raises
        ------
        ConfigurationError
            There are sources, and it cannot ground a chat.
        """
        if isinstance(retrieval, ChatRetrieval):
            return cls(agent_class, retrieval)
        found = cls(agent_class)
        if found.knowledge:
            raise ConfigurationError(
                f"get_retrieval: expected ground and invalidate, which a chat needs, found "
                f"{shown(retrieval)}"
            )
        return found

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """The sources that ground the chat."""
        return self._chat.knowledge

    @property
    def closed(self) -> bool:
        """Whether the binding was closed."""
        return self._closed

    def retrieve(self, query: str, context: DispatchContext | None = None) -> Retrieved:
        """Return what grounds a turn.

        Parameters
        ----------
        query
            The message as the model gets it; searched where the context has no ``turn_message``.
        context
            The turn's own. Its turn message, conversation and locations are part of what an
            application's engine is asked, and results are kept apart by them.

        Raises
        ------
        ConfigurationError
            The binding was closed, or providers are installed in a way that cannot work.
        InvalidArgumentError
            The query is no text, or a location leads out of its source.
        OctavoError
            As :meth:`octavo.declarative.RetrievalRuntime.retrieve`.
        """
        self._check_open()
        text = plain_text(query)
        if text is None:
            raise InvalidArgumentError(f"query: expected a text, found {shown(query)}")
        context = (context or DispatchContext()).filled(agent=self._bindings.agent_name)
        check_locations(context.source_paths, self._chat.knowledge)
        return retrieved_by(
            lambda: self._retrieval.ground(
                self._bindings,
                self._chat.knowledge,
                self._chat.search,
                context.turn_message if context.turn_message.strip() else text,
                context,
                events=chat_events(self._bindings.agent_name, context),
                memories=self._memories.for_tenant(context.tenant),
            )
        )

    def remember(
        self,
        entries: MemoryEntry | Iterable[MemoryEntry],
        *,
        tenant: str = "",
        source: str | None = None,
    ) -> None:
        """Have the chat know further entries, all or none; one of a known id replaces that.

        Parameters
        ----------
        entries
            One or several.
        tenant
            Whose they are: only turns of this tenant see them.
        source
            The MEMORY source that they belong to; need not be said where there is one.

        Raises
        ------
        ConfigurationError
            The binding was closed, or there is no such source.
        InvalidArgumentError
            Something is no :class:`~octavo.MemoryEntry`.
        """
        self._memory(tenant, source).add(entries)

    def forget(self, identifier: str, *, tenant: str = "", source: str | None = None) -> bool:
        """Remove an entry, from the next turn on; return whether there was one."""
        return self._memory(tenant, source).remove(identifier)

    def forget_tenant(self, tenant: str) -> None:
        """Remove all that was remembered for a tenant."""
        self._check_open()
        self._memories.drop(tenant)

    def remembered(self, *, tenant: str = "", source: str | None = None) -> tuple[MemoryEntry, ...]:
        """Return a tenant's entries, in the order in which they came."""
        self._check_open()
        return tuple(self._memories.for_tenant(tenant)[self._memories.named(source)])

    def invalidate(self) -> int:
        """Forget what was loaded and cached; the next turn loads it again. Memory stays.

        Returns
        -------
        int
            How many loaded parts that were; for other bindings of the agent's class, too.
        """
        self._check_open()
        return self._retrieval.invalidate(self._bindings.role_class)

    def close(self) -> None:
        """Forget everything, memory included; a second time does nothing.

        Turns under way end with what they began with; a further one is refused.
        """
        if not self._closed:
            self._closed = True
            self._memories.drop()
            self._retrieval.invalidate(self._bindings.role_class)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _memory(self, tenant: str, source: str | None) -> MemoryCorpus:
        self._check_open()
        return self._memories.of(self._memories.named(source), tenant)

    def _check_open(self) -> None:
        if self._closed:
            raise ConfigurationError(
                f"the chat knowledge of {self._bindings.agent_name!r} was closed; make a new binding"
            )


def chat_events(agent: str, context: DispatchContext) -> Events:
    """Return what tells of one turn of an agent, by the run that it is part of."""
    run = {"run": context.run_id} if context.run_id else {}
    return Events(agent=agent, action=CHAT, **run)


_MARKERS: Final[weakref.WeakKeyDictionary[type, type]] = weakref.WeakKeyDictionary()
_MARKING: Final = threading.Lock()


def _bindings(agent_class: type, chat: BoundChat) -> BoundDeclarations:
    """Return an agent's chat as a role of its own, which can be invalidated by itself."""
    with _MARKING:
        marker = _MARKERS.setdefault(agent_class, type("Chat", (), {}))
    name = declared_name(agent_class)
    return BoundDeclarations(
        "", name, chat.knowledge, ReadOnlyMapping({}), chat, marker, agent_class
    )
