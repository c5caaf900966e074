"""Texts that an index has embedded already, found by content, so that no text is embedded twice."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import compute
from octavo.columns.document_batch import DocumentBatch, searchable_text
from octavo.columns.documents_file import DocumentLayout
from octavo.kernels.fnv import hash_texts
from octavo.storage.snapshot.stored_batches import StoredRows, stored_batches

_TITLE = "title"


class EmbeddedTexts:
    """The searchable texts of stored rows that have a vector, and these vectors.

    Deleted rows count too: their vectors are as good. Memory: 16 bytes a row; the texts and vectors
    stay on the disk.

    Parameters
    ----------
    segments
        Where they are stored; a segment without vectors adds nothing.
    dimensions
        The dimensions of the vectors.

    Examples
    --------
    >>> import tempfile
    >>> import octavo
    >>> documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     corpus = octavo.Corpus.build(documents, directory + "/index", embedding="hash")
    ...     known = EmbeddedTexts(corpus.vector_store.segments, 128)
    ...     known.rows_of(pa.array(["blue whale", "owl"], pa.large_string())).tolist()
    [1, -1]
    """

    def __init__(self, segments: Sequence[StoredRows], dimensions: int) -> None:
        self.dimensions = dimensions
        self._segments = [each for each in segments if _has_vectors(each)]
        self._starts = np.cumsum([0, *(each.columns.rows for each in self._segments)])
        hashes, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for segment, start in zip(self._segments, self._starts.tolist(), strict=False):
            mine = _hashes(segment)
            embedded = _embedded(segment)
            hashes.append(mine[embedded])
            rows.append(start + embedded)
        joined = np.concatenate(hashes)
        order = np.argsort(joined, kind="stable")
        self._hashes, self._rows = joined[order], np.concatenate(rows)[order]

    def __len__(self) -> int:
        return len(self._rows)

    def rows_of(self, texts: pa.LargeStringArray) -> NDArray[np.int64]:
        """Return a row that has just this searchable text, -1 for a text that no row has.

        Rows count through the segments that have vectors. Texts are found by a 64-bit hash and
        compared themselves; of texts with equal hashes the first alone is found.
        """
        found = np.full(len(texts), -1, np.int64)
        if not len(self._hashes):
            return found
        hashes = hash_texts(texts)
        places = np.searchsorted(self._hashes, hashes)
        places[places == len(self._hashes)] = 0
        alike = np.flatnonzero(self._hashes[places] == hashes)
        candidates = self._rows[places[alike]]
        equal = compute.equal(self._texts(candidates), compute.take(texts, alike))
        same = np.asarray(equal.to_numpy(zero_copy_only=False), np.bool_)
        found[alike[same]] = candidates[same]
        return found

    def vectors_of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the stored vectors of ``rows``, shape ``(n, dimensions)``, bit by bit."""
        vectors = np.empty((len(rows), self.dimensions), np.float32)
        for segment, here, local in self._by_segment(rows):
            if segment.vectors is not None:
                vectors[here] = segment.vectors[local]
        return vectors

    def _texts(self, rows: NDArray[np.int64]) -> pa.LargeStringArray:
        texts: list[str | None] = [None] * len(rows)
        for segment, here, local in self._by_segment(rows):
            content = pa.array(segment.columns.texts("content", local.tolist()), pa.large_string())
            title = pa.array(segment.columns.texts(_TITLE, local.tolist()), pa.large_string())
            batch = DocumentBatch(ids=content, content=content, title=title)
            for place, text in zip(here.tolist(), searchable_text(batch).to_pylist(), strict=True):
                texts[place] = text
        return pa.array(texts, pa.large_string())

    def _by_segment(
        self, rows: NDArray[np.int64]
    ) -> list[tuple[StoredRows, NDArray[np.int64], NDArray[np.int64]]]:
        """Return for each segment the places in ``rows`` that are its, and their own rows."""
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        places = [(owner, np.flatnonzero(owners == owner)) for owner in np.unique(owners).tolist()]
        return [
            (self._segments[owner], here, rows[here] - self._starts[owner])
            for owner, here in places
        ]


def _has_vectors(segment: StoredRows) -> bool:
    return segment.vectors is not None and len(segment.vectors) > 0


def _hashes(segment: StoredRows) -> NDArray[np.uint64]:
    """Return the hash of each row's searchable text."""
    layout = DocumentLayout((_TITLE,) if _TITLE in segment.columns.names else ())
    batches = stored_batches(segment, layout, None)
    pieces = [hash_texts(searchable_text(batch)) for batch in batches]
    return np.concatenate([np.zeros(0, np.uint64), *pieces])


def _embedded(segment: StoredRows) -> NDArray[np.int64]:
    """Return the rows that have a vector."""
    embedded = np.ones(segment.columns.rows, np.bool_)
    if segment.vector_present is not None:
        embedded &= segment.vector_present
    if segment.only_parents is not None:
        embedded &= ~segment.only_parents
    return np.flatnonzero(embedded)
