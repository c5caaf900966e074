"""A query on its way to formatted context: preprocess, retrieve, rerank, format (S30)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from octavo.errors import ConfigurationError, ExecutionError, OctavoError, told
from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument
from octavo.strategies.returned import as_columnar

QueryPreprocessor: TypeAlias = Callable[[str], str]
DocumentReranker: TypeAlias = Callable[[tuple[RetrievedDocument, ...]], Sequence[RetrievedDocument]]

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class RAGPipeline:
    """Four phases around one strategy: query preprocessor, retrieval, reranker, text.

    Made by :meth:`builder`; immutable, and as safe to share between threads as its parts.

    Examples
    --------
    >>> from octavo.memory import BM25Index, MemoryEntry, MemoryTier
    >>> from octavo.strategies.keyword import KeywordRAGStrategy
    >>> index = BM25Index()
    >>> index.add(MemoryEntry("note", "Foxes are red.", MemoryTier.WORKING))
    >>> pipeline = RAGPipeline.builder(KeywordRAGStrategy(index)).query_preprocessor(str.strip)
    >>> pipeline.build().execute(" red ")
    '1. [note] Foxes are red.'
    """

    strategy: RAGStrategy
    default_context: RAGContext
    query_preprocessor: QueryPreprocessor | None = None
    reranker: DocumentReranker | None = None

    def __post_init__(self) -> None:
        as_columnar(self.strategy)
        _context(self.default_context)
        for name in ("query_preprocessor", "reranker"):
            if getattr(self, name) is not None:
                _function(name, getattr(self, name))

    @staticmethod
    def builder(strategy: RAGStrategy) -> "RAGPipelineBuilder":
        """Begin a pipeline.

        Parameters
        ----------
        strategy
            Any object with ``name`` and ``retrieve``.

        Raises
        ------
        ConfigurationError
            The strategy lacks one of them, or its name is no string.
        """
        return RAGPipelineBuilder(strategy)

    def execute(self, query: str, context: RAGContext | None = None) -> str:
        """Return the retrieved documents as numbered text.

        One block a document, ``1. [source] content``, with a blank line between blocks; an empty
        string where there is no document.

        Parameters
        ----------
        query, context
            As for :meth:`retrieve_documents`, which says also what is raised.
        """
        return formatted(self.retrieve_documents(query, context))

    def retrieve_documents(
        self, query: str, context: RAGContext | None = None
    ) -> tuple[RetrievedDocument, ...]:
        """Return the documents after the reranker, where there is one.

        Parameters
        ----------
        query
            Any text.
        context
            Limits and filters; the pipeline's default where absent.

        Raises
        ------
        TypeError
            ``query`` is no string, or ``context`` no :class:`RAGContext`.
        ExecutionError
            The preprocessor, the strategy or the reranker raised something that is no
            :class:`~octavo.OctavoError`, or returned what it must not.
        """
        if not isinstance(query, str):
            raise TypeError(f"query: expected a string, found {type(query).__name__}")
        if self.query_preprocessor is not None:
            query = _called("query preprocessor", self.query_preprocessor, query)
            if not isinstance(query, str):
                raise ExecutionError(
                    f"query preprocessor: expected a string, found {type(query).__name__}"
                )
        context = self.default_context if context is None else context
        found = as_columnar(self.strategy).retrieve(query, context)
        if self.reranker is None:
            return found
        return _documents("reranker", _called("reranker", self.reranker, found))


class RAGPipelineBuilder:
    """Collects the parts of a :class:`RAGPipeline`; each method returns the builder.

    Parameters
    ----------
    strategy
        Any object with ``name`` and ``retrieve``.
    """

    def __init__(self, strategy: RAGStrategy) -> None:
        as_columnar(strategy)
        self._strategy = strategy
        self._default_context = RAGContext()
        self._query_preprocessor: QueryPreprocessor | None = None
        self._reranker: DocumentReranker | None = None

    def default_context(self, context: RAGContext) -> "RAGPipelineBuilder":
        """Set the context of calls that bring none."""
        self._default_context = _context(context)
        return self

    def query_preprocessor(self, preprocessor: QueryPreprocessor) -> "RAGPipelineBuilder":
        """Set the function from the query asked to the query retrieved."""
        self._query_preprocessor = _function("query_preprocessor", preprocessor)
        return self

    def reranker(self, reranker: DocumentReranker) -> "RAGPipelineBuilder":
        """Set the function from the documents retrieved to those returned, in their order."""
        self._reranker = _function("reranker", reranker)
        return self

    def build(self) -> RAGPipeline:
        """Return the pipeline; the builder may go on to make others."""
        return RAGPipeline(
            self._strategy, self._default_context, self._query_preprocessor, self._reranker
        )


def formatted(documents: Sequence[RetrievedDocument]) -> str:
    """Return documents as numbered blocks of text, from 1, a blank line between two."""
    return "\n\n".join(
        f"{number}. [{document.source}] {document.content}"
        for number, document in enumerate(documents, 1)
    )


def _function(name: str, function: Given) -> Given:
    if not callable(function):
        raise ConfigurationError(f"{name}: expected a function, found {type(function).__name__}")
    return function


def _context(context: RAGContext) -> RAGContext:
    if not isinstance(context, RAGContext):
        raise ConfigurationError(
            f"default_context: expected a RAGContext, found {type(context).__name__}"
        )
    return context


def _called(name: str, function: Callable[[Given], Made], argument: Given) -> Made:
    try:
        return function(argument)
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"{name}: raised {told(error)}") from error


def _documents(name: str, found: object) -> tuple[RetrievedDocument, ...]:
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise ExecutionError(
            f"{name}: expected a sequence of documents, found {type(found).__name__}"
        )
    for position, document in enumerate(found):
        if not isinstance(document, RetrievedDocument):
            raise ExecutionError(
                f"{name}: expected a RetrievedDocument at position {position}, "
                f"found {type(document).__name__}"
            )
    return tuple(found)
