"""Graph retrieval against networkx: the same nodes, scores and hops on the same graphs (S24)."""

import random

import pytest

from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphEdge, GraphNode, RAGContext
from octavo.strategies.graph import GraphRAGStrategy

networkx = pytest.importorskip("networkx", reason="pip install 'octavo[test]'")

EVERYTHING = 1_000_000
QUERIES = 6


class AskedNodeByNode:
    """The same store without its arrays, so that it is walked by asking."""

    def __init__(self, graph):
        self.seeds, self.edges, self.node = graph.seeds, graph.edges, graph.node


def uniform(chosen):
    return networkx.gnm_random_graph(400, 1600, directed=True, seed=chosen)


def scale_free(chosen):
    """With hubs, self-loops and parallel edges."""
    return networkx.scale_free_graph(400, seed=chosen)


def grid(_):
    """With many shortest paths between two nodes, in both directions."""
    return networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(20, 20).to_directed())


def tree(_):
    return networkx.balanced_tree(3, 5, create_using=networkx.DiGraph)


def path(_):
    return networkx.path_graph(300, create_using=networkx.DiGraph)


def cliques(chosen):
    """Many small graphs with nothing between them, some nodes alone."""
    found = networkx.disjoint_union_all([networkx.complete_graph(5)] * 40).to_directed()
    found.add_nodes_from(range(200, 200 + chosen))
    return found


def repeated(chosen):
    """Every node with a self-loop, every edge three times."""
    simple = networkx.gnm_random_graph(200, 500, directed=True, seed=chosen)
    found = networkx.MultiDiGraph()
    found.add_nodes_from(simple)
    found.add_edges_from(list(simple.edges) * 3 + [(node, node) for node in simple])
    return found


def bare(_):
    return networkx.empty_graph(9, create_using=networkx.DiGraph)


SHAPES = (uniform, scale_free, grid, tree, path, cliques, repeated, bare)


def name_of(node):
    return f"n{node:04}"  # so that names have the order of numbers


def expected(graph, seeds, depth, decay, fence):
    """Score and hops of each node: the best over all seeds of seed * decay^distance.

    From a seed of at least zero no path is better than a shortest one.
    """
    open_ = graph.subgraph(node for node in graph if fence(node))
    best = {}
    order = sorted((-score, node) for node, score in seeds.items() if fence(node))
    for place, (negative, seed) in enumerate(order):
        distances = networkx.single_source_shortest_path_length(open_, seed, cutoff=depth)
        for node, hops in distances.items():
            score = -negative
            for _ in range(hops):
                score *= decay
            label = (-score, hops, place)
            best[node] = min(label, best.get(node, label))
    visited = sorted(best, key=lambda node: (*best[node], node))  # the order of the walk
    return {node: (-best[node][0], best[node][1]) for node in visited}


def fence_of(chosen):
    closed = {"open": set(), "fenced": set(random.Random(chosen).sample(range(200), 60))}
    return {name: lambda node, shut=shut: node not in shut for name, shut in closed.items()}


def walked(graph, seeds, bounds, fence, *, by_arrays):
    sources = {True: "inside", False: "outside"}
    store = CsrGraph(
        [GraphNode(name_of(node), "", sources[fence(node)]) for node in graph],
        [
            GraphEdge(name_of(edge[0]), "to", name_of(edge[1]))
            for edge in graph.edges  # a multigraph's edges have a key, too
        ],
        lambda query, limit: [
            (name_of(node), score)
            for node, score in sorted(seeds[int(query)].items(), key=lambda seed: (-seed[1], seed))
        ][:limit],
    )
    store = store if by_arrays else AskedNodeByNode(store)
    strategy = GraphRAGStrategy("networkx", store, ("inside",), *bounds)
    table = strategy.retrieve_batch([str(query) for query in seeds], RAGContext(EVERYTHING))
    found = {query: {} for query in seeds}
    columns = [table[name].to_pylist() for name in ("query_id", "id", "score", "hops")]
    for query, name, score, hops in zip(*columns, strict=True):
        found[int(query)][int(name[1:])] = (score, hops)
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fence", ["open", "fenced"])
@pytest.mark.parametrize("by_arrays", [True, False])
def test_nodes_scores_and_hops_are_those_of_networkx(shape, fence, by_arrays):  # S24
    for chosen, (depth, decay) in enumerate([(0, 0.85), (1, 0.5), (2, 0.85), (5, 0.85), (40, 1.0)]):
        graph, draw = shape(chosen), random.Random(chosen)
        admits = fence_of(chosen)[fence]
        scores = [0.0, 0.1, 0.5, 1.0, 7.25, draw.random(), draw.random()]
        seeds = {
            query: {
                node: draw.choice(scores) for node in draw.sample(sorted(graph), draw.randint(1, 9))
            }
            for query in range(QUERIES)
        }
        everything = {
            query: expected(graph, each, depth, decay, admits) for query, each in seeds.items()
        }
        for most in (EVERYTHING, 30):
            found = walked(graph, seeds, (depth, decay, most), admits, by_arrays=by_arrays)
            for query, each in everything.items():
                assert found[query] == dict(list(each.items())[:most]), (chosen, most, query)


def test_the_graphs_are_what_they_are_said_to_be():
    assert any(source == target for source, target, _ in scale_free(1).edges)
    assert len(set(scale_free(1).edges())) < scale_free(1).number_of_edges()
    assert max(dict(scale_free(1).in_degree()).values()) > 40
    assert networkx.number_weakly_connected_components(cliques(3)) == 43
    assert all(networkx.is_weakly_connected(shape(1)) for shape in (grid, tree, path))
