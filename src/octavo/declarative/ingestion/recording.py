"""From records to documents: which field is the text, which the id, and what the others are."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from octavo.columns.schema import ID_NAMES, TEXT_NAMES, TITLE_NAMES
from octavo.declarative.declarations.enums import ChunkContext, KnowledgeUnit
from octavo.declarative.ingestion.chunking import ChunkSettings, base_metadata
from octavo.declarative.ingestion.identifiers import part_id, record_id
from octavo.declarative.ingestion.metadata import SourceMetadata, flattened, value_text
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Record
from octavo.declarative.ingestion.splitting import Part, paragraphs, parts
from octavo.errors import SourceLoadingError
from octavo.spi import HierarchyMetadata
from octavo.spi.source_document import SourceDocument

_REMEMBERED: Final = 1_000_000
"""Repeated ids are found among so many; beyond, a corpus finds them when it is built."""


def record_documents(
    records: Iterable[Record], resource: Resource, kind: str, settings: ChunkSettings
) -> Iterator[SourceDocument]:
    """Yield the documents of records.

    The first field called like one of ``TEXT_NAMES`` (``text``, ``content``, ``body``, ...) that
    holds text is the content. Without one, the content is all fields, a line each. A field called
    like one of ``ID_NAMES`` names the record; without one its number does. The others are metadata.

    Raises
    ------
    SourceLoadingError
        Two records have the same id, or one has too many fields.
    """
    file = _File(resource, kind, settings)
    seen: dict[str, int] = {}
    for record in records:
        fields = record.value if isinstance(record.value, Mapping) else {}
        _check_count(fields, resource, record, settings)
        if settings.selection and not settings.selection.admits(dict(flattened(fields))):
            continue
        key = _key(fields)
        if key is not None:
            if key in seen:
                raise SourceLoadingError(
                    f"{resource.label}: expected distinct ids, found {key!r} in the records "
                    f"{seen[key]} and {record.number}"
                )
            if len(seen) < _REMEMBERED:
                seen[key] = record.number
        yield from file.documents(record, key)


def content_of(value: object) -> str:
    r"""Return what a record says: its text, or all it holds.

    Examples
    --------
    >>> content_of({"question": "Why?", "more": {"answer": "So."}})
    'question: Why?\nmore.answer: So.'
    """
    if not isinstance(value, Mapping):
        return value_text(value) or ""
    name = _text_field(value)
    if name is not None:
        return str(value[name])
    lines = ((key, value_text(each)) for key, each in flattened(value))
    return "\n".join(f"{key}: {text}" for key, text in lines if text)


@dataclass(frozen=True, slots=True)
class _File:
    resource: Resource
    kind: str
    settings: ChunkSettings

    def documents(self, record: Record, key: str | None) -> Iterator[SourceDocument]:
        """Yield the document of a record, in parts where it must be."""
        fields = record.value if isinstance(record.value, Mapping) else {}
        metadata = self._metadata(record, fields)
        whole = record_id(self.resource.id, key, record.number)
        content = content_of(record.value).replace("\r\n", "\n")
        for number, piece in enumerate(_pieces(content, self.settings), 1):
            own = {**metadata, HierarchyMetadata.ID: part_id(whole, number)}
            if number > 1:
                own[HierarchyMetadata.PARENT_ID] = whole
            yield SourceDocument(part_id(whole, number), piece.text, own)

    def _metadata(self, record: Record, fields: Mapping[str, object]) -> dict[str, str]:
        text = _text_field(fields)
        declared = {name: value for name, value in fields.items() if name != text}
        metadata = base_metadata(self.resource, self.kind, declared, self.settings)
        metadata[SourceMetadata.RECORD] = str(record.number)
        if record.line is not None:
            metadata[SourceMetadata.LINE_START] = str(record.line)
        title = next((text for name in TITLE_NAMES if (text := value_text(fields.get(name)))), None)
        if title:
            metadata[HierarchyMetadata.NODE_TITLE] = title
            metadata[SourceMetadata.HEADINGS] = title
            if self.settings.context is ChunkContext.HEADINGS:
                metadata[SourceMetadata.CONTEXT] = title
        return metadata


def _text_field(fields: Mapping[str, object]) -> str | None:
    return next((name for name in TEXT_NAMES if isinstance(fields.get(name), str)), None)


def _pieces(content: str, settings: ChunkSettings) -> list[Part]:
    if settings.unit is KnowledgeUnit.PARAGRAPH:
        return paragraphs(content)
    if settings.unit is KnowledgeUnit.AUTO:
        return parts(content, settings.limits.chunk_characters)
    return parts(content, max(len(content), 1))


def _key(fields: Mapping[str, object]) -> str | None:
    for name in ID_NAMES:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None


def _check_count(
    fields: Mapping[str, object], resource: Resource, record: Record, settings: ChunkSettings
) -> None:
    if len(fields) > settings.limits.record_fields:
        raise SourceLoadingError(
            f"{resource.label}: expected at most {settings.limits.record_fields:,} fields, "
            f"found {len(fields):,} in record {record.number}"
        )
