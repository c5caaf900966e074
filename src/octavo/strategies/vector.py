"""Vector retrieval: cosine similarity of embeddings (S20)."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.sources import VectorSource, at_present, checked_source


class VectorRAGStrategy(ColumnarStrategy):
    """Rank documents by the cosine of their vector with the query's.

    Parameters
    ----------
    store
        A corpus (``corpus.vector_store``) or any other vector source.

    Raises
    ------
    ConfigurationError
        ``store`` is no vector source.

    Notes
    -----
    A zero vector has cosine 0 with everything. Its quality is the embedding's: the built-in hash
    embedding measures token overlap only.
    """

    name = "vector"

    def __init__(self, store: VectorSource) -> None:
        self._store = checked_source("store", store, VectorSource)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {**super().settings(clocks), "formula": "vector"}

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch; one search of the store for all queries."""
        store = at_present(self._store)
        selection = store.select(context.metadata_filters)
        vectors = query_vectors(queries, store)
        hits, report = store.rank_vector(vectors, context.max_results, selection)
        return Ranking(hits.at_least(context.min_score), store, report)

    def stream(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank as one stream of a fusion: an all-zero query says nothing and has no vote (S20)."""
        vectors = query_vectors(queries, self._store)
        ranking = self.rank(replace(queries, vectors=vectors), context)
        voting: NDArray[np.bool_] = np.asarray(vectors.any(axis=1))
        if bool(voting.all()):
            return ranking
        hits = ranking.hits.keep(voting[ranking.hits.query_of()])
        return replace(ranking, hits=hits)


def query_vectors(queries: Queries, store: VectorSource) -> NDArray[np.floating]:
    """Return the vectors that came with the queries, or embed their texts."""
    return store.embed(queries.texts) if queries.vectors is None else queries.vectors
