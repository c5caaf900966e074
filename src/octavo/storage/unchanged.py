"""What an upsert need not do: documents that are stored as they are, and texts that are embedded."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.vectors import VectorBatch
from octavo.kernels.unit_length import unit_length
from octavo.storage.vector_stage import Mask, Vectors

Rows = NDArray[np.int64]


class StoredDocumentsReader(Protocol):
    """Documents by row: a snapshot's, or those of a segment that is being written."""

    def texts(self, column: str, rows: Rows) -> list[str | None]:
        """Return the values of a text column at ``rows``."""
        ...

    def metadata(self, key: str, rows: Rows) -> list[str | None]:
        """Return the values of a metadata key at ``rows``."""
        ...

    def timestamps(self, rows: Rows) -> tuple[Rows, Mask]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        ...

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of ``rows``, and where there is one."""
        ...


def unchanged(batch: DocumentBatch, stored: StoredDocumentsReader, rows: Rows) -> Mask:
    """Return which documents equal the stored ones at ``rows`` in every column.

    Vectors that came with the documents count; those that are made of texts need not be looked at.
    """
    same = _same_texts(batch, stored, rows)
    for name in ("source", "parent"):
        column = getattr(batch, name)
        if column is not None:
            same &= _equal(column.to_pylist(), stored.texts(name, rows))
    for key, values in batch.metadata.items():
        same &= _equal(values.to_pylist(), stored.metadata(key, rows))
    if batch.timestamp is not None:
        ticks = batch.timestamp.cast(pa.int64()).to_pylist()
        same &= _equal(ticks, _ticks(*stored.timestamps(rows)))
    if batch.vectors is not None:
        same &= _same_vectors(batch.vectors, stored.vectors(rows))
    return same


def known_vectors(
    batch: DocumentBatch, stored: StoredDocumentsReader, rows: Rows
) -> VectorBatch | None:
    """Return the stored vectors of documents whose searchable text is stored already.

    Parameters
    ----------
    rows
        The row of each document, -1 where it is new.
    """
    positions = np.flatnonzero(rows >= 0)
    same = _same_texts(batch.take(positions), stored, rows[positions])
    kept = positions[same]
    if not len(kept):
        return None
    found, there = stored.vectors(rows[kept])
    values = np.zeros((len(batch), found.shape[1]), np.float32)
    present = np.zeros(len(batch), np.bool_)
    values[kept] = found
    present[kept] = True if there is None else there
    return VectorBatch(values, present)


def _same_texts(batch: DocumentBatch, stored: StoredDocumentsReader, rows: Rows) -> Mask:
    """Return where content and title are equal."""
    same = _equal(batch.content.to_pylist(), stored.texts("content", rows))
    if batch.title is not None:
        same &= _equal(batch.title.to_pylist(), stored.texts("title", rows))
    return same


def _same_vectors(given: VectorBatch, stored: Vectors) -> Mask:
    values, present = stored
    there = np.ones(len(values), np.bool_) if present is None else present
    if given.values.shape[1] != values.shape[1]:  # none of one side has a vector
        return ~given.present & ~there
    same: Mask = (unit_length(given.values) == values).all(axis=1)
    equal: Mask = (same | ~given.present) & (given.present == there)
    return equal


def _ticks(ticks: Rows, present: Mask) -> Iterator[int | None]:
    for tick, there in zip(ticks.tolist(), present.tolist(), strict=True):
        yield tick if there else None


def _equal(first: list[Any], second: Iterable[Any]) -> Mask:
    pairs = zip(first, second, strict=True)
    return np.fromiter((one == other for one, other in pairs), np.bool_, len(first))
