"""Hybrid retrieval: keyword and vector streams fused by reciprocal rank (S22)."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.errors import ConfigurationError, checked_count
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.fusion import fuse
from octavo.strategies.queries import Queries
from octavo.strategies.sources import DocumentSource, KeywordSource, VectorSource
from octavo.strategies.vector import query_vectors

STREAMS = ("keyword", "vector", "graph")


class HybridRAGStrategy(ColumnarStrategy):
    """Fuse a keyword and a vector ranking by unweighted Reciprocal Rank Fusion.

    Parameters
    ----------
    keyword_index
        The keyword source.
    vector_store
        The vector source; both number the same documents by the same rows.
    candidate_depth
        How many hits of each stream are fused; at least ``max_results`` are always taken.

    Notes
    -----
    ``score = (sum over streams of 61 / (60 + rank)) / non-empty streams``, so a document that is
    first in every non-empty stream scores exactly 1.0 and one that a stream does not rank gets
    nothing from it (Cormack, Clarke and Buettcher, SIGIR 2009, scaled to 0..1).
    """

    name = "hybrid"
    RRF_K = 60
    DEFAULT_CANDIDATE_DEPTH = 100

    def __init__(
        self,
        keyword_index: KeywordSource,
        vector_store: VectorSource,
        *,
        candidate_depth: int = DEFAULT_CANDIDATE_DEPTH,
    ) -> None:
        stores: tuple[object, object] = (keyword_index, vector_store)
        if stores[0] is not stores[1]:
            raise ConfigurationError(
                "hybrid: expected a keyword index and a vector store over the same corpus, "
                "found two different ones"
            )
        checked_count("candidate_depth", candidate_depth)
        self._keyword_index = keyword_index
        self._vector_store = vector_store
        self._candidate_depth = candidate_depth

    @property
    def documents(self) -> DocumentSource:
        """The corpus that both streams rank."""
        return self._keyword_index

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch: one search of each stream, then one fusion for all queries."""
        depth = max(self._candidate_depth, context.max_results)
        selection = self._keyword_index.select(context.metadata_filters)
        keyword, keyword_report = self._keyword_index.rank_keyword(queries.texts, depth, selection)
        vectors = query_vectors(queries, self._vector_store)
        vector, vector_report = self._vector_store.rank_vector(vectors, depth, selection)
        streams = {"keyword": keyword, "vector": _without_zero_queries(vector, vectors)}
        fused = fuse(streams, k=self.RRF_K, limit=context.max_results)
        return Ranking(fused.at_least(context.min_score), keyword_report + vector_report)

    def hit_metadata(self, hits: Hits, position: int) -> dict[str, str]:
        """Return the streams that ranked the hit, with its rank and score in each (S23)."""
        found: dict[str, str] = {}
        streams = []
        for stream in STREAMS:
            rank = hits.parts.get(f"{stream}_rank")
            if rank is None or (rank.present is not None and not rank.present[position]):
                continue
            streams.append(stream)
            score = hits.parts[f"{stream}_score"].values[position]
            found[f"hybrid.{stream}.rank"] = str(int(rank.values[position]))
            found[f"hybrid.{stream}.score"] = repr(float(score))
        return {"hybrid.streams": ",".join(streams), **found}


def _without_zero_queries(hits: Hits, vectors: NDArray[np.floating]) -> Hits:
    """Empty the stream of each all-zero query: it says nothing, so it must not vote (S20)."""
    zero: NDArray[np.bool_] = np.logical_not(vectors.any(axis=1))
    if not zero.any():
        return hits
    return hits.keep(~zero[hits.query_of()])
