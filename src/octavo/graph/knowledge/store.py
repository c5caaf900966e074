"""The triples of all live knowledge tools as one graph, read whenever it is asked (S83)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from octavo.errors import checked_count
from octavo.graph.knowledge.tools import KnowledgeTools, live_knowledge_tools
from octavo.graph.knowledge.triples import Triple, words_of
from octavo.spi import GraphEdge, GraphNode

_MOST_SHOWN = 50  # triples in the content of a node


class KnowledgeToolsGraphStore:
    """A graph store over what agents remember; it has no data of its own.

    Subjects and objects are nodes, spelled as they were added; a triple is an edge from subject to
    object. A node's content is the triples that it is part of, and its metadata its ``name``.
    Whatever is added, removed or garbage-collected between two calls shows in the second.

    Parameters
    ----------
    instances
        Gives the tool kits to read; all that are alive unless given.

    Notes
    -----
    A query is lower-cased and split on everything but a-z and 0-9; one without an ASCII letter or
    digit matches nothing. A node matches if a word of the query is in its name or in one of its
    triples. Its score is the mean of two shares of the query's distinct words: those in its name,
    and those in its triples.

    Examples
    --------
    >>> tools = KnowledgeTools()
    >>> store = KnowledgeToolsGraphStore(lambda: [tools])
    >>> tools.kg_add_triple("Auth Service", "writes to", "Redis")
    True
    >>> [(node.id, score) for node, score in store.seeds("who writes to redis?", 5)]
    [('Redis', 0.5), ('Auth Service', 0.375)]
    """

    SOURCE_NAME: Final = "knowledge-tools"

    def __init__(
        self, instances: Callable[[], Iterable[KnowledgeTools]] = live_knowledge_tools
    ) -> None:
        self._instances = instances

    def node(self, node_id: str) -> GraphNode:
        """Return a node by its id.

        Raises
        ------
        KeyError
            No triple has such a subject or object now.
        """
        triples = self._triples_of(node_id)
        if not triples:
            raise KeyError(node_id)
        return _node(node_id, triples)

    def edges(self, node_id: str) -> Sequence[GraphEdge]:
        """Return the edges that leave a node now, in the order in which triples were added."""
        return tuple(
            GraphEdge(*triple) for triple in self._triples_of(node_id) if triple.subject == node_id
        )

    def seeds(self, query: str, limit: int) -> Sequence[tuple[GraphNode, float]]:
        """Return at most ``limit`` nodes that match now, each with a score in (0, 1], best first."""
        checked_count("limit", limit)
        words = set(words_of(query))
        instances = list(self._instances())
        told: dict[str, set[str]] = {}
        for word in words:
            for tools in instances:
                for triple in tools.triples_with(word):
                    for entity in (triple.subject, triple.object):
                        told.setdefault(entity, set()).add(word)
        scores = {
            entity: (len(words.intersection(words_of(entity))) + len(found)) / (2 * len(words))
            for entity, found in told.items()
        }
        best = sorted(scores, key=lambda entity: (-scores[entity], entity))
        seeds = []
        for entity in best:
            triples = self._triples_of(entity)
            if triples:  # they may be gone since
                seeds.append((_node(entity, triples), scores[entity]))
            if len(seeds) == limit:
                break
        return seeds

    def _triples_of(self, entity: str) -> list[Triple]:
        found: dict[Triple, None] = {}
        for tools in self._instances():
            found.update(dict.fromkeys(tools.triples_of(entity)))
        return list(found)


def _node(name: str, triples: list[Triple]) -> GraphNode:
    lines = [" ".join(triple) for triple in triples[:_MOST_SHOWN]]
    source = KnowledgeToolsGraphStore.SOURCE_NAME
    return GraphNode(name, "\n".join(lines), source, {"name": name})
