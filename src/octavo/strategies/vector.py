"""Vector retrieval: cosine similarity of embeddings (S20)."""

import numpy as np
from numpy.typing import NDArray

from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.queries import Queries
from octavo.strategies.sources import VectorSource


class VectorRAGStrategy(ColumnarStrategy):
    """Rank documents by the cosine of their vector with the query's.

    Parameters
    ----------
    store
        A corpus (``corpus.vector_store``) or any other vector source.

    Notes
    -----
    A zero vector has cosine 0 with everything. Its quality is the embedding's: the built-in hash
    embedding measures token overlap only.
    """

    name = "vector"

    def __init__(self, store: VectorSource) -> None:
        self._store = store

    @property
    def documents(self) -> VectorSource:
        """The store itself."""
        return self._store

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch; one search of the store for all queries."""
        selection = self._store.select(context.metadata_filters)
        vectors = query_vectors(queries, self._store)
        hits, report = self._store.rank_vector(vectors, context.max_results, selection)
        return Ranking(hits.at_least(context.min_score), report)


def query_vectors(queries: Queries, store: VectorSource) -> NDArray[np.floating]:
    """Return the vectors that came with the queries, or embed their texts."""
    return store.embed(queries.texts) if queries.vectors is None else queries.vectors
