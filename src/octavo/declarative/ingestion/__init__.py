"""Documents from declared sources: files, URLs, databases; read once, chunked, with stable ids."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.declarative.ingestion.batches import (
        SpooledDocuments,
        corpus_columns,
        document_batches,
        spool_documents,
    )
    from octavo.declarative.ingestion.chunk_context import ChunkContextModel
    from octavo.declarative.ingestion.database_loader import SqlLoader
    from octavo.declarative.ingestion.declared import DeclaredSource
    from octavo.declarative.ingestion.file_loader import FileLoader
    from octavo.declarative.ingestion.limits import IngestionLimits
    from octavo.declarative.ingestion.loading import load_documents, loader_for, source_loaders
    from octavo.declarative.ingestion.manifest import SourceManifest
    from octavo.declarative.ingestion.metadata import SourceMetadata
    from octavo.declarative.ingestion.source_changes import SourceChanges
    from octavo.declarative.ingestion.url_loader import UrlLoader
    from octavo.declarative.ingestion.url_policy import UrlPolicy

_HOMES = {
    "ChunkContextModel": "chunk_context",
    "DeclaredSource": "declared",
    "FileLoader": "file_loader",
    "IngestionLimits": "limits",
    "SourceChanges": "source_changes",
    "SourceManifest": "manifest",
    "SourceMetadata": "metadata",
    "SpooledDocuments": "batches",
    "SqlLoader": "database_loader",
    "UrlLoader": "url_loader",
    "UrlPolicy": "url_policy",
    "corpus_columns": "batches",
    "document_batches": "batches",
    "load_documents": "loading",
    "loader_for": "loading",
    "source_loaders": "loading",
    "spool_documents": "batches",
}

__all__ = [
    "ChunkContextModel",
    "DeclaredSource",
    "FileLoader",
    "IngestionLimits",
    "SourceChanges",
    "SourceManifest",
    "SourceMetadata",
    "SpooledDocuments",
    "SqlLoader",
    "UrlLoader",
    "UrlPolicy",
    "corpus_columns",
    "document_batches",
    "load_documents",
    "loader_for",
    "source_loaders",
    "spool_documents",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
