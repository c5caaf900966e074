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
    from octavo.corpus.info import CorpusInfo
    from octavo.embeddings.hash_embedding import HashEmbedding
    from octavo.embeddings.protocol import EmbeddingFunction
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
    from octavo.spi import RAGContext, RAGStrategy, RetrievedDocument
    from octavo.storage.build import BuildProgress
    from octavo.strategies.hybrid import HybridRAGStrategy
    from octavo.strategies.keyword import KeywordRAGStrategy
    from octavo.strategies.vector import VectorRAGStrategy

__all__ = [
    "NO_TITLE",
    "Analyzer",
    "BuildProgress",
    "CancelledError",
    "ConfigurationError",
    "ContextValidationError",
    "Corpus",
    "CorpusCorruptError",
    "CorpusFormatError",
    "CorpusInfo",
    "CorpusLockedError",
    "DimensionMismatchError",
    "EmbeddingFunction",
    "ExecutionError",
    "FailureReason",
    "GraphCapabilityError",
    "HashEmbedding",
    "HashEmbeddingWarning",
    "HierarchyError",
    "HybridRAGStrategy",
    "InvalidArgumentError",
    "KeywordRAGStrategy",
    "NonFiniteVectorError",
    "OctavoError",
    "ProviderUnavailableError",
    "RAGContext",
    "RAGStrategy",
    "RetrievalError",
    "RetrievalTimeoutError",
    "RetrievedDocument",
    "SourceLoadingError",
    "TemporalError",
    "VectorRAGStrategy",
    "__version__",
]

_NAMES: dict[str, tuple[str, ...]] = {
    "octavo.analysis": ("Analyzer",),
    "octavo.columns.schema": ("NO_TITLE",),
    "octavo.corpus": ("Corpus",),
    "octavo.corpus.hash_notice": ("HashEmbeddingWarning",),
    "octavo.corpus.info": ("CorpusInfo",),
    "octavo.embeddings.hash_embedding": ("HashEmbedding",),
    "octavo.embeddings.protocol": ("EmbeddingFunction",),
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
    "octavo.spi": (
        "RAGContext",
        "RAGStrategy",
        "RetrievedDocument",
    ),
    "octavo.storage.build": ("BuildProgress",),
    "octavo.strategies.hybrid": ("HybridRAGStrategy",),
    "octavo.strategies.keyword": ("KeywordRAGStrategy",),
    "octavo.strategies.vector": ("VectorRAGStrategy",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'octavo' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
