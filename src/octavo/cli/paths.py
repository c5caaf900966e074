"""By which paths a graph found the hits of one query."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from octavo.cli.found import FoundDocument
from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hybrid import GraphStream, HybridRAGStrategy


def walks_a_graph(strategy: ColumnarStrategy) -> TypeGuard[GraphRAGStrategy | HybridRAGStrategy]:
    """Whether a strategy can say by which path in a graph it found a hit."""
    if isinstance(strategy, HybridRAGStrategy):
        return strategy.graph_stream is GraphStream.FUSED
    return isinstance(strategy, GraphRAGStrategy)


def with_paths(
    hits: Sequence[FoundDocument],
    strategy: ColumnarStrategy,
    query: str,
    context: RAGContext,
) -> list[FoundDocument]:
    """Return the hits, each with the path by which a graph found it, if one did."""
    if not walks_a_graph(strategy):
        return list(hits)
    paths = {path.document: path for path in strategy.paths(query, context) if path is not None}
    return [replace(hit, path=paths.get(hit.id)) for hit in hits]
