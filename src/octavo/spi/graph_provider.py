"""Who serves the graph of a role: what a provider is asked, and what it is told (S81)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from octavo.spi.graph import GraphStore


def _no_documents() -> Iterable[Any]:
    return ()


def _go_on() -> None: ...


@dataclass(frozen=True, slots=True)
class GraphScope:
    """For whom a graph is wanted, and which documents are at hand.

    Parameters
    ----------
    role
        The name of the role, or whatever stands for it.
    graph
        The name of its graph handle; ``None`` where the graph is the third stream of a hybrid.
    file_sources
        The names of the FILE sources whose documents a graph may be built from: those that the
        selection names; for a graph handle, which names none, all that are in reach.
    file_knowledge_in_reach
        Whether the role or its agent declares FILE knowledge at all, selected or not.
    documents
        Loads the documents of ``file_sources``, when a store that needs them is first asked.
    check
        To be called now and then while a store makes something of them: raises where the request that
        it is made for is over.
    """

    role: str = ""
    graph: str | None = None
    file_sources: tuple[str, ...] = ()
    file_knowledge_in_reach: bool = False
    documents: Callable[[], Iterable[Any]] = field(default=_no_documents, repr=False, compare=False)
    check: Callable[[], None] = field(default=_go_on, repr=False, compare=False)

    def __post_init__(self) -> None:
        sources = tuple(self.file_sources)
        object.__setattr__(self, "file_sources", sources)
        object.__setattr__(
            self, "file_knowledge_in_reach", bool(self.file_knowledge_in_reach or sources)
        )


@runtime_checkable
class GraphStoreProvider(Protocol):
    """Serves the graphs of the scopes that it claims.

    A provider may also have a ``name``, the source of what its store finds; without one it has that
    of its entry point, or of its class.
    """

    @property
    def is_default(self) -> bool:
        """Whether the provider stands back where another one claims."""
        ...

    def claims(self, scope: GraphScope) -> bool:
        """Return whether the provider serves this scope; cheap, and connects to nothing."""
        ...

    def open(self, scope: GraphScope) -> GraphStore:
        """Return the store; called only for a scope that was claimed."""
        ...
