"""How large the graph of an index is, for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.corpus.info import GraphInfo


def graph_facts(graph: "GraphInfo | None") -> list[tuple[str, str]]:
    """Say how large the graph is, and how much of it leads nowhere, where there is one."""
    if graph is None:
        return []
    edges = f"{_count(graph.edges, 'edge')} of {_count(graph.relations, 'relation')}"
    rows = [("graph", f"{_count(graph.nodes, 'node')}, {edges}")]
    if graph.dangling_nodes:
        nodes = _count(graph.dangling_nodes, "node")
        edges = _count(graph.dangling_edges, "edge")
        # Nearly always the edge list of other documents, or names in place of ids.
        none = "; no edge joins two documents" if graph.dangling_edges == graph.edges else ""
        rows.append(("dangling", f"{nodes} without a document, on {edges}{none}"))
    return rows


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"
