"""A retriever component of Haystack (the extra ``haystack``)."""

import asyncio
from collections.abc import Mapping
from typing import Any

from octavo.adapters.equality import equal_filters, only_equality
from octavo.adapters.retrieval import Retrievable, Retrieval, document_id
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.importing import optional
from octavo.spi import RAGContext, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID

optional("haystack", "haystack", __name__)

from haystack import (  # noqa: E402 - after the hint what to install
    Document,
    component,
    default_from_dict,
    default_to_dict,
)
from haystack.document_stores.types import FilterPolicy, apply_filter_policy  # noqa: E402

_META = "meta."


@component
class OctavoRetriever:
    """Retrieves Haystack documents from an octavo index, or by any octavo strategy.

    A document has its id, content, metadata and score, and its source as ``meta["source"]``, if it
    has no metadata of that name. The component is serialised by the path of its index.

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
    top_k
        The most documents of a query.
    min_score
        The lowest score returned.
    filters
        Haystack filters: equalities, joined by ``AND``.
    filter_policy
        Whether the filters of a run replace these, or are joined to them. Joined, they still replace
        those of the same field, as Haystack has it.

    Raises
    ------
    ConfigurationError
        There is no such strategy.
    InvalidArgumentError
        A filter is more than an equality, or a bound is not possible.
    """

    def __init__(
        self,
        index: Retrievable,
        strategy: str | None = None,
        *,
        options: dict[str, Any] | None = None,
        embedding: EmbeddingFunction | None = None,
        top_k: int = 10,
        min_score: float = 0.0,
        filters: dict[str, Any] | None = None,
        filter_policy: FilterPolicy | str = FilterPolicy.REPLACE,
    ) -> None:
        self._retrieval = Retrieval(index, strategy, options, embedding)
        self._is_given_embedding = embedding is not None
        self.strategy = strategy
        self.options = options
        self.top_k = top_k
        self.min_score = min_score
        self.filters = filters
        if isinstance(filter_policy, str):
            filter_policy = FilterPolicy.from_str(filter_policy)
        self.filter_policy = filter_policy
        self._context(None, None)

    def to_dict(self) -> dict[str, Any]:
        """Serialise the component.

        Raises
        ------
        ConfigurationError
            It retrieves by a strategy, or embeds by a function, that has no name.
        """
        if self._is_given_embedding or not self._retrieval.is_named:
            raise ConfigurationError(
                "OctavoRetriever: only a retriever of an index that names its embedding can be "
                "serialised; where queries are not embedded, give the index by its path"
            )
        serialised: dict[str, Any] = default_to_dict(
            self,
            index=self._retrieval.path,
            strategy=self.strategy,
            options=self.options,
            top_k=self.top_k,
            min_score=self.min_score,
            filters=self.filters,
            filter_policy=self.filter_policy.value,
        )
        return serialised

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "OctavoRetriever":
        """Make the component that was serialised."""
        made: OctavoRetriever = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Retrieve documents.

        Parameters
        ----------
        query
            Any text.
        filters, top_k
            For this run; see the class.
        """
        found = self._retrieval.retrieve(query, self._context(filters, top_k))
        return {"documents": [_document(each) for each in found]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Retrieve documents on another thread; see :meth:`run`."""
        found: dict[str, list[Document]] = await asyncio.to_thread(self.run, query, filters, top_k)
        return found

    def _context(self, filters: dict[str, Any] | None, top_k: int | None) -> RAGContext:
        joined = apply_filter_policy(self.filter_policy, self.filters, filters)
        pairs = [] if not joined else _pairs(joined)
        wanted = self.top_k if top_k is None else top_k
        return RAGContext(wanted, self.min_score, equal_filters(pairs))


def _document(found: RetrievedDocument) -> Document:
    return Document(
        id=document_id(found) or "",
        content=found.content,
        meta={"source": found.source, **found.metadata},
        score=found.score,
    )


def _pairs(filters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return field and value of each equality that a filter asks for."""
    if not isinstance(filters, Mapping):
        raise InvalidArgumentError(f"filters: expected a mapping, found {type(filters).__name__}")
    operator = filters.get("operator")
    if operator == "AND" and isinstance(filters.get("conditions"), list):
        return [pair for each in filters["conditions"] for pair in _pairs(each)]
    if operator == "==" and isinstance(filters.get("field"), str) and "value" in filters:
        field = filters["field"]
        return [(ENTRY_ID if field == "id" else field.removeprefix(_META), filters["value"])]
    raise only_equality(dict(filters))
