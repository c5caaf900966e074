"""The graph of an index made in plain Python, and the stores that it must equal."""

import numpy as np
import pyarrow as pa

from octavo.columns.graph_columns import GraphColumns
from octavo.graph.csr_graph import CsrGraph
from octavo.spi import GraphEdge, GraphNode
from octavo.storage.snapshot.stored_graph import StoredGraph


def graph_columns(edges):
    """``(head, relation, tail)`` or ``(head, relation, tail, weight)`` each, as columns."""
    ids = sorted({end for edge in edges for end in (edge[0], edge[2])}, key=str.encode)
    number = {node_id: node for node, node_id in enumerate(ids)}
    names = sorted({edge[1] for edge in edges}, key=str.encode)
    ordered = sorted(edges, key=lambda edge: number[edge[0]])  # stable: the order given
    degrees = np.bincount([number[edge[0]] for edge in edges], minlength=len(ids))
    weights = None
    if any(len(edge) > 3 for edge in edges):
        weights = np.array([edge[3] for edge in ordered], np.float64)
    return GraphColumns(
        pa.array(ids, pa.large_string()),
        np.concatenate(([0], np.cumsum(degrees, dtype=np.int64))),
        np.array([number[edge[2]] for edge in ordered], np.int32),
        np.array([names.index(edge[1]) for edge in ordered], np.int32),
        pa.array(names, pa.large_string()),
        weights,
    )


def with_graph(corpus, edges):
    """Give the present state of a corpus a graph."""
    snapshot = corpus.keyword_index
    snapshot.__dict__["graph"] = stored_graph(snapshot, graph_columns(edges))
    snapshot._derived.pop("graph", None)
    return corpus


def stored_graph(snapshot, columns):
    """The graph as a state of the documents sees it."""
    number = {node_id: node for node, node_id in enumerate(columns.node_ids.to_pylist())}
    ids = snapshot.ids(np.arange(snapshot.rows))
    nodes = np.array([number.get(node_id, -1) for node_id in ids], np.int32)
    return StoredGraph(columns, nodes)


def live_documents(corpus):
    snapshot = corpus.keyword_index
    live = np.ones(snapshot.rows, np.bool_) if snapshot.live is None else snapshot.live
    return snapshot.documents(np.flatnonzero(live))


def same_graph(corpus, edges, depth=1000):
    """The same graph as nodes and edges in memory, whose seeds are the corpus's keyword search."""
    nodes = [GraphNode(*document[:3], document.metadata) for document in live_documents(corpus)]

    def seeds(query, limit):
        snapshot = corpus.keyword_index
        hits, _ = snapshot.rank_keyword([query], min(limit, depth), snapshot.select({}))
        return list(zip(snapshot.ids(hits.rows), hits.scores.tolist(), strict=True))

    return CsrGraph(nodes, [GraphEdge(*edge) for edge in edges], seeds)


def best_paths(edges, starts, allowed, depth, decay):
    """The best score of each id over all paths of at most ``depth`` edges, path by path (S24)."""
    best = {}

    def follow(path, score):
        best[path[-1]] = max(score, best.get(path[-1], score))
        if len(path) <= depth:
            for head, _, tail, *_ in edges:
                if head == path[-1] and tail in allowed and tail not in path:
                    follow([*path, tail], score * decay)

    for start, score in starts.items():
        follow([start], score)
    return best
