"""From a resource to its documents: the format, its reader, and whose fault a failure is."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from octavo.columns.encodable import encodable
from octavo.declarative.declarations.enums import KnowledgeFormat, KnowledgeUnit
from octavo.declarative.ingestion.chunking import (
    ChunkSettings,
    block_documents,
    outline_documents,
)
from octavo.declarative.ingestion.detection import check_format, detected_format
from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.formats.code import read_code
from octavo.declarative.ingestion.formats.csv import read_csv
from octavo.declarative.ingestion.formats.html import read_html
from octavo.declarative.ingestion.formats.json import read_json, read_json_lines
from octavo.declarative.ingestion.formats.markdown import read_markdown
from octavo.declarative.ingestion.formats.parquet import read_parquet
from octavo.declarative.ingestion.formats.pdf import read_pdf
from octavo.declarative.ingestion.formats.text import read_text
from octavo.declarative.ingestion.formats.yaml import read_yaml
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.recording import record_documents
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Record, TextBlock
from octavo.errors import ConfigurationError, SourceLoadingError
from octavo.spi.source_document import SourceDocument

Read: TypeAlias = Outline | Iterator[Record] | Iterator[TextBlock]
Reader: TypeAlias = Callable[[Resource, IngestionLimits], Read]

_READERS: Final[dict[KnowledgeFormat, Reader]] = {
    KnowledgeFormat.TEXT: read_text,
    KnowledgeFormat.MARKDOWN: read_markdown,
    KnowledgeFormat.HTML: read_html,
    KnowledgeFormat.JSON: read_json,
    KnowledgeFormat.JSON_LINES: read_json_lines,
    KnowledgeFormat.CSV: read_csv,
    KnowledgeFormat.YAML: read_yaml,
    KnowledgeFormat.CODE: read_code,
    KnowledgeFormat.PDF: read_pdf,
    KnowledgeFormat.PARQUET: read_parquet,
}
_RECORDS: Final = frozenset(
    (KnowledgeFormat.JSON_LINES, KnowledgeFormat.CSV, KnowledgeFormat.PARQUET)
)


def resource_documents(
    resource: Resource, expected: KnowledgeFormat, settings: ChunkSettings, *, required: bool
) -> Iterator[SourceDocument]:
    """Yield the documents of one file.

    Parameters
    ----------
    expected
        The declared format, or AUTO.
    required
        Whether the file itself was asked for: then an unknown format is an error. Below a folder
        it is passed over.

    Raises
    ------
    ConfigurationError
        The file is not what the declared format says (S66).
    SourceLoadingError
        The file cannot be read, or is not what its ending says.
    """
    try:
        for document in _documents(resource, expected, settings, required):
            yield document if _is_text(document) else _as_text(document)
    except DamagedSource as error:
        message = f"{resource.label}: {error}"
        if expected is KnowledgeFormat.AUTO:
            raise SourceLoadingError(message) from error
        raise ConfigurationError(f"{message} (format is {expected})") from error


def _documents(
    resource: Resource,
    expected: KnowledgeFormat,
    settings: ChunkSettings,
    required: bool,  # noqa: FBT001
) -> Iterator[SourceDocument]:
    kind = expected
    if expected is KnowledgeFormat.AUTO:
        found = detected_format(resource)
        if found is None:
            if required:
                raise DamagedSource("expected a document, found an unknown binary format")
            return
        kind = found
    else:
        check_format(resource, expected)
    read = _READERS[kind](resource, settings.limits)
    if isinstance(read, Outline):
        yield from outline_documents(read, resource, kind, settings)
    elif kind is KnowledgeFormat.TEXT:
        if settings.unit is KnowledgeUnit.DOCUMENT:
            resource.whole(settings.limits.file_bytes)
        yield from block_documents(read, resource, kind, settings)  # type: ignore[arg-type]
    else:
        yield from record_documents(read, resource, kind, settings)  # type: ignore[arg-type]


def _is_text(document: SourceDocument) -> bool:
    metadata = document.metadata
    return encodable("".join((document.id, document.content, *metadata, *metadata.values())))


def _as_text(document: SourceDocument) -> SourceDocument:
    """Replace half characters of UTF-16, which JSON and file names can spell and UTF-8 cannot."""
    return SourceDocument(
        _repaired(document.id),
        _repaired(document.content),
        {_repaired(key): _repaired(value) for key, value in document.metadata.items()},
    )


def _repaired(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
