"""A batch of documents: input columns checked and brought to one type each."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, compute
from octavo.columns.metadata import canonical_text
from octavo.columns.place import Place
from octavo.columns.schema import ColumnChoice
from octavo.columns.sources import InputBatch
from octavo.columns.text import as_ids, as_text, blank_rows
from octavo.columns.timestamps import as_timestamps
from octavo.columns.vectors import VectorBatch, as_vectors
from octavo.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, eq=False)
class DocumentBatch:
    """Documents as validated columns of equal length.

    Parameters
    ----------
    ids
        large_string, never null or blank. Repeats are found later, over all batches.
    content
        large_string, never null; empty is legal (S16).
    title, source, parent
        large_string with nulls, or ``None`` where no column was chosen.
    timestamp
        timestamp[us, UTC] with nulls, or ``None``.
    metadata
        Canonical text by key (S11), large_string; null is a missing key.
    vectors
        Vectors as they came, or ``None``.
    only_parents
        Whether the documents are parents and nothing else: results can climb to them, but no
        search finds them by their words or vectors.
    """

    ids: pa.LargeStringArray
    content: pa.LargeStringArray
    title: pa.LargeStringArray | None = None
    source: pa.LargeStringArray | None = None
    timestamp: Array | None = None
    parent: pa.LargeStringArray | None = None
    metadata: dict[str, pa.LargeStringArray] = field(default_factory=dict)
    vectors: VectorBatch | None = None
    only_parents: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, positions: NDArray[np.int64]) -> "DocumentBatch":
        """Return the documents at some positions."""
        wanted = pa.array(positions)

        def taken(column: Any) -> Any:  # noqa: ANN401 - any column, or none
            return None if column is None else column.take(wanted)

        return replace(
            self,
            ids=taken(self.ids),
            content=taken(self.content),
            title=taken(self.title),
            source=taken(self.source),
            timestamp=taken(self.timestamp),
            parent=taken(self.parent),
            metadata={key: taken(values) for key, values in self.metadata.items()},
            vectors=None if self.vectors is None else self.vectors.take(positions),
        )


def normalise(
    input_batch: InputBatch, choice: ColumnChoice, expected_dimensions: int | None = None
) -> DocumentBatch:
    """Check the chosen columns of an input batch and bring each to its type.

    A chosen column other than the id that this input does not have is all null there (inputs may
    differ in schema). Null text is empty; an empty parent is no parent.

    Raises
    ------
    InvalidArgumentError
        A null or blank id, a column of a wrong type, invalid UTF-8, an invalid timestamp, ragged
        vectors. The message names origin, column and the first rows.
    DimensionMismatchError, NonFiniteVectorError
        See :func:`octavo.columns.vectors.as_vectors`.
    """

    def place(name: str) -> Place:
        return Place(name, input_batch.origin, input_batch.first_row)

    def column(name: str) -> Array:
        batch = input_batch.batch
        position = batch.schema.get_field_index(name)
        return pa.nulls(batch.num_rows) if position < 0 else batch.column(position)

    def optional_text(name: str | None) -> pa.LargeStringArray | None:
        return None if name is None else as_text(column(name), place(name))

    content = compute.fill_null(as_text(column(choice.text), place(choice.text)), "")
    timestamp = parent = vectors = None
    if choice.timestamp is not None:
        timestamp = as_timestamps(
            column(choice.timestamp), place(choice.timestamp), choice.timestamp_zone
        )
    if choice.parent is not None:
        parent = _empty_to_null(as_ids(column(choice.parent), place(choice.parent)))
    if choice.embedding is not None:
        vectors = as_vectors(column(choice.embedding), place(choice.embedding), expected_dimensions)
    return DocumentBatch(
        ids=_checked_ids(input_batch, choice.id, place(choice.id)),
        content=content,
        title=optional_text(choice.title),
        source=optional_text(choice.source),
        timestamp=timestamp,
        parent=parent,
        metadata={name: canonical_text(column(name), place(name)) for name in choice.metadata},
        vectors=vectors,
    )


def searchable_text(batch: DocumentBatch) -> pa.LargeStringArray:
    r"""Return what is indexed and embedded: title, newline, content (S16).

    An absent (null or empty) title or content leaves the other alone. Documents that are only
    parents have no searchable text.

    Examples
    --------
    >>> text = pa.array(["body", ""], pa.large_string())
    >>> title = pa.array(["head", "head"], pa.large_string())
    >>> searchable_text(DocumentBatch(ids=text, content=text, title=title)).to_pylist()
    ['head\nbody', 'head']
    """
    if batch.only_parents:
        empty: pa.LargeStringArray = pa.repeat(pa.scalar("", pa.large_string()), len(batch))
        return empty
    if batch.title is None:
        return batch.content
    newline = pa.scalar("\n", pa.large_string())
    joined = compute.binary_join_element_wise(_empty_to_null(batch.title), batch.content, newline)
    title_alone = compute.and_(compute.is_valid(joined), compute.equal(batch.content, ""))
    text: pa.LargeStringArray = compute.coalesce(
        compute.if_else(title_alone, batch.title, joined), batch.content
    )
    return text


def _checked_ids(input_batch: InputBatch, name: str, place: Place) -> pa.LargeStringArray:
    batch = input_batch.batch
    position = batch.schema.get_field_index(name)
    if position < 0:
        raise InvalidArgumentError(
            f"{input_batch.origin}: no column {name!r} for the ids; "
            f"the columns are {', '.join(repr(other) for other in batch.schema.names)}"
        )
    ids = as_ids(batch.column(position), place)
    if ids.null_count:
        rows = place.rows(compute.indices_nonzero(ids.is_null()).to_numpy())
        raise InvalidArgumentError(f"{place}: expected an id in every row, found null in {rows}")
    blank = blank_rows(ids)
    if len(blank):
        rows = place.rows(blank)
        raise InvalidArgumentError(f"{place}: expected non-blank ids, found blank in {rows}")
    return ids


def _empty_to_null(text: pa.LargeStringArray) -> pa.LargeStringArray:
    nothing = pa.scalar(None, pa.large_string())
    kept: pa.LargeStringArray = compute.if_else(compute.equal(text, ""), nothing, text)
    return kept
