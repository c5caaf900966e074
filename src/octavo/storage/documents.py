"""Documents behind rows, over all segments of a snapshot."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.columns.filters import ENTRY_ID, FilterIndex
from octavo.columns.selection import Selection
from octavo.columns.stored_document import StoredDocument
from octavo.storage.segment import Segment

Value = TypeVar("Value")


class StoredDocuments:
    """Reads and selects documents by row, where rows count through all segments in order.

    Parameters
    ----------
    segments
        The open segments, in row order.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._starts = np.cumsum([0, *(segment.rows for segment in segments)])
        self._filters = FilterIndex([segment.columns for segment in segments], self.rows_of_id)

    def select(self, filters: Mapping[str, str]) -> Selection:
        """Return the rows that match every filter (S7)."""
        return self._filters.selection(filters)

    def rows_of_id(self, identifier: str) -> list[int]:
        """Return the row of an id; empty where there is none."""
        return [
            int(start) + row
            for segment, start in zip(self._segments, self._starts, strict=False)
            if (row := segment.ids.row(identifier)) is not None
        ]

    def ids(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the ids of ``rows``."""
        return self._gather(rows, _read_ids)

    def read(self, rows: NDArray[np.int64]) -> list[StoredDocument]:
        """Return the documents of ``rows``; a document without a source is its own source."""
        return self._gather(rows, _read)

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


def _read_ids(segment: Segment, rows: list[int]) -> list[str]:
    return [identifier or "" for identifier in segment.columns.texts("id", rows)]


def _read(segment: Segment, rows: list[int]) -> list[StoredDocument]:
    columns = segment.columns
    ids = columns.texts("id", rows)
    contents = columns.texts("content", rows)
    sources = columns.texts("source", rows)
    titles = columns.texts("title", rows)
    metadata: list[dict[str, str]] = [{ENTRY_ID: identifier or ""} for identifier in ids]
    for key in columns.keys:
        for entry, value in zip(metadata, columns.metadata(key, rows), strict=True):
            if value is not None:
                entry[key] = value
    return [
        StoredDocument(identifier or "", content or "", source or identifier or "", entry, title)
        for identifier, content, source, entry, title in zip(
            ids, contents, sources, metadata, titles, strict=True
        )
    ]
