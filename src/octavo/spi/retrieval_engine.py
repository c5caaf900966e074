"""An index of the application's own, asked anew with every request."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from octavo.spi.document import RetrievedDocument
from octavo.spi.retrieval_request import RetrievalRequest


@dataclass(frozen=True, slots=True)
class RetrievalScope:
    """For whom an engine is wanted.

    Parameters
    ----------
    role, agent
        Their names; blank where there is none.
    sources
        The sources that are searched, each an ``octavo.declarative.Knowledge``.
    """

    role: str = ""
    agent: str = ""
    sources: tuple[Any, ...] = ()


@runtime_checkable
class RetrievalEngineProvider(Protocol):
    """Serves the scopes that it claims from an index that it owns, a remote one for example (S73)."""

    def claims(self, scope: RetrievalScope) -> bool:
        """Return whether the provider serves this scope; cheap, and connects to nothing."""
        ...

    def retrieve(self, request: RetrievalRequest) -> Sequence[RetrievedDocument]:
        """Return documents in descending relevance, within the deadline of the request.

        Raises
        ------
        RetrievalError
            The index failed; type and reason are kept.
        """
        ...
