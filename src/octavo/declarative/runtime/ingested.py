"""The documents of sources in a corpus of their own (S61)."""

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from octavo.corpus.corpus import Corpus
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.ingestion import corpus_columns, document_batches, load_documents
from octavo.declarative.ingestion.batches import spool_batches
from octavo.declarative.ingestion.identifiers import file_id
from octavo.declarative.runtime.attribution import KNOWLEDGE
from octavo.declarative.runtime.embedding_provider import EmbeddingProvider
from octavo.declarative.runtime.providers import GivenProviders
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.spi import CancellationToken, HierarchyMetadata, SourceDocument

if TYPE_CHECKING:
    from octavo.embeddings.protocol import EmbeddingFunction

Embedding = EmbeddingProvider | HashEmbedding | None


def ingested(
    sources: Sequence[Knowledge],
    embedding: Embedding,
    given: GivenProviders,
    cancellation: CancellationToken,
) -> Corpus:
    """Load sources into a corpus in a temporary directory, which goes when the corpus does.

    Parameters
    ----------
    sources
        What is loaded; none makes an empty corpus.
    embedding
        Gives the vectors; ``None``: there are none.
    given
        Loaders made in code, and models of chunk contexts.
    cancellation
        Looked at before each document, and each call of the provider.

    Raises
    ------
    SourceLoadingError
        A source is missing or cannot be read.
    ConfigurationError
        A source is declared in a way that cannot work.
    """
    directory = Path(tempfile.mkdtemp(prefix="octavo-"))
    try:
        spooled = directory / "documents"
        spooled.mkdir()
        documents = ((each.name, documents_of(each, given, cancellation)) for each in sources)
        paths, metadata = spool_documents(documents, spooled)
        corpus = build_corpus(paths, metadata, directory / "corpus", embedding, cancellation)
        shutil.rmtree(spooled)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    # Not a moment before: a retrieval under way may still read of a binding that was invalidated.
    weakref.finalize(corpus.keyword_index, shutil.rmtree, directory, ignore_errors=True)
    return corpus


def documents_of(
    source: Knowledge, given: GivenProviders, cancellation: CancellationToken
) -> Iterator[SourceDocument]:
    """Yield the documents of a source, with the loaders and models that were made in code."""
    return load_documents(
        source, given.loaders, context_models=given.context_models, cancellation=cancellation
    )


def build_corpus(
    paths: Sequence[str],
    metadata: Sequence[str],
    out: Path,
    embedding: Embedding,
    cancellation: CancellationToken,
) -> Corpus:
    """Build a corpus of spooled documents, opened with the provider itself."""
    columns = corpus_columns(metadata)
    inputs = list(paths) if paths else nothing(columns["metadata"])
    how: str | EmbeddingFunction = "none"
    if isinstance(embedding, EmbeddingProvider):
        how = embedding.for_ingestion(cancellation)
    elif embedding is not None:
        how = embedding
    built = Corpus.build(inputs, out, **columns, embedding=how, block_max=False, overwrite=True)
    return Corpus.open(out, embedding=embedding) if embedding is not None else built


def spool_documents(
    sources: Iterable[tuple[str, Iterator[SourceDocument]]], directory: Path
) -> tuple[list[str], list[str]]:
    """Write the documents of named sources to Arrow files; return these, and all metadata names."""
    batches = (batch for source, documents in sources for batch in named_batches(documents, source))
    spooled = spool_batches(batches, directory)
    return list(spooled.paths), sorted({KNOWLEDGE, *spooled.metadata})


def named_batches(documents: Iterator[SourceDocument], source: str) -> Iterator[pa.RecordBatch]:
    """Yield documents in batches that say which source they are of, and so do their ids."""
    for batch in document_batches(_qualified(each, source) for each in documents):
        named = pa.array([source] * len(batch), pa.large_string())
        yield pa.record_batch([*batch.columns, named], names=[*batch.schema.names, KNOWLEDGE])


def _qualified(document: SourceDocument, source: str) -> SourceDocument:
    """Return a document whose id, which is unique in its source, is so among all sources."""
    prefix = file_id(source, "")
    if document.id.startswith(prefix):
        return document
    metadata = dict(document.metadata)
    for key in (HierarchyMetadata.ID, HierarchyMetadata.PARENT_ID):
        if metadata.get(key) and not metadata[key].startswith(prefix):
            metadata[key] = prefix + metadata[key]
    return SourceDocument(prefix + document.id, document.content, metadata)


def nothing(metadata: Sequence[str]) -> pa.Table:
    """Return no documents, with all columns."""
    names = [each for each in corpus_columns(()).values() if isinstance(each, str)]
    return pa.table({name: pa.array([], pa.large_string()) for name in (*names, *metadata)})
