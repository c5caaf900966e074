"""Vectors of an index that is replaced serve the one that replaces it, where texts are the same."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.embeddings.protocol import EmbeddingFunction, embed_texts
from octavo.errors import OctavoError
from octavo.kernels.unit_length import unit_length
from octavo.storage.format import layout
from octavo.storage.format.manifest import EmbeddingEntry, Manifest
from octavo.storage.snapshot.embedded_texts import EmbeddedTexts
from octavo.storage.snapshot.segment import whole_file
from octavo.storage.snapshot.stored_batches import PrimaryParts
from octavo.storage.snapshot.vector_stage import Vectors

_CONTROLS = 4
_LEAST_COSINE = 0.999
"""A function may answer a little differently on another processor; another function does not."""

_log = logging.getLogger("octavo.storage")


class ReusingStage:
    """An embedding function that is asked only for texts that have no stored vector yet.

    A function can change behind its name: another model, another prefix. Hence it is asked for a
    few texts again whose vectors are stored, short and long ones, with the first batch that has
    any; where it answers otherwise, no stored vector is used.

    Parameters
    ----------
    function
        The application's embedding function, called by one thread at a time (S42).
    known
        The stored vectors, made by a function of the same name.
    """

    concurrent = False

    def __init__(self, function: EmbeddingFunction, known: EmbeddedTexts) -> None:
        self._function = function
        self._known = known
        self._trusted: bool | None = None
        self._dimensions: int | None = None
        self.embedded = 0
        """How many documents the function was asked for."""
        self.reused = 0
        """How many documents have a vector that was stored."""

    def vectors(self, batch: DocumentBatch, analyzed: pa.LargeStringArray) -> Vectors:  # noqa: ARG002
        """Return the vectors of the batch: stored ones, and new ones for new texts."""
        texts = searchable_text(batch)
        rows = self._rows(texts)
        new = np.flatnonzero(rows < 0)
        old = np.flatnonzero(rows >= 0)
        fresh = self._embed(texts, new)
        vectors = np.empty((len(texts), fresh.shape[1] or self._known.dimensions), np.float32)
        vectors[new] = fresh
        if len(old):
            vectors[old] = self._known.vectors_of(rows[old])
        self.embedded += len(new)
        self.reused += len(old)
        return vectors, None

    def _rows(self, texts: pa.LargeStringArray) -> NDArray[np.int64]:
        """Return the stored row of each text; -1 where the function must be asked."""
        if self._trusted is False:
            return np.full(len(texts), -1, np.int64)
        rows = self._known.rows_of(texts)
        if self._trusted is None and bool((rows >= 0).any()):
            self._trusted = self._agrees(texts, rows)
            if not self._trusted:
                rows[:] = -1
        return rows

    def _agrees(self, texts: pa.LargeStringArray, rows: NDArray[np.int64]) -> bool:
        """Whether the function gives what is stored, for a few texts of all lengths."""
        known = np.flatnonzero(rows >= 0)
        lengths = [len(texts[place].as_py()) for place in known.tolist()]
        by_length = known[np.argsort(lengths, kind="stable")]
        chosen = by_length[np.linspace(0, len(known) - 1, _CONTROLS).astype(np.int64)]
        chosen = np.unique(chosen)
        fresh, stored = self._embed(texts, chosen), self._known.vectors_of(rows[chosen])
        if fresh.shape != stored.shape:
            return False
        cosines = np.einsum("ij,ij->i", fresh, stored)
        silent = ~fresh.any(axis=1) & ~stored.any(axis=1)
        return bool(((cosines >= _LEAST_COSINE) | silent).all())

    def _embed(self, texts: pa.LargeStringArray, places: NDArray[np.int64]) -> NDArray[np.float32]:
        chosen: pa.LargeStringArray = compute.take(texts, places)
        raw = embed_texts(self._function, chosen, dimensions=self._dimensions)
        self._dimensions = raw.shape[1] or self._dimensions
        return unit_length(raw)


def stored_texts(
    index: Path, manifest: Manifest, specification: str, fingerprint: str
) -> EmbeddedTexts | None:
    """Return the embedded texts of an index, if they were embedded as named.

    A file that is damaged, or missing, gives nothing: then everything is embedded again.
    """
    embedding = manifest.embedding
    if embedding is None or (embedding.specification, embedding.fingerprint) != (
        specification,
        fingerprint,
    ):
        return None
    try:
        known = EmbeddedTexts(_whole_parts(index, manifest, embedding), embedding.dimensions)
    except OctavoError as error:
        _log.warning("%s: its vectors are not used again: %s", index, error)
        return None
    return known if len(known) else None


def _whole_parts(
    index: Path, manifest: Manifest, embedding: EmbeddingEntry
) -> Sequence[PrimaryParts]:
    """Open what is used again, having checked every byte of it."""
    parts = []
    for entry in manifest.segments:
        directory = layout.segment_directory(index, entry.name)
        for name in (layout.DOCUMENTS, layout.VECTORS, layout.VECTOR_PRESENT, layout.ONLY_PARENTS):
            if name in entry.files:
                whole_file(directory, entry, name)
        parts.append(PrimaryParts.open(directory, entry, embedding.dimensions))
    return parts
