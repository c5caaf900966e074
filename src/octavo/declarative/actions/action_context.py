"""What was retrieved for the action that runs: five reserved keys, set together (S69)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from octavo.declarative.rendering.rendered_context import RenderedContext
from octavo.declarative.rendering.usage import KnowledgeUsage
from octavo.declarative.runtime.dispatch_context import DispatchContext

RAG_CONTEXT: Final = "_rag_context"
RAG_DOCUMENT_COUNT: Final = "_rag_document_count"
RAG_STALE_FALLBACK: Final = "_rag_stale_fallback"
RAG_CONTEXT_TRUNCATED: Final = "_rag_context_truncated"
RAG_KNOWLEDGE_USAGE: Final = "_rag_knowledge_usage"
RESERVED_KEYS: Final = (
    RAG_CONTEXT,
    RAG_DOCUMENT_COUNT,
    RAG_STALE_FALLBACK,
    RAG_CONTEXT_TRUNCATED,
    RAG_KNOWLEDGE_USAGE,
)


class ActionContext(Mapping[str, object]):
    """The reserved keys of one dispatch, read-only; all five, or none where nothing was retrieved.

    The text under ``_rag_context`` is rendered and within its budget of tokens, but not escaped: it is
    untrusted data, and whoever puts it into a prompt must fence it. Nobody but the dispatch makes
    one, so its keys cannot be forged by a caller's arguments.

    Parameters
    ----------
    rendered
        What was retrieved; ``None`` without retrieval.
    dispatch
        The request-local context, with deadline and cancellation token.

    Examples
    --------
    >>> dict(ActionContext())
    {}
    """

    __slots__ = ("_values", "dispatch", "rendered")

    def __init__(
        self, rendered: RenderedContext | None = None, dispatch: DispatchContext | None = None
    ) -> None:
        self.rendered = rendered
        self.dispatch = dispatch or DispatchContext()
        self._values: dict[str, object] = {}
        if rendered is not None:
            self._values = {
                RAG_CONTEXT: rendered.text,
                RAG_DOCUMENT_COUNT: rendered.documents,
                RAG_STALE_FALLBACK: rendered.stale,
                RAG_CONTEXT_TRUNCATED: rendered.truncated,
                RAG_KNOWLEDGE_USAGE: rendered.usage,
            }

    @property
    def text(self) -> str:
        """The rendered documents, blank without any."""
        return "" if self.rendered is None else self.rendered.text

    @property
    def documents(self) -> int:
        """How many documents are in the text."""
        return 0 if self.rendered is None else self.rendered.documents

    @property
    def usage(self) -> tuple[KnowledgeUsage, ...]:
        """What each source gave."""
        return () if self.rendered is None else self.rendered.usage

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"ActionContext({self._values!r})"


_NOTHING: Final = ActionContext()
_CURRENT: ContextVar[ActionContext] = ContextVar("octavo_action_context", default=_NOTHING)


def current_context() -> ActionContext:
    """Return the context of the action that runs here; an empty one outside of any.

    Each dispatch has its own, in threads and tasks too: a dispatch inside another sees what was
    retrieved for itself, and the outer one sees its own again afterwards.
    """
    return _CURRENT.get()


@contextmanager
def entered(context: ActionContext) -> Iterator[None]:
    """Make this the current context inside."""
    token = _CURRENT.set(context)
    try:
        yield
    finally:
        _CURRENT.reset(token)
