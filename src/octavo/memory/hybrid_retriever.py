"""Two stores and the settings of their fusion, as one object."""

from dataclasses import dataclass

from octavo.errors import ConfigurationError, checked_count
from octavo.memory.bm25_index import BM25Index
from octavo.memory.vector_store import VectorMemoryStore

_LARGEST_K = 2**31


@dataclass(frozen=True, slots=True)
class HybridMemoryRetriever:
    """What a :class:`~octavo.HybridRAGStrategy` fuses, and how.

    Parameters
    ----------
    keyword_index, vector_store
        The stores; an entry is the same in both where its id is.
    rrf_k
        The constant of Reciprocal Rank Fusion, at least 0.
    candidate_depth
        How many hits of each store are fused, at least 1.

    Raises
    ------
    ConfigurationError
        A store is of another kind.
    InvalidArgumentError
        A number is out of its range.
    """

    keyword_index: BM25Index
    vector_store: VectorMemoryStore
    rrf_k: int = 60
    candidate_depth: int = 100

    def __post_init__(self) -> None:
        for name, store, kind in (
            ("keyword_index", self.keyword_index, BM25Index),
            ("vector_store", self.vector_store, VectorMemoryStore),
        ):
            if not isinstance(store, kind):
                raise ConfigurationError(
                    f"{name}: expected a {kind.__name__}, found {type(store).__name__}"
                )
        checked_count("rrf_k", self.rrf_k, 0, _LARGEST_K)
        checked_count("candidate_depth", self.candidate_depth)
