"""How a graph lies in Neo4j, and the Cypher that reads and writes it (S84).

This is the one place where names enter the text of a query: those of the schema, which a developer
configures, checked and escaped. Everything that comes from data or from a query is a parameter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from octavo.columns.encodable import encodable
from octavo.errors import ConfigurationError, shown

_LONGEST = 255


@dataclass(frozen=True, slots=True)
class Neo4jSchema:
    """Which nodes and relationships of a database are the graph, and what their properties mean.

    The defaults are how :func:`~octavo.graph.neo4j.importing.import_graph` writes.

    Parameters
    ----------
    label
        The label of the graph's nodes; ``None`` for all nodes, without the help of an index.
    id
        The property with a node's id: a string, unique. A node without it is not in the graph.
    name
        The property that names a node for :func:`~octavo.graph.neo4j.importing.fold_names`.
    content
        The property with the text that is returned; a node without it has its id there.
    source
        The property with a node's source; a node without it has ``default_source``.
    documents
        The property with the ids of linked documents: a list of strings.
    key
        The property with the folded name (S82), by which seeds are found where there is no
        full-text index.
    metadata
        The properties that are metadata. ``None``: all others that are text, numbers, booleans or
        times; naming some spares the transport of the rest, such as vectors.
    relationships
        The types of relationships that are followed; empty for all.
    written_relationship
        The type of the relationships that are written.
    relation
        The property of a relationship that names the relation; the type does where it is missing.
    weight
        The property of a relationship with its weight; 1 where it is missing.
    full_text_index
        The name of the full-text index that finds seeds, where there is one; ``None`` never looks.
    default_source
        The source of nodes that have none.

    Raises
    ------
    ConfigurationError
        A name is blank, too long, or has a character that no name should have.
    """

    label: str | None = "OctavoNode"
    id: str = "id"
    name: str = "name"
    content: str = "content"
    source: str = "source"
    documents: str = "documents"
    key: str = "key"
    metadata: Sequence[str] | None = None
    relationships: Sequence[str] = ()
    written_relationship: str = "OCTAVO_EDGE"
    relation: str = "relation"
    weight: str = "weight"
    full_text_index: str | None = "octavo_nodes"
    default_source: str = "neo4j"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in {"metadata", "relationships"}:
                if value is not None:
                    object.__setattr__(self, field.name, _checked_names(field.name, value))
            elif value is not None or field.name not in {"label", "full_text_index"}:
                _check_name(field.name, value)
        used = self.reserved
        if len(set(used)) < len(used):
            raise ConfigurationError(
                f"neo4j: expected distinct properties for id, content, source, documents and key, "
                f"found {list(used)}"
            )

    @property
    def reserved(self) -> tuple[str, ...]:
        """The properties that are no metadata."""
        return (self.id, self.content, self.source, self.documents, self.key)


class Neo4jStatements:
    """The statements over one schema; all values are parameters."""

    def __init__(self, schema: Neo4jSchema) -> None:
        label = "" if schema.label is None else f":{_escaped(schema.label)}"
        node_id, key = _escaped(schema.id), _escaped(schema.key)
        name, weight = _escaped(schema.name), _escaped(schema.weight)
        relation, written = _escaped(schema.relation), _escaped(schema.written_relationship)
        properties = "properties(n)"
        if schema.metadata is not None:
            wanted = dict.fromkeys([*schema.reserved[:-1], *schema.metadata])
            properties = f"n {{{', '.join(f'.{_escaped(each)}' for each in wanted)}}}"
        best = (
            f"WHERE {f'n{label} AND ' if label else ''}n.{node_id} IS NOT NULL "
            f"WITH number, n, score ORDER BY number, score DESC, n.{node_id} "
            "WITH number, collect({node: n, score: score})[..$limit] AS found "
            "UNWIND found AS each "
            "WITH number, each.score AS score, each.node AS n "
            f"RETURN number, score, {properties}"
        )
        self.nodes = f"MATCH (n{label}) WHERE n.{node_id} IN $ids RETURN {properties}"
        self.edges = (
            f"MATCH (n{label})-[r]->(m{label}) WHERE n.{node_id} IN $ids AND m.{node_id} IS NOT NULL "
            + ("AND type(r) IN $types " if schema.relationships else "")
            + f"RETURN n.{node_id}, "
            f"collect(coalesce(r.{relation}, type(r))), collect(m.{node_id}), "
            f"collect(coalesce(r.{weight}, 1.0))"
        )
        self.full_text_seeds = (
            "UNWIND $queries AS query "
            "CALL db.index.fulltext.queryNodes($index, query.text) YIELD node, score "
            f"WITH query.number AS number, node AS n, score {best}"
        )
        self.key_seeds = (
            "UNWIND $queries AS query UNWIND query.keys AS candidate "
            f"MATCH (n{label} {{{key}: candidate.key}}) "
            f"WITH query.number AS number, n, max(candidate.score) AS score {best}"
        )
        self.find_index = (
            "SHOW FULLTEXT INDEXES YIELD name, state, labelsOrTypes "
            "WHERE name = $index AND state = 'ONLINE' RETURN labelsOrTypes"
        )
        self.any_key = f"MATCH (n{label}) WHERE n.{key} IS NOT NULL RETURN 1 LIMIT 1"
        self.any_node = f"MATCH (n{label}) WHERE n.{node_id} IS NOT NULL RETURN 1 LIMIT 1"
        self.constraints = (
            (
                f"CREATE CONSTRAINT IF NOT EXISTS FOR (n{label}) REQUIRE n.{node_id} IS UNIQUE",
                f"CREATE INDEX IF NOT EXISTS FOR (n{label}) ON (n.{key})",
            )
            if label
            else ()
        )
        self.write_nodes = (
            f"UNWIND $rows AS row MERGE (n{label} {{{node_id}: row.id}}) SET n += row.properties"
        )
        ends = (
            f"UNWIND $rows AS row MATCH (n{label} {{{node_id}: row.source}}) "
            f"MATCH (m{label} {{{node_id}: row.target}}) "
        )
        edge = f"[r:{written} {{{relation}: row.relation, `octavo.number`: row.number}}]"
        self.write_edges = f"{ends} MERGE (n)-{edge}->(m) SET r.{weight} = row.weight"
        self.write_edges_of_many = f"{ends} MERGE (m)<-{edge}-(n) SET r.{weight} = row.weight"
        self.names = (
            f"MATCH (n{label}) WHERE n.{node_id} > $after "
            f"RETURN n.{node_id}, coalesce(n.{name}, n.{node_id}) "
            f"ORDER BY n.{node_id} LIMIT $limit"
        )
        self.write_keys = (
            f"UNWIND $rows AS row MATCH (n{label} {{{node_id}: row.id}}) SET n.{key} = row.key"
        )


def _escaped(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _checked_names(what: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ConfigurationError(f"neo4j: {what}: expected names, found {shown(names)}")
    for name in names:
        _check_name(what, name)
    return tuple(names)


def _check_name(what: str, name: object) -> None:
    # Some servers read a backslash and u as a character before they parse, a backtick maybe.
    if not (
        isinstance(name, str)
        and name.strip()
        and len(name) <= _LONGEST
        and encodable(name)
        and "\\" not in name
        and name.isprintable()
    ):
        raise ConfigurationError(
            f"neo4j: {what}: expected a printable name of at most {_LONGEST} characters without "
            f"backslashes, found {shown(name)}"
        )
