"""The bundled loader of files and directories (S66)."""

from collections.abc import Iterator

from octavo.declarative.declarations.enums import ChunkContext, KnowledgeFormat, KnowledgeUnit
from octavo.declarative.ingestion.chunking import ChunkSettings
from octavo.declarative.ingestion.declared import DeclaredSource, member, source_type
from octavo.declarative.ingestion.globs import PathFilter
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.reading import resource_documents
from octavo.declarative.ingestion.resource import Resource, file_resource
from octavo.declarative.ingestion.selection import Selection
from octavo.declarative.ingestion.times import file_instant
from octavo.declarative.ingestion.walk import FoundFile, absolute_path, found_files
from octavo.spi.source_document import SourceDocument


class FileLoader:
    """Reads a file, or the files of a directory and those below it.

    Parameters
    ----------
    limits
        How much a source may ask for.
    """

    def __init__(self, limits: IngestionLimits | None = None) -> None:
        self.limits = limits or IngestionLimits()

    def supports(self, knowledge: DeclaredSource) -> bool:
        """Return whether the declaration is of type FILE."""
        return source_type(knowledge) == "FILE"

    def load(self, knowledge: DeclaredSource) -> Iterator[SourceDocument]:
        """Yield the documents, file by file in the order of their names.

        Raises
        ------
        ConfigurationError
            A member of the declaration is invalid, or a file does not have the declared format.
        SourceLoadingError
            The path, or something below it, is missing, unreadable, or not what its ending says.
        """
        for file in self.files(knowledge):
            yield from self.documents(knowledge, file)

    def files(self, knowledge: DeclaredSource) -> Iterator[FoundFile]:
        """Return the files of a declaration, unread, one by one.

        Raises
        ------
        ConfigurationError, SourceLoadingError
            As :meth:`load`.
        """
        member(KnowledgeFormat, "format", knowledge.format)
        chunk_settings(knowledge, self.limits)
        return found_files(knowledge.path, PathFilter.of(knowledge.include, knowledge.exclude))

    def documents(self, knowledge: DeclaredSource, file: FoundFile) -> Iterator[SourceDocument]:
        """Yield the documents of one file."""
        expected = member(KnowledgeFormat, "format", knowledge.format)
        required = absolute_path(knowledge.path) == file.label
        yield from resource_documents(
            self.resource(knowledge, file),
            expected,
            chunk_settings(knowledge, self.limits),
            required=required,
        )

    def resource(self, knowledge: DeclaredSource, file: FoundFile) -> Resource:
        """Return a found file as a resource."""
        return file_resource(
            file.place,
            label=file.label,
            path=file.path,
            identifier=file_id(knowledge.name, file.path),
            status=file.status,
            modified=file_instant(file.status.st_mtime_ns),
        )


def chunk_settings(knowledge: DeclaredSource, limits: IngestionLimits) -> ChunkSettings:
    """Return how a declaration wants its documents cut.

    Raises
    ------
    ConfigurationError
        ``unit``, ``chunk_context`` or ``select`` is invalid.
    """
    return ChunkSettings(
        member(KnowledgeUnit, "unit", knowledge.unit),
        member(ChunkContext, "chunk_context", knowledge.chunk_context),
        Selection.of(knowledge.select),
        limits,
    )
