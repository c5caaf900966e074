"""What an application has a chat remember: entries by source and tenant (S72, S74)."""

import threading
from collections.abc import Mapping

from octavo.declarative.declarations.binding import BoundChat
from octavo.declarative.declarations.enums import KnowledgeType, KnowledgeUse, SearchStrategy
from octavo.declarative.declarations.messages import did_you_mean
from octavo.declarative.runtime.memory_corpus import MemoryCorpus
from octavo.errors import ConfigurationError, InvalidArgumentError, plain_text, shown

_UNSEARCHABLE = frozenset({SearchStrategy.REASONING, SearchStrategy.GRAPH})


class ChatMemories:
    """The MEMORY sources of a chat, each tenant's apart from every other's.

    Parameters
    ----------
    chat
        What grounds the chat.

    Raises
    ------
    ConfigurationError
        Two memories are searched, whose entries could have one id; or the strategy of the chat
        searches a hierarchy or a graph, which a memory does not have.
    """

    def __init__(self, chat: BoundChat) -> None:
        declared = [each for each in chat.knowledge if each.type is KnowledgeType.MEMORY]
        searched = [each.name for each in declared if each.use is KnowledgeUse.SEARCH]
        if len(searched) > 1:
            raise ConfigurationError(
                f"chat: expected one MEMORY source of use SEARCH, found "
                f"{', '.join(map(repr, searched))}"
            )
        if searched and chat.search is not None and chat.search.strategy in _UNSEARCHABLE:
            raise ConfigurationError(
                f"chat: search.strategy: the MEMORY source {searched[0]!r} cannot be searched by "
                f"{chat.search.strategy}"
            )
        self._names = tuple(each.name for each in declared)
        self._guard = threading.Lock()
        self._corpora: dict[tuple[str, str], MemoryCorpus] = {}
        self._nothing = {name: MemoryCorpus(name) for name in self._names}

    def named(self, source: str | None) -> str:
        """Return the name of a source; without one, that of the only one.

        Raises
        ------
        ConfigurationError
            There is no such source, or there are several to choose from.
        """
        if source is None and len(self._names) == 1:
            return self._names[0]
        if source in self._names:
            return str(source)
        if not self._names:
            raise ConfigurationError("chat: the agent declares no MEMORY source")
        if source is None:
            raise ConfigurationError(
                f"source: expected one of {', '.join(map(repr, self._names))}, found none"
            )
        raise ConfigurationError(
            f"there is no MEMORY source {shown(source)}; {did_you_mean(str(source), self._names)}"
        )

    def of(self, source: str, tenant: str) -> MemoryCorpus:
        """Return the entries of a source and a tenant, to be added to.

        Raises
        ------
        InvalidArgumentError
            The tenant is no text.
        """
        key = (source, _checked(tenant))
        with self._guard:
            return self._corpora.setdefault(key, MemoryCorpus(source))

    def for_tenant(self, tenant: str) -> Mapping[str, MemoryCorpus]:
        """Return what a tenant's turns see, by source; a tenant without entries leaves no trace.

        Raises
        ------
        InvalidArgumentError
            The tenant is no text.
        """
        tenant = _checked(tenant)
        with self._guard:
            return {
                name: self._corpora.get((name, tenant), self._nothing[name]) for name in self._names
            }

    def drop(self, *tenants: str) -> None:
        """Forget all entries: of tenants, or of all where none is given.

        Raises
        ------
        InvalidArgumentError
            A tenant is no text: that is nobody, and not everybody.
        """
        chosen = {_checked(each) for each in tenants}
        with self._guard:
            for key in [each for each in self._corpora if not chosen or each[1] in chosen]:
                del self._corpora[key]


def _checked(tenant: object) -> str:
    text = plain_text(tenant)
    if text is None:
        raise InvalidArgumentError(f"tenant: expected a string, found {shown(tenant)}")
    return text
