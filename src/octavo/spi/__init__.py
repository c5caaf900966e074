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
from octavo.spi.metadata import (
    GraphMetadata,
    HierarchyMetadata,
    MultiQueryMetadata,
    TemporalMetadata,
)
from octavo.spi.navigation import NodeView, TreeNavigator
from octavo.spi.strategy import RAGStrategy

__all__ = [
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
    "MultiQueryMetadata",
    "NodeView",
    "QueryExpander",
    "QueryExpansion",
    "RAGContext",
    "RAGStrategy",
    "RetrievedDocument",
    "TemporalMetadata",
    "TreeNavigator",
]
