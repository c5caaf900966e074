"""A graph in Neo4j, read over its official driver (S84)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Final, Self

from octavo.columns.encodable import encodable
from octavo.errors import ConfigurationError, GraphCapabilityError, real_number
from octavo.graph.bounds import MOST
from octavo.graph.neo4j.connection import Neo4jConnection, Rows
from octavo.graph.neo4j.node import node_of
from octavo.graph.neo4j.schema import Neo4jSchema, Neo4jStatements
from octavo.graph.neo4j.settings import Neo4jSettings
from octavo.graph.neo4j.words import folded_names, full_text_words
from octavo.spi import GraphEdge, GraphNode

_IDS = 10_000  # of one statement
_CANDIDATES = 50_000  # names that one statement looks for, or seeds that it may return

Seeds = list[tuple[GraphNode, float]]
Query = dict[str, Any]


class Neo4jGraphStore:
    """A graph store over a Neo4j database, or any that speaks Bolt and Cypher.

    Connections are pooled, opened when they are first needed, and reopened in a forked child.
    Sessions are read-only, and every value is a parameter. Calls may come from any thread.

    Parameters
    ----------
    settings
        Where the server is, and how long it may take.
    schema
        How the graph lies in the database.

    Raises
    ------
    ProviderUnavailableError
        The driver (the extra ``neo4j``) is not installed.

    Notes
    -----
    Seeds are found by the full-text index ``schema.full_text_index`` where the database has it:
    the scores are the index's own. Elsewhere they are found by folded name (S82): a node whose
    ``schema.key`` is a run of up to eight words in the folded query, or all of it, has the share of
    the query's words as its score, so a query that is nothing but the name gives 1. Which of the two is found out once.
    Among equal scores the order is that of the ids. Every method raises what
    :class:`~octavo.graph.neo4j.connection.Neo4jConnection` says.
    """

    SOURCE_NAME: Final = "neo4j"

    def __init__(self, settings: Neo4jSettings, schema: Neo4jSchema | None = None) -> None:
        if not isinstance(settings, Neo4jSettings):
            raise ConfigurationError(
                f"settings: expected Neo4jSettings, found {type(settings).__name__}"
            )
        if schema is not None and not isinstance(schema, Neo4jSchema):
            raise ConfigurationError(f"schema: expected Neo4jSchema, found {type(schema).__name__}")
        self.settings = settings
        self.schema = Neo4jSchema() if schema is None else schema
        self.statements = Neo4jStatements(self.schema)
        self.connection = Neo4jConnection(settings)
        self._full_text: bool | None = None  # once it is known
        self._keys = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the store cannot be used any more."""
        self.connection.close()

    def seeds(self, query: str, limit: int) -> Seeds:
        """Return at most ``limit`` nodes for a query, each with a score, best first."""
        return self.seeds_batch([query], limit)[0]

    def edges(self, node_id: str) -> list[GraphEdge]:
        """Return the edges that leave a node, by relation, target and weight."""
        return self.edges_batch([node_id])[0]

    def node(self, node_id: str) -> GraphNode:
        """Return a node by its id.

        Raises
        ------
        KeyError
            There is no such node.
        """
        found = self.nodes_batch([node_id])[0]
        if found is None:
            raise KeyError(node_id)
        return found

    def seeds_batch(self, queries: Sequence[str], limit: int) -> list[Seeds]:
        """Return for each query what :meth:`seeds` returns, in one statement for some hundreds.

        Raises
        ------
        GraphCapabilityError
            There are nodes, but neither the full-text index nor a node with a folded name.
        """
        found: list[Seeds] = [[] for _ in queries]
        if limit < 1:
            return found
        full_text = self._has_full_text()
        asked = _full_text_queries(queries) if full_text else _key_queries(queries)
        if not asked or not (full_text or self._has_keys()):
            return found
        statement = self.statements.full_text_seeds if full_text else self.statements.key_seeds
        known: set[tuple[int, str]] = set()
        for portion in _of_bounded_work(asked, limit):
            parameters = {
                "queries": portion,
                "limit": min(limit, MOST),
                "index": self.schema.full_text_index,
            }
            for number, score, properties in self._read(statement, parameters, "finding seeds"):
                node = node_of(properties, self.schema)
                if node is not None and (number, node.id) not in known:
                    known.add((number, node.id))
                    found[number].append((node, float(score)))
        return found

    def edges_batch(self, node_ids: Sequence[str]) -> list[list[GraphEdge]]:
        """Return for each node what :meth:`edges` returns, in one statement."""
        leaving: dict[str, list[GraphEdge]] = {node_id: [] for node_id in node_ids}
        for ids in _portions(leaving):
            parameters = {"ids": ids, "types": list(self.schema.relationships)}
            for source, *columns in self._read(
                self.statements.edges, parameters, "following edges"
            ):
                leaving[source] += [
                    GraphEdge(source, str(relation), target, _weight(weight))
                    for relation, target, weight in zip(*columns, strict=True)
                    if isinstance(target, str)
                ]
        for edges in leaving.values():
            edges.sort(key=lambda edge: (edge.relation, edge.target, edge.weight))
        return [list(leaving[node_id]) for node_id in node_ids]

    def nodes_batch(self, node_ids: Sequence[str]) -> list[GraphNode | None]:
        """Return for each id the node, ``None`` where there is none, in one statement."""
        found: dict[str, GraphNode] = {}
        for ids in _portions(dict.fromkeys(node_ids)):
            for (properties,) in self._read(self.statements.nodes, {"ids": ids}, "reading nodes"):
                node = node_of(properties, self.schema)
                if node is not None:
                    known = found.get(node.id)
                    found[node.id] = node if known is None else min(known, node, key=_order)
        return [found.get(node_id) for node_id in node_ids]

    def _has_full_text(self) -> bool:
        """Return whether the configured index is there, ready, and over the graph's nodes."""
        if self._full_text is None:
            index, label = self.schema.full_text_index, self.schema.label
            found = (
                []
                if index is None
                else self._read(
                    self.statements.find_index, {"index": index}, "looking for an index"
                )
            )
            self._full_text = any(label is None or label in labels for (labels,) in found)
        return self._full_text

    def _has_keys(self) -> bool:
        """Return whether any node has a folded name; ``False`` where there is no node at all."""
        if not self._keys:
            self._keys = bool(self._read(self.statements.any_key, {}, "looking for folded names"))
            if not self._keys and self._read(self.statements.any_node, {}, "looking for nodes"):
                raise GraphCapabilityError(
                    f"neo4j {self.settings.uri}: seeds cannot be found: there is neither a full-text "
                    f"index {self.schema.full_text_index!r} nor a node with the property "
                    f"{self.schema.key!r}; make the index, or write folded names by fold_names"
                )
        return self._keys

    def _read(self, statement: str, parameters: Mapping[str, Any], what: str) -> Rows:
        return self.connection.read(statement, parameters, what)


def _full_text_queries(queries: Sequence[str]) -> list[Query]:
    words = map(full_text_words, queries)
    return [{"number": number, "text": text} for number, text in enumerate(words) if text]


def _key_queries(queries: Sequence[str]) -> list[Query]:
    return [
        {"number": number, "keys": [{"key": key, "score": score} for key, score in names.items()]}
        for number, names in enumerate(map(folded_names, queries))
        if names
    ]


def _of_bounded_work(asked: list[Query], limit: int) -> Iterator[list[Query]]:
    """Yield queries in lists that ask for a bounded number of names and of seeds."""
    portion: list[Query] = []
    work = 0
    for query in asked:
        more = max(limit, len(query.get("keys", ())))
        if portion and work + more > _CANDIDATES:
            yield portion
            portion, work = [], 0
        portion.append(query)
        work += more
    if portion:
        yield portion


def _portions(node_ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield ids in lists of a bounded length; what is no Unicode text names no node."""
    rest = filter(encodable, node_ids)
    while portion := list(islice(rest, _IDS)):
        yield portion


def _weight(value: object) -> float:
    number = real_number(value)
    return 1.0 if number is None else number


def _order(node: GraphNode) -> tuple[Any, ...]:
    return node.content, node.source, sorted(node.metadata.items()), node.documents
