"""What a user's own strategy may return (S15)."""

from collections.abc import Iterable, Mapping

from octavo.columns.encodable import encodable
from octavo.errors import ExecutionError, OctavoError, real_number, shown, told
from octavo.spi import HierarchyMetadata, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID


def checked_documents(name: str, returned: object) -> tuple[RetrievedDocument, ...]:
    """Return the documents that a strategy returned.

    Anything with the members of a :class:`~octavo.spi.RetrievedDocument` is a document.

    Raises
    ------
    ExecutionError
        Naming the strategy, the position, what was expected and what came.
    """
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        raise ExecutionError(
            f"strategy {name!r}: expected a sequence of documents, found {type(returned).__name__}"
        )
    documents = tuple(returned)
    for position, document in enumerate(documents):
        try:
            fault = _fault(document)
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(
                f"strategy {name!r}: document {position}: raised {told(error)}"
            ) from error
        if fault is not None:
            raise ExecutionError(f"strategy {name!r}: document {position}: {fault}")
    return documents


def _fault(document: RetrievedDocument) -> str | None:
    """Return what was expected and what came, ``None`` for a sound document."""
    try:
        content, source = document.content, document.source
        score, metadata = document.score, document.metadata
    except AttributeError:
        members = "content, source, score and metadata"
        return f"expected a document with {members}, found {type(document).__name__}"
    for member, text in (("content", content), ("source", source)):
        if not isinstance(text, str):
            return f"{member}: expected a string, found {type(text).__name__}"
    if real_number(score) is None:
        return f"score: expected a real number, found {shown(score)}"
    return _metadata_fault(metadata)


def _metadata_fault(metadata: object) -> str | None:
    if not isinstance(metadata, Mapping):
        return f"metadata: expected a mapping of strings, found {type(metadata).__name__}"
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            return f"metadata: expected strings, found {shown(key)}: {shown(value)}"
    for key in (ENTRY_ID, HierarchyMetadata.ID):
        if not encodable(metadata.get(key, "")):
            return f"metadata: {key}: expected Unicode text, found {shown(metadata[key])}"
    return None
