"""The types that an application and octavo exchange; nothing heavy is imported here."""

from octavo.spi.cancellation import CancellationToken
from octavo.spi.context import RAGContext
from octavo.spi.document import RetrievedDocument
from octavo.spi.expansion import QueryExpander, QueryExpansion
from octavo.spi.extraction import EntityExtractor, EntityKind, EntityMention, EntityRelation
from octavo.spi.graph import (
    BatchEdges,
    BatchNodes,
    BatchSeeds,
    GraphEdge,
    GraphNode,
    GraphStore,
)
from octavo.spi.graph_provider import GraphScope, GraphStoreProvider
from octavo.spi.llm_client import (
    AsyncLLMClient,
    AsyncStreamingLLMClient,
    LLMClient,
    StreamingLLMClient,
)
from octavo.spi.metadata import (
    GraphMetadata,
    HierarchyMetadata,
    MultiQueryMetadata,
    TemporalMetadata,
)
from octavo.spi.navigation import NodeView, TreeNavigator
from octavo.spi.reranking import Reranker
from octavo.spi.retrieval_engine import RetrievalEngineProvider, RetrievalScope
from octavo.spi.retrieval_request import RetrievalRequest
from octavo.spi.source_document import SourceDocument
from octavo.spi.source_loader import SourceLoader
from octavo.spi.strategy import RAGStrategy

__all__ = [
    "AsyncLLMClient",
    "AsyncStreamingLLMClient",
    "BatchEdges",
    "BatchNodes",
    "BatchSeeds",
    "CancellationToken",
    "EntityExtractor",
    "EntityKind",
    "EntityMention",
    "EntityRelation",
    "GraphEdge",
    "GraphMetadata",
    "GraphNode",
    "GraphScope",
    "GraphStore",
    "GraphStoreProvider",
    "HierarchyMetadata",
    "LLMClient",
    "MultiQueryMetadata",
    "NodeView",
    "QueryExpander",
    "QueryExpansion",
    "RAGContext",
    "RAGStrategy",
    "Reranker",
    "RetrievalEngineProvider",
    "RetrievalRequest",
    "RetrievalScope",
    "RetrievedDocument",
    "SourceDocument",
    "SourceLoader",
    "StreamingLLMClient",
    "TemporalMetadata",
    "TreeNavigator",
]
