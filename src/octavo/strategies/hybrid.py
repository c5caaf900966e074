"""Hybrid retrieval: keyword, vector and graph streams fused by reciprocal rank (S22, S23)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from octavo.columns.hits import Hits, Part
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, checked_count
from octavo.graph.graph_path import GraphPath
from octavo.graph.paths import Goal
from octavo.memory.hybrid_retriever import HybridMemoryRetriever
from octavo.parallel import side_by_side
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking, given_context
from octavo.strategies.fusion import LARGEST_K, checked_weights, fuse
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.inner import candidate_depth as depth_of
from octavo.strategies.inner import checked_depth, inner_context
from octavo.strategies.joined import JoinedStores, join
from octavo.strategies.keyword import KeywordRAGStrategy
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.sources import (
    Documents,
    DocumentSource,
    KeywordSource,
    VectorSource,
    at_present,
    checked_source,
)
from octavo.strategies.vector import VectorRAGStrategy, query_vectors

# Rows times queries from which the keyword stream is given to another thread. Handing over costs
# 0.1 to 0.3 ms and saves the shorter of the two streams (measured: even at 100,000 rows).
_ROWS_TO_OVERLAP = 200_000


class GraphStream(Enum):
    """Whether a graph takes part in a hybrid ranking."""

    ABSENT = "absent"
    FUSED = "fused"


class HybridRAGStrategy(ColumnarStrategy):
    """Fuse keyword, vector and, where there is one, graph rankings by Reciprocal Rank Fusion.

    Parameters
    ----------
    keyword_index
        The keyword source; or, alone, a configured :class:`HybridMemoryRetriever`.
    vector_store
        The vector source. Documents are the same where they have the same row of one corpus, or
        the same id in two stores; equal text alone means nothing.
    graph
        A third stream. Without one, the other two are fused all the same.
    candidate_depth
        How many hits of each stream are fused, 100 by default; ``max_results`` are always taken.
    rrf_k
        The constant of the formula, 60 by default.
    weights
        What a vote of each stream counts, such as ``{"keyword": 0.5, "vector": 1.0}``. An extension,
        off by default; see :func:`octavo.strategies.fusion.fuse`.

    Raises
    ------
    ConfigurationError
        A store is no keyword or vector source, or the graph no :class:`GraphRAGStrategy`.
    InvalidArgumentError
        A number is out of range, or the weights are not those of the streams.

    Notes
    -----
    ``score = (sum over streams of 61 / (60 + rank)) / non-empty streams``, so a document that is
    first in every non-empty stream scores exactly 1.0 and one that a stream does not rank gets
    nothing from it (Cormack, Clarke and Buettcher, SIGIR 2009, scaled to 0..1). Filters act inside
    every stream. Each hit keeps its rank and score in each stream, as parts and as metadata.
    """

    name = "hybrid"
    RRF_K: Final = 60

    def __init__(
        self,
        keyword_index: KeywordSource | HybridMemoryRetriever,
        vector_store: VectorSource | None = None,
        graph: GraphRAGStrategy | None = None,
        *,
        candidate_depth: int | None = None,
        rrf_k: int | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        settings = _settings(keyword_index, vector_store)
        self._keyword_index = settings.keyword_index
        self._vector_store = settings.vector_store
        self._rrf_k = checked_count(
            "rrf_k", settings.rrf_k if rrf_k is None else rrf_k, 0, LARGEST_K
        )
        self._depth = checked_depth(candidate_depth) or settings.candidate_depth
        if graph is not None and not isinstance(graph, GraphRAGStrategy):
            raise ConfigurationError(
                f"graph: expected a GraphRAGStrategy, found {type(graph).__name__}"
            )
        self._graph = graph
        self._streams = ("keyword", "vector") if graph is None else ("keyword", "vector", "graph")
        self._weights = None if weights is None else checked_weights(weights, self._streams)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {
            **super().settings(clocks),
            "formula": "hybrid",
            "streams": list(self._streams),
            "rrf_k": self._rrf_k,
            "weights": self._weights,
            "candidate_depth": self._depth,
            "graph": None if self._graph is None else self._graph.settings(clocks),
        }

    @property
    def graph_stream(self) -> GraphStream:
        """Whether a graph's ranking is fused with the other two."""
        return GraphStream.ABSENT if self._graph is None else GraphStream.FUSED

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch: one search of each stream, then one fusion for all queries."""
        return self._fused(queries, context)[0]

    def paths(
        self,
        query: str,
        context: RAGContext | None = None,
        *,
        query_vector: ArrayLike | None = None,
    ) -> tuple[GraphPath | None, ...]:
        """Return for each hit of ``retrieve(query, context)`` the path by which the graph found it.

        ``None`` stands for a hit that the graph stream does not rank. The score of a path is that
        of the stream, ``hybrid.graph.score``. A live graph is walked once more, and tells the paths
        that it has by then.

        Parameters
        ----------
        query, context
            As in :meth:`retrieve`.
        query_vector
            The query's own vector, as in :meth:`octavo.Corpus.search`.
        """
        given = given_context(context)
        queries = Queries.one(query, query_vector)
        ranking, streams = self._fused(queries, given)
        found: dict[int, GraphPath | None] = {}
        if self._graph is not None:
            hits = streams["graph"]
            shown = np.isin(hits.rows, ranking.hits.rows)
            rows, nodes = hits.rows[shown], hits.parts["node_id"].values[shown].tolist()
            trace = self._graph.trace(queries, inner_context(given, depth_of(given, self._depth)))
            goals = zip(nodes, ranking.documents.ids(rows), strict=True)
            paths = trace.paths([Goal(*goal) for goal in goals])
            found = dict(zip(rows.tolist(), paths, strict=True))
        return tuple(found.get(row) for row in ranking.hits.rows.tolist())

    def _fused(self, queries: Queries, context: RAGContext) -> tuple[Ranking, Mapping[str, Hits]]:
        """Return the fused ranking, and the streams in its rows."""
        depth = depth_of(context, self._depth)
        store, keyword_index, vector_store = self._stores()
        inner = inner_context(context, depth)

        def keyword_ranking() -> Ranking:
            return KeywordRAGStrategy(keyword_index).stream(queries, inner)

        def other_rankings() -> dict[str, Ranking]:
            embedded = replace(queries, vectors=query_vectors(queries, vector_store))
            found = {"vector": VectorRAGStrategy(vector_store).stream(embedded, inner)}
            if self._graph is not None:
                asked = embedded if self._graph.lives_in(vector_store) else queries
                found["graph"] = self._graph.stream(asked, inner, store)
            return found

        if keyword_index.rows * len(queries) < _ROWS_TO_OVERLAP:
            keyword, others = keyword_ranking(), other_rankings()
        else:
            keyword, others = side_by_side(keyword_ranking, other_rankings)
        rankings = {"keyword": keyword, **others}
        documents: Documents = store
        streams: dict[str, Hits] = {}
        for name, ranking in rankings.items():
            streams[name], joined = join(ranking.hits, ranking.documents, store)
            documents = documents if joined is store else joined
        fused = fuse(streams, k=self._rrf_k, limit=context.max_results, weights=self._weights)
        if self._graph is not None:
            fused = _with_walk(fused, streams["graph"])
        report = sum((ranking.report for ranking in rankings.values()), SearchReport())
        return Ranking(fused.at_least(context.min_score), documents, report), streams

    def _stores(self) -> tuple[DocumentSource, KeywordSource, VectorSource]:
        """Return the rows of both stores together, and both stores, as they are now."""
        stores: tuple[DocumentSource, DocumentSource] = (self._keyword_index, self._vector_store)
        keyword_index, vector_store = (
            at_present(self._keyword_index),
            at_present(self._vector_store),
        )
        same = stores[0] is stores[1]
        return (
            keyword_index if same else JoinedStores(keyword_index, vector_store),
            keyword_index,
            vector_store,
        )


def _with_walk(fused: Hits, walked: Hits) -> Hits:
    """Return fused hits with what the graph's stream says of those that it ranks (S24)."""
    rank = fused.parts["graph_rank"]
    found = rank.values > 0
    places = walked.offsets[fused.query_of()[found]] + rank.values[found] - 1
    own = {}
    for name, part in walked.parts.items():
        nothing = None if part.values.dtype == np.object_ else 0
        values = np.full(len(fused), nothing, part.values.dtype)
        values[found] = part.values[places]
        own[name] = Part(values, found)
    return fused.with_parts(**own)


@dataclass(frozen=True, slots=True)
class _Settings:
    keyword_index: KeywordSource
    vector_store: VectorSource
    rrf_k: int = HybridRAGStrategy.RRF_K
    candidate_depth: int | None = None


def _settings(
    keyword_index: KeywordSource | HybridMemoryRetriever, vector_store: VectorSource | None
) -> _Settings:
    if not isinstance(keyword_index, HybridMemoryRetriever):
        if vector_store is None:
            raise ConfigurationError("hybrid: expected a keyword index and a vector store")
        return _Settings(
            checked_source("keyword_index", keyword_index, KeywordSource),
            checked_source("vector_store", vector_store, VectorSource),
        )
    if vector_store is not None:
        raise ConfigurationError("hybrid: expected a retriever alone, or two stores")
    retriever = keyword_index
    return _Settings(
        retriever.keyword_index, retriever.vector_store, retriever.rrf_k, retriever.candidate_depth
    )
