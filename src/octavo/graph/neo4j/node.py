"""A graph node as the properties of a node in Neo4j, there and back."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.graph.identity import identity_key
from octavo.graph.neo4j.schema import Neo4jSchema
from octavo.spi import GraphNode

# Before metadata whose name is taken, so that they come back under it.
_PREFIX: Final = "octavo.metadata."


def node_of(properties: Mapping[str, Any], schema: Neo4jSchema) -> GraphNode | None:
    """Return the node that properties describe, ``None`` where they have no id that is text."""
    node_id = properties.get(schema.id)
    if not isinstance(node_id, str) or not node_id.strip():
        return None
    content, source = properties.get(schema.content), properties.get(schema.source)
    documents = properties.get(schema.documents)
    metadata = {
        name.removeprefix(_PREFIX): text
        for name, value in sorted(properties.items())
        if name not in schema.reserved and (text := _text(value)) is not None
    }
    return GraphNode(
        node_id,
        content if isinstance(content, str) else node_id,
        source if isinstance(source, str) else schema.default_source,
        metadata,
        tuple(each for each in documents if isinstance(each, str))
        if isinstance(documents, list)
        else (),
    )


def properties_of(node: GraphNode, schema: Neo4jSchema) -> dict[str, Any]:
    """Return the properties that :func:`node_of` reads as that node, and its folded name."""
    properties: dict[str, Any] = {
        _PREFIX + name if _is_taken(name, schema) else name: value
        for name, value in node.metadata.items()
    }
    properties[schema.key] = identity_key(node.metadata.get(schema.name) or node.id)
    properties[schema.documents] = list(node.documents)
    properties[schema.source] = node.source
    properties[schema.content] = node.content
    properties[schema.id] = node.id
    return properties


def _is_taken(name: str, schema: Neo4jSchema) -> bool:
    return not name or name in schema.reserved or name.startswith(_PREFIX)


def _text(value: object) -> str | None:
    """Return the canonical text of a value (S11), ``None`` for what is no metadata."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    for method in ("isoformat", "iso_format"):  # the driver's times and Python's
        form = getattr(value, method, None)
        if callable(form):
            return str(form())
    return None
