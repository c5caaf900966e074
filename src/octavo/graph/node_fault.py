"""What is wrong with a node that an application made."""

from collections.abc import Mapping, Sequence

from octavo.columns.encodable import encodable
from octavo.errors import shown
from octavo.spi import GraphNode


def node_fault(node: object) -> str | None:
    """Return what was expected of a node and what came, ``None`` for a sound one.

    A dataclass does not look at its fields; what a walk reads of them must be what it says.
    """
    if not isinstance(node, GraphNode):
        return f"expected a GraphNode, found {type(node).__name__}"
    if not isinstance(node.id, str) or not node.id.strip() or not encodable(node.id):
        return f"id: expected a non-blank string of Unicode text, found {shown(node.id)}"
    for field, text in (("content", node.content), ("source", node.source)):
        if not isinstance(text, str):
            return f"{field}: expected a string, found {type(text).__name__}"
    if not isinstance(node.metadata, Mapping) or not all(
        isinstance(key, str) and isinstance(value, str) for key, value in node.metadata.items()
    ):
        return f"metadata: expected a mapping of strings, found {shown(node.metadata)}"
    if (
        isinstance(node.documents, str)
        or not isinstance(node.documents, Sequence)
        or not all(isinstance(document, str) for document in node.documents)
    ):
        return f"documents: expected a sequence of strings, found {shown(node.documents)}"
    return None
