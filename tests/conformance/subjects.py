"""Every strategy of octavo over one world, by a name; each in the ways it is used."""

from octavo import HybridRAGStrategy, KeywordRAGStrategy, RetrievedDocument, VectorRAGStrategy
from octavo.graph.csr_graph import CsrGraph
from octavo.memory.hybrid_retriever import HybridMemoryRetriever
from octavo.spi import GraphEdge, GraphNode, QueryExpansion
from octavo.strategies.graph import GraphRAGStrategy
from octavo.strategies.hierarchical import HierarchicalRAGStrategy
from octavo.strategies.hierarchy_index import HierarchyIndex
from octavo.strategies.multi_query import MultiQueryRAGStrategy
from octavo.strategies.reasoning import ReasoningRAGStrategy
from octavo.strategies.temporal import TemporalRAGStrategy
from octavo.strategies.temporal_index import TemporalIndex
from octavo.testing import FakeExpander, FakeGraphStore, FakeNavigator
from tests.conformance.world import NOW


def keyword(world):
    return KeywordRAGStrategy(world.snapshot)


def vector(world):
    return VectorRAGStrategy(world.snapshot)


def hybrid(world):
    return HybridRAGStrategy(world.snapshot, world.snapshot)


def memory_keyword(world):
    return KeywordRAGStrategy(world.keyword_store)


def memory_vector(world):
    return VectorRAGStrategy(world.vector_store)


def memory_hybrid(world):
    return HybridRAGStrategy(world.keyword_store, world.vector_store)


def memory_retriever(world):
    return HybridRAGStrategy(HybridMemoryRetriever(world.keyword_store, world.vector_store))


class Own:
    """A user's own strategy: the two members and nothing more."""

    name = "own"

    def __init__(self, documents):
        self.documents = documents

    def retrieve(self, query, context):
        words = query.split()
        found = []
        for document in self.documents:
            score = sum(document.content.split().count(word) for word in words)
            wanted = context.metadata_filters.items() <= document.metadata.items()
            if score > 0 and score >= context.min_score and wanted:
                found.append(
                    RetrievedDocument(document.content, document.source, score, document.metadata)
                )
        return tuple(sorted(found, key=lambda each: -each.score)[: context.max_results])


def temporal(world, child=keyword):
    index = TemporalIndex.of_corpus(world.snapshot)
    return TemporalRAGStrategy(child(world), index, clock=lambda: NOW)


def temporal_vector(world):
    return temporal(world, vector)


def temporal_own(world):
    return temporal(world, lambda world: Own(world.documents))


def hierarchical(world, child=keyword):
    return HierarchicalRAGStrategy(child(world), HierarchyIndex.of_corpus(world.snapshot))


def hierarchical_own(world):
    return hierarchical(world, lambda world: Own(world.documents))


def hierarchical_flat(world):
    return HierarchicalRAGStrategy(keyword(world), HierarchyIndex(world.documents))


def multi_query(world, base=keyword):
    expander = FakeExpander({"common": ["common fox", "whale", "common"]})
    return MultiQueryRAGStrategy(base(world), expander, QueryExpansion.MULTI_QUERY, "fake", 3)


def multi_query_vector(world):
    return multi_query(world, vector)


def multi_query_own(world):
    return multi_query(world, lambda world: Own(world.documents))


def reasoning(world):
    index = HierarchyIndex.of_corpus(world.snapshot)
    return ReasoningRAGStrategy(index, FakeNavigator(), "fake")


def reasoning_flat(world):
    """Every document is a root and a leaf, so every document is landed on."""
    index = HierarchyIndex(world.documents)
    return ReasoningRAGStrategy(index, FakeNavigator(), "fake", max_nodes_visited=1_000)


def nodes_and_edges(world, *, linked):
    """Return a node for each document, and edges from each to the one half the way round."""
    rows = world.rows
    nodes = [
        GraphNode(
            row["id"],
            row["text"],
            row["source"],
            {} if linked else document.metadata,
            (row["id"],) if linked else (),
        )
        for row, document in zip(rows, world.documents, strict=True)
    ]
    size = len(rows)
    edges = [
        GraphEdge(rows[number]["id"], "across", rows[(number + size // 2) % size]["id"])
        for number in range(size)
    ]
    return nodes, edges


def graph(world, make=FakeGraphStore, documents=None):
    store = make(*nodes_and_edges(world, linked=documents is not None))
    # As many seeds as there are documents: S24 lets the candidate depth bound them.
    return GraphRAGStrategy(
        "graph", store, (), 2, 0.85, 1_024, documents=documents, candidate_depth=len(world.rows)
    )


def graph_csr(world):
    return graph(world, CsrGraph)


def graph_documents(world):
    return graph(world, CsrGraph, world.snapshot)


def hybrid_graph(world):
    return HybridRAGStrategy(world.snapshot, world.snapshot, graph_documents(world))


def everything(world):
    """Temporal over hierarchical over hybrid with a graph."""
    index = TemporalIndex.of_corpus(world.snapshot)
    return TemporalRAGStrategy(hierarchical(world, hybrid_graph), index, clock=lambda: NOW)
