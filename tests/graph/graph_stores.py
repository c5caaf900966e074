"""Graph stores that the tests share."""

from octavo.spi import GraphEdge, GraphNode


class DictStore:
    """A graph store over dictionaries that notes what it was asked."""

    def __init__(self, nodes=(), edges=(), seeds=None):
        self.nodes = {node.id: node for node in nodes}
        self.following = list(edges)
        self.starts = {} if seeds is None else seeds
        self.asked = []

    def seeds(self, query, limit):
        self.asked.append(("seeds", query, limit))
        return [(self.nodes[name], score) for name, score in self.starts.get(query, [])][:limit]

    def edges(self, node_id):
        self.asked.append(("edges", node_id))
        return [edge for edge in self.following if edge.source == node_id]

    def node(self, node_id):
        self.asked.append(("node", node_id))
        return self.nodes[node_id]


class BatchStore(DictStore):
    """The same with batch forms; only these are noted in ``batches``."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.batches = []

    def seeds_batch(self, queries, limit):
        self.batches.append(("seeds", list(queries), limit))
        return [self.seeds(query, limit) for query in queries]

    def edges_batch(self, node_ids):
        self.batches.append(("edges", list(node_ids)))
        return [self.edges(node_id) for node_id in node_ids]

    def nodes_batch(self, node_ids):
        self.batches.append(("nodes", list(node_ids)))
        return [self.nodes.get(node_id) for node_id in node_ids]


class OnlyProtocol:
    """A store that offers nothing but the protocol of another."""

    def __init__(self, store):
        self._store = store

    def seeds(self, query, limit):
        return self._store.seeds(query, limit)

    def edges(self, node_id):
        return self._store.edges(node_id)

    def node(self, node_id):
        return self._store.node(node_id)


def nodes(names, source="wiki", **metadata):
    return [GraphNode(name, f"about {name}", source, metadata) for name in names.split()]


def edges(pairs):
    """``"a>b b>c"`` as edges."""
    return [GraphEdge(*pair.split(">")[:1], "to", pair.split(">")[1]) for pair in pairs.split()]
