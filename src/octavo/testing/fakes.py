"""Deterministic stand-ins for what an application supplies; they record calls and fail on demand."""

import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence

from octavo.errors import checked_count
from octavo.spi import GraphEdge, GraphNode, NodeView, QueryExpansion


class Recorded:
    """Calls of a fake, and when it fails.

    Parameters
    ----------
    failure
        Raised instead of an answer; ``None`` never fails.
    fails_from
        The number of the first call that fails, from 1.
    """

    def __init__(self, failure: Exception | None = None, fails_from: int = 1) -> None:
        self.calls: list[tuple[object, ...]] = []
        self._failure = failure
        self._fails_from = checked_count("fails_from", fails_from)

    def _record(self, *call: object) -> None:
        self.calls.append(call)
        if self._failure is not None and len(self.calls) >= self._fails_from:
            raise self._failure


class FakeEmbedding(Recorded):
    """Embed a text as the sum of a fixed direction for each of its words, at unit length.

    Texts that share words are alike, the same on every machine. A text without words is the zero
    vector.

    Parameters
    ----------
    dimensions
        The length of a vector, at least 1.
    failure, fails_from
        As in :class:`Recorded`.

    Examples
    --------
    >>> embedding = FakeEmbedding(dimensions=3)
    >>> embedding("red fox") == embedding("Fox, red")
    True
    >>> embedding.calls
    [('red fox',), ('Fox, red',)]
    """

    def __init__(
        self, dimensions: int = 16, *, failure: Exception | None = None, fails_from: int = 1
    ) -> None:
        super().__init__(failure, fails_from)
        self.dimensions = checked_count("dimensions", dimensions)

    def __call__(self, text: str) -> list[float]:
        """Return the vector of a text."""
        self._record(text)
        total = [0.0] * self.dimensions
        for word in sorted(_words(text)):
            for slot, value in enumerate(self._direction(word)):
                total[slot] += value
        length = math.sqrt(math.fsum(value * value for value in total))
        return [value / length for value in total] if length else total

    def _direction(self, word: str) -> list[float]:
        encoded = word.encode("utf-8", "surrogatepass")
        return [
            hashlib.blake2b(encoded, digest_size=1, salt=slot.to_bytes(8, "little")).digest()[0]
            / 127.5
            - 1.0
            for slot in range(self.dimensions)
        ]


class _ModelProvider(Recorded):
    """A fake that serves some models."""

    def __init__(self, models: Collection[str], failure: Exception | None, fails_from: int) -> None:
        super().__init__(failure, fails_from)
        self._models = frozenset(models)

    def supports(self, model: str) -> bool:
        """Whether the model is one of those given."""
        return model in self._models


class FakeExpander(_ModelProvider):
    """Give the variants of a table, or else the query with a number appended.

    Parameters
    ----------
    variants
        Variants by query.
    models
        The models that it supports.
    failure, fails_from
        As in :class:`Recorded`.

    Examples
    --------
    >>> FakeExpander().expand("fox", QueryExpansion.SYNONYM, "fake", 2)
    ('fox 1', 'fox 2')
    """

    def __init__(
        self,
        variants: Mapping[str, Sequence[str]] | None = None,
        *,
        models: Collection[str] = ("fake",),
        failure: Exception | None = None,
        fails_from: int = 1,
    ) -> None:
        super().__init__(models, failure, fails_from)
        self._variants = dict(variants or {})

    def expand(
        self, query: str, mode: QueryExpansion, model: str, max_expansions: int
    ) -> tuple[str, ...]:
        """Return at most ``max_expansions`` variants."""
        self._record(query, mode, model, max_expansions)
        if query in self._variants:
            return tuple(self._variants[query])[:max_expansions]
        stem = query.strip()
        return tuple(f"{stem} {number}".strip() for number in range(1, max_expansions + 1))


class FakeNavigator(_ModelProvider):
    """Choose as a table says, or else the first child whose title or id shares a word with the query.

    Parameters
    ----------
    choices
        What to return at a node, by the node's id: an id, offered or not, or ``None``.
    models
        The models that it supports.
    failure, fails_from
        As in :class:`Recorded`.

    Examples
    --------
    >>> children = [NodeView("a", "Foxes"), NodeView("b", "Blue whales")]
    >>> FakeNavigator().choose("whales", NodeView("root"), children, "fake")
    'b'
    """

    def __init__(
        self,
        choices: Mapping[str, str | None] | None = None,
        *,
        models: Collection[str] = ("fake",),
        failure: Exception | None = None,
        fails_from: int = 1,
    ) -> None:
        super().__init__(models, failure, fails_from)
        self._choices = dict(choices or {})

    def choose(
        self, query: str, node: NodeView, children: Sequence[NodeView], model: str
    ) -> str | None:
        """Return the id of a child, or ``None`` where no child speaks of the query."""
        self._record(query, node, tuple(children), model)
        if node.id in self._choices:
            return self._choices[node.id]
        asked = _words(query)
        for child in children:
            if asked & _words(f"{child.id} {child.title or ''} {child.summary or ''}"):
                return child.id
        return None


class FakeGraphStore(Recorded):
    """A graph in dictionaries; seeds are the nodes that share words with the query.

    Parameters
    ----------
    nodes
        Nodes with distinct ids.
    edges
        Edges between them, in the order in which they are followed.
    seeds
        Seeds by query, in place of the words.
    failure, fails_from
        As in :class:`Recorded`; every method counts.

    Examples
    --------
    >>> fox = GraphNode("fox", "The red fox", "animals")
    >>> FakeGraphStore([fox]).seeds("red fox", 10)[0][1]
    1.0
    """

    def __init__(
        self,
        nodes: Sequence[GraphNode],
        edges: Sequence[GraphEdge] = (),
        *,
        seeds: Mapping[str, Sequence[tuple[str, float]]] | None = None,
        failure: Exception | None = None,
        fails_from: int = 1,
    ) -> None:
        super().__init__(failure, fails_from)
        self._nodes = {node.id: node for node in nodes}
        self._edges: dict[str, list[GraphEdge]] = {}
        for edge in edges:
            self._edges.setdefault(edge.source, []).append(edge)
        self._seeds = dict(seeds or {})

    def seeds(self, query: str, limit: int) -> tuple[tuple[GraphNode, float], ...]:
        """Return nodes with the share of the query's words that each has, best first."""
        self._record("seeds", query, limit)
        if query in self._seeds:
            return tuple((self._nodes[each], score) for each, score in self._seeds[query])[:limit]
        asked = _words(query)
        scored = [
            (node, len(asked & _words(f"{node.id} {node.content}")) / len(asked))
            for node in self._nodes.values()
            if asked
        ]
        found = [pair for pair in scored if pair[1] > 0]
        return tuple(sorted(found, key=lambda pair: -pair[1])[:limit])

    def edges(self, node_id: str) -> tuple[GraphEdge, ...]:
        """Return the edges that leave a node."""
        self._record("edges", node_id)
        return tuple(self._edges.get(node_id, ()))

    def node(self, node_id: str) -> GraphNode:
        """Return a node.

        Raises
        ------
        KeyError
            There is no such node.
        """
        self._record("node", node_id)
        return self._nodes[node_id]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
