"""octavo: a retrieval core for Python.

Documents live in Arrow columns; FAISS ranks vectors, tantivy ranks words, numba kernels fuse. Names
are imported when they are first used, so ``import octavo`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.analysis import Analyzer
    from octavo.columns.schema import NO_TITLE
    from octavo.corpus import Corpus
    from octavo.corpus.hash_notice import HashEmbeddingWarning
    from octavo.corpus.info import CorpusInfo, VectorSearchInfo
    from octavo.corpus.writer import CorpusWriter
    from octavo.embeddings.hash_embedding import HashEmbedding
    from octavo.embeddings.model2vec_embedding import Model2VecEmbedding
    from octavo.embeddings.openai_embedding import OpenAIEmbedding
    from octavo.embeddings.protocol import EmbeddingFunction
    from octavo.embeddings.sentence_transformer_embedding import SentenceTransformerEmbedding
    from octavo.engines.choice import VectorIndexKind
    from octavo.errors import (
        CancelledError,
        ConfigurationError,
        ContextValidationError,
        CorpusCorruptError,
        CorpusFormatError,
        CorpusLockedError,
        DimensionMismatchError,
        ExecutionError,
        FailureReason,
        GraphCapabilityError,
        HierarchyError,
        InvalidArgumentError,
        NonFiniteVectorError,
        OctavoError,
        ProviderUnavailableError,
        RetrievalError,
        RetrievalTimeoutError,
        SourceLoadingError,
        TemporalError,
    )
    from octavo.graph.corpus_graph import CorpusGraph
    from octavo.graph.corpus_seeds import GraphSeeds
    from octavo.graph.csr_graph import CsrGraph
    from octavo.graph.default_providers import (
        InMemoryGraphStoreProvider,
        KnowledgeToolsGraphStoreProvider,
    )
    from octavo.graph.graph_path import GraphPath
    from octavo.graph.identity import identity_key
    from octavo.graph.in_memory_graph_store import InMemoryGraphStore
    from octavo.graph.knowledge.agent_tool import AgentTool, ToolParameter
    from octavo.graph.knowledge.store import KnowledgeToolsGraphStore
    from octavo.graph.knowledge.tools import KnowledgeTools
    from octavo.graph.neo4j.importing import fold_names, import_graph
    from octavo.graph.neo4j.provider import Neo4jGraphStoreProvider
    from octavo.graph.neo4j.schema import Neo4jSchema
    from octavo.graph.neo4j.settings import Neo4jSettings, neo4j_settings
    from octavo.graph.neo4j.store import Neo4jGraphStore
    from octavo.graph.providers import claiming_provider, graph_store_providers, open_graph_store
    from octavo.graph.reference_edges import reference_edges
    from octavo.graph.text.extractor import TextExtractor
    from octavo.ledger.comparison import diff
    from octavo.ledger.recomputation import recompute
    from octavo.memory import (
        BM25Index,
        HybridMemoryRetriever,
        MemoryEntry,
        MemoryTier,
        VectorMemoryStore,
    )
    from octavo.shards.opening import open_index
    from octavo.shards.remembered_embedding import embedding_of
    from octavo.shards.sharded_corpus import ShardedCorpus
    from octavo.spi import (
        AsyncLLMClient,
        BatchEdges,
        BatchNodes,
        BatchSeeds,
        CancellationToken,
        EntityExtractor,
        EntityKind,
        EntityMention,
        EntityRelation,
        GraphEdge,
        GraphMetadata,
        GraphNode,
        GraphScope,
        GraphStore,
        GraphStoreProvider,
        HierarchyMetadata,
        LLMClient,
        MultiQueryMetadata,
        NodeView,
        QueryExpander,
        QueryExpansion,
        RAGContext,
        RAGStrategy,
        Reranker,
        RetrievalEngineProvider,
        RetrievalRequest,
        RetrievalScope,
        RetrievedDocument,
        SourceDocument,
        SourceLoader,
        TemporalMetadata,
        TreeNavigator,
    )
    from octavo.storage.build.build_request import BuildProgress
    from octavo.strategies.graph import GraphRAGStrategy
    from octavo.strategies.hierarchical import HierarchicalRAGStrategy
    from octavo.strategies.hierarchy_index import HierarchyIndex
    from octavo.strategies.hybrid import GraphStream, HybridRAGStrategy
    from octavo.strategies.keyword import KeywordRAGStrategy
    from octavo.strategies.lexical_navigator import LexicalNavigator
    from octavo.strategies.multi_query import MultiQueryRAGStrategy
    from octavo.strategies.pipeline import RAGPipeline
    from octavo.strategies.reasoning import ReasoningRAGStrategy
    from octavo.strategies.settings import RunSettings
    from octavo.strategies.synonym_expander import SynonymExpander
    from octavo.strategies.temporal import TemporalRAGStrategy
    from octavo.strategies.temporal_index import TemporalIndex
    from octavo.strategies.vector import VectorRAGStrategy
    from octavo.sweeps.run import sweep

__all__ = [
    "NO_TITLE",
    "AgentTool",
    "Analyzer",
    "AsyncLLMClient",
    "BM25Index",
    "BatchEdges",
    "BatchNodes",
    "BatchSeeds",
    "BuildProgress",
    "CancellationToken",
    "CancelledError",
    "ConfigurationError",
    "ContextValidationError",
    "Corpus",
    "CorpusCorruptError",
    "CorpusFormatError",
    "CorpusGraph",
    "CorpusInfo",
    "CorpusLockedError",
    "CorpusWriter",
    "CsrGraph",
    "DimensionMismatchError",
    "EmbeddingFunction",
    "EntityExtractor",
    "EntityKind",
    "EntityMention",
    "EntityRelation",
    "ExecutionError",
    "FailureReason",
    "GraphCapabilityError",
    "GraphEdge",
    "GraphMetadata",
    "GraphNode",
    "GraphPath",
    "GraphRAGStrategy",
    "GraphScope",
    "GraphSeeds",
    "GraphStore",
    "GraphStoreProvider",
    "GraphStream",
    "HashEmbedding",
    "HashEmbeddingWarning",
    "HierarchicalRAGStrategy",
    "HierarchyError",
    "HierarchyIndex",
    "HierarchyMetadata",
    "HybridMemoryRetriever",
    "HybridRAGStrategy",
    "InMemoryGraphStore",
    "InMemoryGraphStoreProvider",
    "InvalidArgumentError",
    "KeywordRAGStrategy",
    "KnowledgeTools",
    "KnowledgeToolsGraphStore",
    "KnowledgeToolsGraphStoreProvider",
    "LLMClient",
    "LexicalNavigator",
    "MemoryEntry",
    "MemoryTier",
    "Model2VecEmbedding",
    "MultiQueryMetadata",
    "MultiQueryRAGStrategy",
    "Neo4jGraphStore",
    "Neo4jGraphStoreProvider",
    "Neo4jSchema",
    "Neo4jSettings",
    "NodeView",
    "NonFiniteVectorError",
    "OctavoError",
    "OpenAIEmbedding",
    "ProviderUnavailableError",
    "QueryExpander",
    "QueryExpansion",
    "RAGContext",
    "RAGPipeline",
    "RAGStrategy",
    "ReasoningRAGStrategy",
    "Reranker",
    "RetrievalEngineProvider",
    "RetrievalError",
    "RetrievalRequest",
    "RetrievalScope",
    "RetrievalTimeoutError",
    "RetrievedDocument",
    "RunSettings",
    "SentenceTransformerEmbedding",
    "ShardedCorpus",
    "SourceDocument",
    "SourceLoader",
    "SourceLoadingError",
    "SynonymExpander",
    "TemporalError",
    "TemporalIndex",
    "TemporalMetadata",
    "TemporalRAGStrategy",
    "TextExtractor",
    "ToolParameter",
    "TreeNavigator",
    "VectorIndexKind",
    "VectorMemoryStore",
    "VectorRAGStrategy",
    "VectorSearchInfo",
    "__version__",
    "claiming_provider",
    "diff",
    "embedding_of",
    "fold_names",
    "graph_store_providers",
    "identity_key",
    "import_graph",
    "neo4j_settings",
    "open_graph_store",
    "open_index",
    "recompute",
    "reference_edges",
    "sweep",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "octavo.analysis": ("Analyzer",),
    "octavo.columns.schema": ("NO_TITLE",),
    "octavo.corpus": ("Corpus",),
    "octavo.corpus.hash_notice": ("HashEmbeddingWarning",),
    "octavo.corpus.info": ("CorpusInfo", "VectorSearchInfo"),
    "octavo.corpus.writer": ("CorpusWriter",),
    "octavo.embeddings.hash_embedding": ("HashEmbedding",),
    "octavo.embeddings.model2vec_embedding": ("Model2VecEmbedding",),
    "octavo.embeddings.openai_embedding": ("OpenAIEmbedding",),
    "octavo.embeddings.protocol": ("EmbeddingFunction",),
    "octavo.embeddings.sentence_transformer_embedding": ("SentenceTransformerEmbedding",),
    "octavo.engines.choice": ("VectorIndexKind",),
    "octavo.errors": (
        "CancelledError",
        "ConfigurationError",
        "ContextValidationError",
        "CorpusCorruptError",
        "CorpusFormatError",
        "CorpusLockedError",
        "DimensionMismatchError",
        "ExecutionError",
        "FailureReason",
        "GraphCapabilityError",
        "HierarchyError",
        "InvalidArgumentError",
        "NonFiniteVectorError",
        "OctavoError",
        "ProviderUnavailableError",
        "RetrievalError",
        "RetrievalTimeoutError",
        "SourceLoadingError",
        "TemporalError",
    ),
    "octavo.graph.knowledge.agent_tool": ("AgentTool", "ToolParameter"),
    "octavo.graph.corpus_graph": ("CorpusGraph",),
    "octavo.graph.corpus_seeds": ("GraphSeeds",),
    "octavo.graph.csr_graph": ("CsrGraph",),
    "octavo.graph.default_providers": (
        "InMemoryGraphStoreProvider",
        "KnowledgeToolsGraphStoreProvider",
    ),
    "octavo.graph.neo4j.importing": ("fold_names", "import_graph"),
    "octavo.graph.neo4j.provider": ("Neo4jGraphStoreProvider",),
    "octavo.graph.neo4j.schema": ("Neo4jSchema",),
    "octavo.graph.neo4j.settings": ("Neo4jSettings", "neo4j_settings"),
    "octavo.graph.neo4j.store": ("Neo4jGraphStore",),
    "octavo.graph.providers": ("claiming_provider", "graph_store_providers", "open_graph_store"),
    "octavo.graph.graph_path": ("GraphPath",),
    "octavo.graph.identity": ("identity_key",),
    "octavo.graph.reference_edges": ("reference_edges",),
    "octavo.graph.in_memory_graph_store": ("InMemoryGraphStore",),
    "octavo.graph.knowledge.tools": ("KnowledgeTools",),
    "octavo.graph.knowledge.store": ("KnowledgeToolsGraphStore",),
    "octavo.graph.text.extractor": ("TextExtractor",),
    "octavo.ledger.comparison": ("diff",),
    "octavo.ledger.recomputation": ("recompute",),
    "octavo.memory": (
        "BM25Index",
        "HybridMemoryRetriever",
        "MemoryEntry",
        "MemoryTier",
        "VectorMemoryStore",
    ),
    "octavo.shards.opening": ("open_index",),
    "octavo.shards.remembered_embedding": ("embedding_of",),
    "octavo.shards.sharded_corpus": ("ShardedCorpus",),
    "octavo.spi": (
        "AsyncLLMClient",
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
        "TemporalMetadata",
        "TreeNavigator",
    ),
    "octavo.storage.build.build_request": ("BuildProgress",),
    "octavo.strategies.graph": ("GraphRAGStrategy",),
    "octavo.strategies.hierarchical": ("HierarchicalRAGStrategy",),
    "octavo.strategies.hierarchy_index": ("HierarchyIndex",),
    "octavo.strategies.hybrid": ("GraphStream", "HybridRAGStrategy"),
    "octavo.strategies.keyword": ("KeywordRAGStrategy",),
    "octavo.strategies.lexical_navigator": ("LexicalNavigator",),
    "octavo.strategies.multi_query": ("MultiQueryRAGStrategy",),
    "octavo.strategies.pipeline": ("RAGPipeline",),
    "octavo.strategies.reasoning": ("ReasoningRAGStrategy",),
    "octavo.strategies.settings": ("RunSettings",),
    "octavo.strategies.synonym_expander": ("SynonymExpander",),
    "octavo.strategies.temporal": ("TemporalRAGStrategy",),
    "octavo.strategies.temporal_index": ("TemporalIndex",),
    "octavo.strategies.vector": ("VectorRAGStrategy",),
    "octavo.sweeps.run": ("sweep",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
_PACKAGES = ("declarative", "evaluation", "testing")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    if name in _PACKAGES:
        return import_module(f"octavo.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'octavo' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PACKAGES})
