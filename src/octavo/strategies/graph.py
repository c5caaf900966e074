"""Graph retrieval: from the nodes that a query names along their edges (S24)."""

from collections.abc import Collection
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from octavo.columns.hits import Hits, Part
from octavo.columns.ranking import rank_hits
from octavo.engines.report import SearchReport
from octavo.errors import ConfigurationError, InvalidArgumentError, shown
from octavo.graph.array_graph import GraphArrays
from octavo.graph.array_walk import ArrayWalk
from octavo.graph.bounds import WalkBounds
from octavo.graph.graph_path import GraphPath
from octavo.graph.paths import Goal, Trace
from octavo.graph.store_walk import StoreWalk
from octavo.graph.walked import Walked
from octavo.spi import GraphMetadata, GraphStore, RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking, given_context
from octavo.strategies.inner import candidate_depth as depth_of
from octavo.strategies.inner import checked_depth, checked_sources
from octavo.strategies.linked import Linking, is_at_home
from octavo.strategies.provided import ProvidedDocuments
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.sources import DocumentSource, at_present, checked_source

_BLOCK = 256
_MOST_VISITS = 2**22
"""Of all queries of a block together; each takes some 50 bytes."""


class GraphRAGStrategy(ColumnarStrategy):
    """Find the nodes that a query speaks of, and follow their outgoing edges.

    Parameters
    ----------
    provider_name
        The ``source`` of every result, and the store's name in messages.
    store
        The graph. One that offers arrays, such as :class:`~octavo.graph.csr_graph.CsrGraph`, is
        walked for a whole batch in one kernel; any other is asked node by node.
    allowed_sources
        The fence: only nodes from these sources are returned or walked through; empty allows all.
    max_depth
        The largest number of edges of a path; 0 returns the seeds alone.
    depth_decay
        What a score is multiplied by at each hop, 0 to 1.
    max_visited_nodes
        The largest number of distinct nodes visited for a query, seeds included.
    documents
        Where the documents live that nodes link to: a corpus (``corpus.keyword_index``) or a store
        in memory. A linked id that it does not know counts for nothing. A node without any known
        document is the document that has its id; where there is none, the node yields itself.
    candidate_depth
        How many seeds are asked for, 100 by default; never fewer than ``max_results``, never more
        than ``max_visited_nodes``.

    Raises
    ------
    ConfigurationError
        ``store`` is no graph store, or ``documents`` no store of documents.
    InvalidArgumentError
        The name is blank, or a bound is out of its range.

    Notes
    -----
    ``score(node) = max over all paths of at most max_depth edges of seed_score * decay^hops``, the
    paths lying within the fence and passing no node twice. Nodes are visited best first: by score,
    then by fewer hops, then by row. A document has the score of its best node. Edge weights change
    nothing. Each hit tells ``hops``, ``seed_score`` and ``node_id``.
    """

    name = "graph"
    DEFAULT_MAX_DEPTH: Final = 2
    DEFAULT_DEPTH_DECAY: Final = 0.85
    DEFAULT_MAX_VISITED_NODES: Final = 1024

    def __init__(  # noqa: PLR0917 - the reference's constructor
        self,
        provider_name: str,
        store: GraphStore,
        allowed_sources: Collection[str],
        max_depth: int,
        depth_decay: float,
        max_visited_nodes: int,
        *,
        documents: DocumentSource | None = None,
        candidate_depth: int | None = None,
    ) -> None:
        if not isinstance(provider_name, str) or not provider_name.strip():
            raise InvalidArgumentError(
                f"provider_name: expected a non-blank string, found {shown(provider_name)}"
            )
        if isinstance(store, type) or not isinstance(store, GraphStore):
            found = (
                f"the class {store.__name__}" if isinstance(store, type) else type(store).__name__
            )
            raise ConfigurationError(
                f"store: expected a graph store (seeds, edges, node), found {found}"
            )
        if documents is not None:
            checked_source("documents", documents, DocumentSource)
        self._provider_name = provider_name
        self._store = store
        self._allowed_sources = checked_sources(allowed_sources)
        self._bounds = WalkBounds(max_depth, depth_decay, max_visited_nodes)
        self._documents = documents
        self._depth = checked_depth(candidate_depth)
        self._arrays: ArrayWalk | None = None

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {
            **super().settings(clocks),
            "formula": "graph",
            "provider_name": self._provider_name,
            "allowed_sources": sorted(self._allowed_sources),
            "max_depth": self._bounds.max_depth,
            "decay": self._bounds.depth_decay,
            "max_visited_nodes": self._bounds.max_visited_nodes,
            "candidate_depth": self._depth,
        }

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch; every document's source is the provider's name."""
        ranking = self.stream(queries, context)
        documents = ProvidedDocuments(ranking.documents, self._provider_name)
        return Ranking(ranking.hits, documents, ranking.report)

    def stream(
        self, queries: Queries, context: RAGContext, documents: DocumentSource | None = None
    ) -> Ranking:
        """Rank a batch for a fusion: documents keep their own sources.

        Parameters
        ----------
        queries, context
            As in :meth:`rank`.
        documents
            Where linked documents are looked up if the strategy was given no store of its own.
        """
        chosen = documents if self._documents is None else self._documents
        store = None if chosen is None else at_present(chosen)
        walk, size = self._walk(), len(queries)
        if isinstance(walk, ArrayWalk):
            # So that what walks visit fits into caches, and where that is much, into memory.
            size = min(size, _BLOCK, max(1, _MOST_VISITS // max(1, walk.most)))
        else:
            walk.heed(queries.cancellation)
        starts = range(0, max(1, len(queries)), max(1, size))
        linking = Linking(store, context.metadata_filters, len(starts))
        # Where each node is a result, those beyond the limit need not be found.
        each = not context.metadata_filters and (store is None or is_at_home(walk.home, store))
        wanted = context.max_results if each else None
        depth = depth_of(context, self._depth)
        seeds = min(self._bounds.max_visited_nodes, depth)
        pieces = [queries[start : start + size] for start in starts]
        blocks = [
            _ranked(walk.walk(piece.texts, seeds, wanted, piece.vectors), linking, context)
            for piece in pieces
        ]
        joined = [block.documents for block in blocks if block.documents is not store]
        return Ranking(
            Hits.concatenate([block.hits for block in blocks]),
            joined[0] if joined else blocks[0].documents,
            sum((block.report for block in blocks), SearchReport()),
        )

    def lives_in(self, store: object) -> bool:
        """Whether the nodes are documents of ``store``, so that vectors for one serve the other."""
        home = self._walk().home
        return home is not None and home.store is store

    def paths(
        self,
        query: str,
        context: RAGContext | None = None,
        *,
        query_vector: ArrayLike | None = None,
    ) -> tuple[GraphPath, ...]:
        """Return for each hit of ``retrieve(query, context)`` the path by which it was found.

        Parameters
        ----------
        query, context
            As in :meth:`retrieve`.
        query_vector
            The query's own vector, as in :meth:`octavo.Corpus.search`.

        Examples
        --------
        >>> from octavo import CsrGraph, GraphEdge, GraphNode
        >>> nodes = [GraphNode("auth", "sign in", "wiki"), GraphNode("db", "users", "wiki")]
        >>> graph = CsrGraph(nodes, [GraphEdge("auth", "reads", "db")])
        >>> strategy = GraphRAGStrategy("wiki", graph, (), 2, 0.85, 1024)
        >>> print(strategy.paths("sign in")[1])
        seed 'sign in' [auth] (...) --reads--> 'users' [db]; 1 hop, ... x 0.85 = ...
        """
        given = given_context(context)
        trace = self.trace(Queries.one(query, query_vector), given)
        store = None if self._documents is None else at_present(self._documents)
        ranking = _ranked(trace.walked, Linking(store, given.metadata_filters, 1), given)
        documents = ranking.documents.ids(ranking.hits.rows)
        nodes = ranking.hits.parts["node_id"].values.tolist()
        found = trace.paths([Goal(*pair) for pair in zip(nodes, documents, strict=True)])
        return tuple(path for path in found if path is not None)

    def trace(self, query: Queries, context: RAGContext) -> Trace:
        """Walk for one query as :meth:`stream` does, so that paths can be found."""
        seeds = min(self._bounds.max_visited_nodes, depth_of(context, self._depth))
        return self._walk().trace(query.texts[0], seeds, query.vectors)

    def _walk(self) -> ArrayWalk | StoreWalk:
        # A store may be built when it is first looked at: not before there is a query.
        name, store, fence = self._provider_name, self._store, self._allowed_sources
        if self._arrays is None and isinstance(store, GraphArrays):
            self._arrays = ArrayWalk(name, store, self._bounds, fence)
        return self._arrays or StoreWalk(name, store, self._bounds, fence)


def _ranked(walked: Walked, linking: Linking, context: RAGContext) -> Ranking:
    """Return the best documents of what was visited."""
    linked, documents = linking.documents(walked)
    hits = rank_hits(linked.at_least(context.min_score), context.max_results)
    ids = np.array(walked.nodes.node_ids(hits.parts["node"].values), np.object_)
    parts = {
        "hops": hits.parts["hops"],
        "seed_score": hits.parts["seed_score"],
        "node_id": Part(ids, key=GraphMetadata.NODE_ID),
    }
    return Ranking(Hits(hits.offsets, hits.rows, hits.scores, parts), documents, walked.report)
