"""From what readers found to documents: ids, contents, metadata.

A section becomes one document where it fits with all that is below it, else its own text becomes
one, in parts where it must, and the sections below follow. So every parent is a document, the tree
is valid, and a change in one section moves nothing in another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from octavo.declarative.declarations.enums import ChunkContext, KnowledgeUnit
from octavo.declarative.ingestion.identifiers import part_id, section_id
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.metadata import (
    HEADING_SEPARATOR,
    SourceMetadata,
    declared_metadata,
    flattened,
    value_text,
)
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Section, TextBlock
from octavo.declarative.ingestion.selection import Selection
from octavo.declarative.ingestion.splitting import Part, paragraphs, parts
from octavo.declarative.ingestion.times import declared_instant
from octavo.spi import HierarchyMetadata, TemporalMetadata
from octavo.spi.source_document import SourceDocument


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut."""

    unit: KnowledgeUnit = KnowledgeUnit.AUTO
    context: ChunkContext = ChunkContext.NONE
    selection: Selection = field(default_factory=lambda: Selection(()))
    limits: IngestionLimits = field(default_factory=IngestionLimits)


def base_metadata(
    resource: Resource,
    kind: str,
    fields: Mapping[str, object],
    settings: ChunkSettings,
) -> dict[str, str]:
    """Return the metadata that all documents of a file, or a record, have.

    More fields than a record may have are data, not metadata: each chunk would carry them all.
    """
    most, longest = settings.limits.record_fields, settings.limits.metadata_characters
    declared = list(islice(flattened(fields), most + 1))
    metadata = declared_metadata(declared if len(declared) <= most else (), longest)
    metadata.update(resource.metadata)
    metadata[SourceMetadata.SOURCE] = resource.label
    metadata[SourceMetadata.PATH] = resource.path
    metadata[SourceMetadata.FORMAT] = str(kind)
    instant = declared_instant(fields, resource.label) or resource.modified
    if instant is not None:
        metadata[TemporalMetadata.TIMESTAMP] = instant
    return metadata


def outline_documents(
    outline: Outline, resource: Resource, kind: str, settings: ChunkSettings
) -> Iterator[SourceDocument]:
    """Yield the documents of a tree of sections, parents first."""
    root = outline.root
    if root.title is None:
        root.title = value_text(outline.fields.get("title"))
    metadata = base_metadata(resource, kind, outline.fields, settings)
    cutter = _Cutter(outline, resource.id, metadata, settings)
    if not settings.selection:
        yield from cutter.documents(root, (), None, ())
        return
    for section, above in _selected(outline, settings.selection):
        yield from cutter.documents(section, tuple(each.name for each in above), None, above)


def block_documents(
    blocks: Iterable[TextBlock], resource: Resource, kind: str, settings: ChunkSettings
) -> Iterator[SourceDocument]:
    """Yield the parts of a running text of any length."""
    metadata = base_metadata(resource, kind, {}, settings)
    if settings.selection and not settings.selection.admits(metadata):
        return
    number = 0
    for block in blocks:
        if settings.unit is KnowledgeUnit.PARAGRAPH:
            pieces = paragraphs(block.text)
        else:
            pieces = parts(block.text, settings.limits.chunk_characters)
        for piece in pieces:
            number += 1
            own = {**metadata, **_lines(piece, block.line)}
            identifier = part_id(resource.id, number)
            own[HierarchyMetadata.ID] = identifier
            if number > 1:
                own[HierarchyMetadata.PARENT_ID] = resource.id
            yield SourceDocument(identifier, piece.text, own)


def _selected(
    outline: Outline, selection: Selection
) -> Iterator[tuple[Section, tuple[Section, ...]]]:
    """Yield the topmost sections that match, each with those above it."""
    waiting: list[tuple[Section, tuple[Section, ...]]] = [(outline.root, ())]
    while waiting:
        section, above = waiting.pop()
        headings = _headings((*above, section))
        if selection.admits_section(outline.fields, section.title, headings):
            yield section, above
        else:
            waiting += [(child, (*above, section)) for child in reversed(section.children)]


def _headings(sections: Iterable[Section]) -> str:
    return HEADING_SEPARATOR.join(each.title for each in sections if each.title)


def _lines(part: Part, first: int | None) -> dict[str, str]:
    if first is None:
        return {}
    return {
        SourceMetadata.LINE_START: str(first + part.line),
        SourceMetadata.LINE_END: str(first + part.last_line),
    }


@dataclass(frozen=True, slots=True)
class _Cutter:
    outline: Outline
    file: str
    metadata: dict[str, str]
    settings: ChunkSettings

    def documents(
        self,
        section: Section,
        names: tuple[str, ...],
        parent: str | None,
        above: tuple[Section, ...],
    ) -> Iterator[SourceDocument]:
        """Yield the documents of a section and those below; ``names`` are of the sections above."""
        if section.name:
            names = (*names, section.name)
        identifier = section_id(self.file, tuple(filter(None, names)))
        pieces, deeper = self._pieces(section)
        first = None if section.loose and deeper else section.line
        for number, piece in enumerate(pieces, 1):
            metadata = {**self.metadata, **_lines(piece, first)}
            own = part_id(identifier, number)
            metadata[HierarchyMetadata.ID] = own
            above_it = parent if number == 1 else identifier
            if above_it is not None:
                metadata[HierarchyMetadata.PARENT_ID] = above_it
            self._entitle(metadata, section, above)
            yield SourceDocument(own, piece.text, metadata)
        if deeper:
            for child in section.children:
                yield from self.documents(child, names, identifier, (*above, section))

    def _pieces(self, section: Section) -> tuple[list[Part], bool]:
        """Return the contents of a section's own documents, and whether those below come by themselves."""
        unit, limit = self.settings.unit, self.settings.limits.chunk_characters
        fits = unit is KnowledgeUnit.AUTO and self.outline.length(section) <= limit
        if fits or unit in {KnowledgeUnit.DOCUMENT, KnowledgeUnit.RECORD}:
            whole = self.outline.whole_text(section)
            return parts(whole, max(len(whole), 1)), False
        if unit is KnowledgeUnit.SECTION:
            pieces = parts(section.text, max(len(section.text), 1))
        elif unit is KnowledgeUnit.PARAGRAPH:
            pieces = paragraphs(section.text)
        else:
            keeps = self.outline.keeps_indentation
            pieces = parts(section.text, limit, keeps_indentation=keeps)
        if not pieces and section.children:
            # A parent must be a document, and a document has something to say.
            pieces = [Part(section.title or self.metadata[SourceMetadata.PATH], 0)]
        return pieces, True

    def _entitle(
        self, metadata: dict[str, str], section: Section, above: tuple[Section, ...]
    ) -> None:
        headings = _headings((*above, section))
        if section.title:
            metadata[HierarchyMetadata.NODE_TITLE] = section.title
        if headings:
            metadata[SourceMetadata.HEADINGS] = headings
            if self.settings.context is ChunkContext.HEADINGS:
                metadata[SourceMetadata.CONTEXT] = headings
        if section.page is not None:
            metadata[SourceMetadata.PAGE] = str(section.page)
