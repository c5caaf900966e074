"""What an application's model puts before the searchable text of chunks (S61)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from octavo.declarative.declarations.enums import ChunkContext
from octavo.declarative.ingestion.declared import DeclaredSource, member
from octavo.declarative.ingestion.metadata import SourceMetadata
from octavo.declarative.provided import failing_as_execution
from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    ProviderUnavailableError,
    shown,
)
from octavo.spi.source_document import SourceDocument


@runtime_checkable
class ChunkContextModel(Protocol):
    """Says where a chunk stands, in words that searches shall find it by."""

    def supports(self, model: str) -> bool:
        """Return whether a model of this name is served."""
        ...

    def context(self, chunk: SourceDocument, model: str) -> str:
        """Return what goes before the chunk's searchable text."""
        ...


def chosen_model(
    knowledge: DeclaredSource, models: Sequence[ChunkContextModel]
) -> ChunkContextModel | None:
    """Return the model that a declaration asks for; ``None`` where it asks for none.

    Raises
    ------
    ConfigurationError
        It asks for one without a name, or several serve it.
    ProviderUnavailableError
        None serves it.
    """
    if member(ChunkContext, "chunk_context", knowledge.chunk_context) is not ChunkContext.MODEL:
        return None
    name = knowledge.chunk_context_model
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"chunk_context_model: expected a model, found {shown(name)}")
    with failing_as_execution(f"model {name!r}: supports"):
        serving = [each for each in models if each.supports(name)]
    if not serving:
        raise ProviderUnavailableError(f"chunk_context_model: nothing serves the model {name!r}")
    if len(serving) > 1:
        raise ConfigurationError(
            f"chunk_context_model: expected one server of {name!r}, found more"
        )
    return serving[0]


def with_context(
    documents: Iterable[SourceDocument], provider: ChunkContextModel, model: str
) -> Iterator[SourceDocument]:
    """Yield the documents with what the model says of each.

    Raises
    ------
    ExecutionError
        It raises something that is no retrieval error, or says what is no text (S43).
    """
    for document in documents:
        with failing_as_execution(f"model {model!r}", provider):
            said = provider.context(document, model)
        if not isinstance(said, str):
            raise ExecutionError(f"model {model!r}: expected a text, found {shown(said)}")
        metadata = dict(document.metadata)
        if said.strip():
            metadata[SourceMetadata.CONTEXT] = said.strip()
        yield SourceDocument(document.id, document.content, metadata)
