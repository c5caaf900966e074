"""The types that an application and octavo exchange; nothing heavy is imported here."""

from octavo.spi.context import RAGContext
from octavo.spi.document import RetrievedDocument
from octavo.spi.strategy import RAGStrategy

__all__ = ["RAGContext", "RAGStrategy", "RetrievedDocument"]
