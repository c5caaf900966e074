"""Documents behind rows, over all segments of a snapshot."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo.columns.arrow_types import Array, ChunkedArray
from octavo.columns.documents import DocumentColumns
from octavo.columns.filters import FilterIndex
from octavo.columns.id_index import id_hashes
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.errors import CorpusCorruptError
from octavo.storage.snapshot.segment import Segment
from octavo.storage.snapshot.vector_stage import Vectors

Value = TypeVar("Value")


class StoredDocuments:
    """Reads and selects documents by row, where rows count through all segments in order.

    Parameters
    ----------
    segments
        The open segments, in row order.

    Attributes
    ----------
    live
        One boolean for each row of all segments, read-only; ``None`` where all rows are live.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._starts = np.cumsum([0, *(segment.rows for segment in segments)])
        self.live = _live(segments)
        columns = [segment.columns for segment in segments]
        # Not a method of this object: a cycle would hold the files of a left state open until the
        # garbage collector comes, and a service that refreshes would run out of descriptors.
        rows_of_id = partial(_rows_of_id, segments, self._starts)
        self._filters = FilterIndex(columns, rows_of_id, live=self.live)

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the live rows that match every filter (S7)."""
        return self._filters.selection(filters)

    def rows_of(
        self, identifiers: Sequence[str], hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        """Return the live row of each id, -1 where there is none; ``hashes`` are those of the ids."""
        return _rows_of(self._segments, self._starts, identifiers, hashes)

    def fence(self, allowed_sources: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which live rows come from an allowed source; ``None`` where no source is named.

        Linear in the rows; a document without a source is its own.
        """
        if not allowed_sources:
            return None
        allowed = pa.array(sorted(allowed_sources), pa.large_string())
        pieces = [_inside(segment.columns, allowed) for segment in self._segments]
        inside = np.concatenate([np.zeros(0, np.bool_), *pieces])
        return inside if self.live is None else inside & self.live

    def timestamps(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        if len(self._segments) == 1:
            return self._segments[0].columns.timestamps(rows)
        ticks = np.zeros(len(rows), np.int64)
        present = np.zeros(len(rows), np.bool_)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(owners).tolist():
            here = owners == number
            local = rows[here] - self._starts[number]
            ticks[here], present[here] = self._segments[number].columns.timestamps(local)
        return ticks, present

    @property
    def has_timestamps(self) -> bool:
        """Whether any document can have a timestamp."""
        return any(segment.columns.has_timestamps for segment in self._segments)

    def vectors(self, rows: NDArray[np.int64], dimensions: int) -> Vectors:
        """Return the vectors of ``rows``, zeros where there is none, and where there is one."""
        values = np.zeros((len(rows), dimensions), np.float32)
        present = np.zeros(len(rows), np.bool_)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(owners).tolist():
            here = owners == number
            segment, local = self._segments[number], rows[here] - self._starts[number]
            if segment.vectors is None or not len(segment.vectors):
                continue
            values[here] = segment.vectors[local]
            mask = segment.vector_present
            present[here] = True if mask is None else mask[local]
        return values, present

    def only_parents(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of ``rows`` are parents and nothing else."""
        found = np.zeros(len(rows), np.bool_)
        if all(segment.only_parents is None for segment in self._segments):
            return found
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(owners).tolist():
            marks, here = self._segments[number].only_parents, owners == number
            if marks is not None:
                found[here] = marks[rows[here] - self._starts[number]]
        return found

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        return self._gather(rows, _read_ids)

    def texts(self, column: str, rows: NDArray[np.int64]) -> list[str | None]:
        """Return the values of a text column at ``rows``; ``None`` where there is none."""
        return self._gather(rows, lambda segment, local: segment.columns.texts(column, local))

    def metadata(self, key: str, rows: NDArray[np.int64]) -> list[str | None]:
        """Return the values of a metadata key at ``rows``; ``None`` where there is none."""
        return self._gather(rows, lambda segment, local: segment.columns.metadata(key, local))

    def text_column(self, name: str) -> ChunkedArray | None:
        """Return a whole text column, not copied, deleted rows included; ``None`` if no segment has it.

        Raises
        ------
        CorpusCorruptError
            The stored values are damaged.
        """
        if not any(name in segment.columns.names for segment in self._segments):
            return None
        chunks = [chunk for segment in self._segments for chunk in _checked_chunks(segment, name)]
        return pa.chunked_array(chunks, pa.large_string())

    def read(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``; a document without a source is its own source."""
        return self._gather(rows, lambda segment, local: segment.columns.read(local))

    def _gather(
        self, rows: NDArray[np.int64], read: Callable[[Segment, list[int]], list[Value]]
    ) -> list[Value]:
        if len(self._segments) == 1:
            return read(self._segments[0], rows.tolist())
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        gathered: dict[int, Value] = {}
        for number in np.unique(owners).tolist():
            places = np.flatnonzero(owners == number)
            local = (rows[places] - self._starts[number]).tolist()
            gathered.update(zip(places.tolist(), read(self._segments[number], local), strict=True))
        return [gathered[place] for place in range(len(rows))]


def _live(segments: Sequence[Segment]) -> NDArray[np.bool_] | None:
    if all(segment.live is None for segment in segments):
        return None
    live = np.concatenate(
        [np.ones(s.rows, np.bool_) if s.live is None else s.live for s in segments]
    )
    live.flags.writeable = False  # shared by every search
    return live


def _inside(columns: DocumentColumns, allowed: pa.LargeStringArray) -> NDArray[np.bool_]:
    ids = columns.column("id")
    sources = columns.column("source") if "source" in columns.names else None
    named = ids if sources is None else pc.coalesce(sources, ids)
    inside: NDArray[np.bool_] = pc.is_in(named, value_set=allowed).to_numpy()
    return inside


def _checked_chunks(segment: Segment, name: str) -> list[Array]:
    if name not in segment.columns.names:
        return [pa.nulls(segment.rows, pa.large_string())]
    column = segment.columns.column(name)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise CorpusCorruptError(f"{segment.directory}: column {name!r}: {error}") from error
    return list(column.chunks)


def _read_ids(segment: Segment, rows: list[int]) -> list[str]:
    return [identifier or "" for identifier in segment.columns.texts("id", rows)]


def _rows_of(
    segments: Sequence[Segment],
    starts: NDArray[np.int64],
    identifiers: Sequence[str],
    hashes: NDArray[np.uint64] | None,
) -> NDArray[np.int64]:
    found = np.full(len(identifiers), -1, np.int64)
    if hashes is None:
        hashes = id_hashes(identifiers)
    for segment, start in zip(segments, starts, strict=False):
        local = segment.ids.rows(identifiers, hashes)
        found = np.where(local >= 0, local + start, found)
    return found


def _rows_of_id(
    segments: Sequence[Segment], starts: NDArray[np.int64], identifier: str
) -> list[int]:
    return [row for row in _rows_of(segments, starts, [identifier], None).tolist() if row >= 0]
