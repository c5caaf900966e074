"""A retriever of LlamaIndex (the extra ``llama-index``)."""

import asyncio
from collections.abc import Mapping
from typing import Any

from octavo.adapters.equality import equal_filters, mapped_filters, only_equality
from octavo.adapters.retrieval import (
    Retrievable,
    Retrieval,
    describes_retrieval,
    document_id,
)
from octavo.embeddings.protocol import EmbeddingFunction
from octavo.importing import optional
from octavo.spi import RAGContext, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID

optional("llama_index.core", "llama-index", __name__)

from llama_index.core.base.base_retriever import BaseRetriever  # noqa: E402 - after the hint
from llama_index.core.schema import (  # noqa: E402
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores import (  # noqa: E402
    FilterCondition,
    FilterOperator,
    MetadataFilters,
)


class OctavoRetriever(BaseRetriever):
    """Retrieves LlamaIndex nodes from an octavo index, or by any octavo strategy.

    A node has the document's id, its content and metadata, and its source as source node. Metadata
    that tell of the retrieval (ranks, ids) are kept out of what models read.

    ``similarity_top_k``, ``min_score`` and ``filters`` are attributes too, and can be assigned.

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
    similarity_top_k
        The most nodes of a query.
    min_score
        The lowest score returned.
    filters
        ``MetadataFilters`` of equalities joined by *and*, or a mapping.
    settings
        Further arguments of LlamaIndex's ``BaseRetriever``.

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
        options: Mapping[str, Any] | None = None,
        embedding: EmbeddingFunction | None = None,
        similarity_top_k: int = 10,
        min_score: float = 0.0,
        filters: MetadataFilters | Mapping[str, Any] | None = None,
        **settings: Any,  # noqa: ANN401 - the base class's own
    ) -> None:
        self._retrieval = Retrieval(index, strategy, options, embedding)
        self.similarity_top_k = similarity_top_k
        self.min_score = min_score
        self.filters = filters
        self._context()
        super().__init__(**settings)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._retrieval.retrieve(query_bundle.query_str, self._context())
        return [NodeWithScore(node=_node(each), score=each.score) for each in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _context(self) -> RAGContext:
        return RAGContext(self.similarity_top_k, self.min_score, _filters(self.filters))


def _node(found: RetrievedDocument) -> TextNode:
    identifier = document_id(found)
    hidden = [key for key in found.metadata if key == ENTRY_ID or describes_retrieval(key)]
    return TextNode(
        **({} if identifier is None else {"id_": identifier}),
        text=found.content,
        metadata=dict(found.metadata),
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=found.source)},
    )


def _filters(filters: MetadataFilters | Mapping[str, Any] | None) -> dict[str, str]:
    if not isinstance(filters, MetadataFilters):
        return mapped_filters(filters)
    return equal_filters(_pairs(filters))


def _pairs(filters: MetadataFilters) -> list[tuple[str, Any]]:
    if filters.condition not in (FilterCondition.AND, None) and len(filters.filters) > 1:
        raise only_equality(filters.condition)
    if filters.condition == FilterCondition.NOT:
        raise only_equality(filters.condition)
    pairs: list[tuple[str, Any]] = []
    for each in filters.filters:
        if isinstance(each, MetadataFilters):
            pairs.extend(_pairs(each))
        elif each.operator == FilterOperator.EQ:
            pairs.append((each.key, each.value))
        else:
            raise only_equality(each.operator)
    return pairs
