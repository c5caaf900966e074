"""What comes back from a turn: the answer, whole or in pieces, and what grounded it."""

from dataclasses import dataclass

from octavo.declarative.actions.action_context import (
    RAG_CONTEXT_TRUNCATED,
    RAG_STALE_FALLBACK,
    ActionContext,
)
from octavo.declarative.actions.streams import ActionStream, AsyncActionStream
from octavo.declarative.rendering.usage import KnowledgeUsage


class Grounded:
    """What grounded a turn, as its context says."""

    __slots__ = ()

    context: ActionContext

    @property
    def documents(self) -> int:
        """How many documents the model saw."""
        return self.context.documents

    @property
    def usage(self) -> tuple[KnowledgeUsage, ...]:
        """What each enabled source gave."""
        return self.context.usage

    @property
    def stale(self) -> bool:
        """Whether the documents are from an expired cache entry."""
        return bool(self.context.get(RAG_STALE_FALLBACK))

    @property
    def truncated(self) -> bool:
        """Whether a budget of tokens shortened or dropped documents."""
        return bool(self.context.get(RAG_CONTEXT_TRUNCATED))


@dataclass(frozen=True, slots=True)
class ChatResponse(Grounded):
    """An agent's answer to one message.

    Parameters
    ----------
    answer
        The model's text.
    context
        What was retrieved for the turn; empty where nothing was.
    """

    answer: str
    context: ActionContext

    def __str__(self) -> str:
        return self.answer


class ChatStream(Grounded, ActionStream):
    """The pieces of an answer; can be read once, and closed before its end.

    What grounds the answer is known before the first piece.
    """


class AsyncChatStream(Grounded, AsyncActionStream):
    """The pieces of an answer, for an event loop; see :class:`ChatStream`."""
