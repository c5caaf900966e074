"""Where the vectors of a build come from: a column, a function, the hash embedding, or nowhere."""

from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.embeddings.hash_embedding import HashEmbedding
from octavo.embeddings.protocol import EmbeddingFunction, embed_texts
from octavo.errors import InvalidArgumentError
from octavo.kernels.unit_length import unit_length

Mask = NDArray[np.bool_]
Vectors = tuple[NDArray[np.float32], Mask | None]


class VectorStage(Protocol):
    """Turns a batch of documents into unit vectors and a mask of the rows that have one."""

    concurrent: bool
    """Whether several threads may call it at once."""

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:
        """Return float32 vectors of shape ``(rows, dimensions)``, and where they are present."""
        ...


class HashStage:
    """The hash embedding, straight over the analysed text."""

    concurrent = True

    def __init__(self, embedding: HashEmbedding) -> None:
        self._embedding = embedding
        self.dimensions = embedding.dimensions

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:  # noqa: ARG002
        """Embed the tokens of the batch."""
        return self._embedding.embed_analyzed(analyzed), None


class ColumnStage:
    """Vectors that came with the documents."""

    concurrent = True

    def __init__(self, column: str) -> None:
        self._column = column

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:  # noqa: ARG002
        """Take the batch's own vectors, at unit length."""
        if batch.vectors is None:
            raise InvalidArgumentError(f"column {self._column!r}: expected vectors, found none")
        return unit_length(batch.vectors.values), batch.vectors.present


class FunctionStage:
    """An application's embedding function, called by one thread at a time (S42).

    Parameters
    ----------
    function
        The function.
    dimensions
        Of its vectors; by default the first vector tells.
    """

    concurrent = False

    def __init__(self, function: EmbeddingFunction, dimensions: int | None = None) -> None:
        self.function = function
        self._dimensions = dimensions

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:  # noqa: ARG002
        """Embed the searchable text of each document that does not bring its vector."""
        texts = searchable_text(batch)
        known = batch.vectors
        if known is None or not known.present.any():
            return self._embed(texts), None
        values = known.values.astype(np.float32)
        missing: NDArray[np.int64] = np.flatnonzero(~known.present)
        if len(missing):
            values[missing] = self._embed(texts.take(missing))
        return values, None

    def _embed(self, texts: pa.LargeStringArray) -> NDArray[np.float32]:
        raw = embed_texts(self.function, texts, dimensions=self._dimensions)
        self._dimensions = raw.shape[1]
        return unit_length(raw)
