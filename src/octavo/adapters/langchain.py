"""A retriever of LangChain (the extra ``langchain``)."""

import asyncio
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

from octavo.adapters.equality import mapped_filters
from octavo.adapters.retrieval import Retrieval, document_id
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError
from octavo.importing import optional
from octavo.spi import RAGContext, RetrievedDocument

optional("langchain_core", "langchain", __name__)

from langchain_core.callbacks import (  # noqa: E402 - after the hint what to install
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation  # noqa: E402


class OctavoRetriever(BaseRetriever):
    """Retrieves LangChain documents from an octavo index, or by any octavo strategy.

    A document has its id; its metadata are those of the index, ``source``, and the score under
    :attr:`score_key`. ``k``, ``min_score`` and ``filters`` can be given for one call too:
    ``retriever.invoke("why?", filters={"team": "reports"})``, and assigned. What documents come
    from (the first four) is settled when a retriever is made; ``model_copy(update=...)`` makes
    another.

    Parameters
    ----------
    index
        A :class:`octavo.Corpus` or :class:`octavo.ShardedCorpus`, the directory of one, or a
        strategy.
    strategy
        The strategy's name, for an index; unset, its default.
    options
        Options of the strategy.
    embedding
        Embeds queries, where an index given by its path cannot name its own function.
    k
        The most documents of a query.
    min_score
        The lowest score returned.
    filters
        Metadata that documents must have, exactly; numbers, booleans and dates as text.
    score_key
        The metadata key of the score.

    Raises
    ------
    pydantic.ValidationError
        There is no such field, or a value of it is of another type.
    ConfigurationError
        There is no such strategy, or documents have the :attr:`score_key` already.
    """

    # What is misspelt, such as `filter`, is refused and never ignored.
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: SkipValidation[Any] = Field(frozen=True)
    strategy: str | None = Field(default=None, frozen=True)
    options: dict[str, Any] = Field(default_factory=dict, frozen=True)
    embedding: SkipValidation[EmbeddingFunction | None] = Field(default=None, frozen=True)
    k: int = 10
    min_score: float = 0.0
    filters: dict[str, Any] = Field(default_factory=dict)
    score_key: str = "relevance_score"
    _retrieval: Retrieval = PrivateAttr()

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - the fields above
        super().__init__(**fields)
        self._prepare()  # not in a validator: pydantic would wrap the error

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        shared = {} if memo is None else memo
        shared |= {id(each): each for each in (self.index, self.embedding)}
        copied: Self = super().__deepcopy__(shared)
        return copied

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with other fields if given; an index is shared, not copied."""
        copied: Self = super(OctavoRetriever, deepcopy(self) if deep else self).model_copy(
            update=update
        )
        if update:
            copied._prepare()
        return copied

    def __getstate__(self) -> dict[Any, Any]:
        state = dict(super().__getstate__())
        if self._retrieval.path is not None:  # opened again where it is unpickled
            named = {
                "index": str(Path(self._retrieval.path).absolute()),
                "embedding": self._retrieval.embedding,
            }
            state["__dict__"] = {**state["__dict__"], **named}
        return state

    def _prepare(self) -> None:
        self._retrieval = Retrieval(self.index, self.strategy, self.options, self.embedding)
        self._context()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,  # noqa: ARG002 - LangChain's
        k: int | None = None,
        min_score: float | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        context = self._context(k, min_score, filters)
        return [self._document(each) for each in self._retrieval.retrieve(query, context)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun | None = None,
        k: int | None = None,
        min_score: float | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        return await asyncio.to_thread(
            self._get_relevant_documents,
            query,
            run_manager=None if run_manager is None else run_manager.get_sync(),
            k=k,
            min_score=min_score,
            filters=filters,
        )

    def _context(
        self,
        k: int | None = None,
        min_score: float | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> RAGContext:
        return RAGContext(
            self.k if k is None else k,
            self.min_score if min_score is None else min_score,
            mapped_filters(self.filters if filters is None else filters),
        )

    def _document(self, found: RetrievedDocument) -> Document:
        if self.score_key in found.metadata:
            raise ConfigurationError(
                f"score_key: the documents have metadata {self.score_key!r} already; name another"
            )
        metadata = {"source": found.source, **found.metadata, self.score_key: found.score}
        return Document(id=document_id(found), page_content=found.content, metadata=metadata)
