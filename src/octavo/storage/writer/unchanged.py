"""What an upsert need not do: documents that are stored as they are, and texts that are embedded."""

from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, compute
from octavo.columns.document_batch import DocumentBatch
from octavo.columns.documents_file import METADATA_PREFIX
from octavo.columns.vectors import VectorBatch
from octavo.kernels.unit_length import unit_length
from octavo.storage.snapshot.vector_stage import Mask, Vectors

Rows = NDArray[np.int64]


class StoredDocumentsReader(Protocol):
    """Documents by row."""

    def column(self, name: str, rows: Rows) -> Array:
        """Return the values of a stored column at ``rows``; metadata as text."""
        ...

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of ``rows``, and where there is one."""
        ...


def unchanged(batch: DocumentBatch, stored: StoredDocumentsReader, rows: Rows) -> Mask:
    """Return which documents equal the stored ones at ``rows`` in every column.

    Vectors that came with the documents count; those that are made of texts need not be looked at.
    """
    same = _same_texts(batch, stored, rows)
    for name in ("source", "parent", "timestamp"):
        column = getattr(batch, name)
        if column is not None:
            same &= _equal(column, stored.column(name, rows))
    for key, values in batch.metadata.items():
        same &= _equal(values, stored.column(METADATA_PREFIX + key, rows))
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
    same = _equal(batch.content, stored.column("content", rows))
    if batch.title is not None:
        same &= _equal(batch.title, stored.column("title", rows))
    return same


def _same_vectors(given: VectorBatch, stored: Vectors) -> Mask:
    values, present = stored
    there = np.ones(len(values), np.bool_) if present is None else present
    if given.values.shape[1] != values.shape[1]:  # none of one side has a vector
        return ~given.present & ~there
    same: Mask = (unit_length(given.values) == values).all(axis=1)
    equal: Mask = (same | ~given.present) & (given.present == there)
    return equal


def _equal(given: Array, stored: Array) -> Mask:
    """Return where two arrays have the same value, or both none."""
    if stored.type != given.type:  # the stored column is missing, so all are null
        stored = stored.cast(given.type)
    equal = compute.fill_null(compute.equal(given, stored), pa.scalar(value=False))
    nulls = compute.and_(given.is_null(), stored.is_null())
    same: Mask = compute.or_(equal, nulls).to_numpy(zero_copy_only=False)
    return same
