"""The segment that a transaction writes: grows with each operation, and can be read meanwhile."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.buffers import RowPlaces
from octavo.columns.documents_file import METADATA_PREFIX
from octavo.columns.filters import ENTRY_ID
from octavo.columns.id_index import id_hashes
from octavo.storage import layout
from octavo.storage.columns_stage import ColumnsWriter, PreparedBatch
from octavo.storage.manifest import SegmentEntry
from octavo.storage.pending_ids import PendingIds, first_matches
from octavo.storage.segment_build import discard, finish_segment
from octavo.storage.segment_settings import SegmentSettings
from octavo.storage.vector_stage import Mask, Vectors

Rows = NDArray[np.int64]


class PendingSegment:
    """Documents on their way into a new segment.

    An id may be that of several rows, of which at most one is live; which rows are, the caller
    knows. Memory: some 30 bytes a row, and what is not written yet.

    Parameters
    ----------
    directory
        A directory that does not exist yet; its name is the segment's.
    settings
        How the segment is built.
    """

    def __init__(self, directory: Path, settings: SegmentSettings) -> None:
        self.directory = directory
        self._settings = settings
        self._ids = PendingIds()
        directory.mkdir(parents=True)
        try:
            self._columns = ColumnsWriter(directory, directory / layout.ANALYZED_SCRATCH, settings)
        except BaseException:
            discard(directory)
            raise

    @property
    def rows(self) -> int:
        """The number of rows, live or not."""
        return self._columns.rows

    @property
    def dimensions(self) -> int | None:
        """Of its vectors; ``None`` while there is none."""
        return self._columns.vectors.dimensions

    def write(self, prepared: PreparedBatch, hashes: NDArray[np.uint64]) -> None:
        """Append documents, given the hashes of their ids."""
        first_row = self.rows
        self._columns.write(prepared)
        self._ids.add(hashes, first_row)

    def rows_of(self, identifiers: Sequence[str], hashes: NDArray[np.uint64], live: Mask) -> Rows:
        """Return the live row of each id, -1 where there is none."""
        positions, rows = self._ids.candidates(hashes)
        alive = live[rows]
        positions, rows = positions[alive], rows[alive]
        return first_matches(positions, rows, self.texts("id", rows), identifiers)

    def texts(self, column: str, rows: Rows) -> list[str | None]:
        """Return the values of a text column at ``rows``."""
        return self._read(column, rows)

    def metadata(self, key: str, rows: Rows) -> list[str | None]:
        """Return the values of a metadata key at ``rows``; ``None`` where there is none."""
        codes = pa.array(self._read(METADATA_PREFIX + key, rows), pa.int32())
        values: list[str | None] = self._columns.documents.dictionary(key).take(codes).to_pylist()
        return values

    def timestamps(self, rows: Rows) -> tuple[Rows, Mask]:
        """Return microseconds since 1970 UTC at ``rows``, and where there is a timestamp."""
        ticks = self._read("timestamp", rows)
        present = np.array([tick is not None for tick in ticks], np.bool_)
        return np.array([tick or 0 for tick in ticks], np.int64), present

    def vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of ``rows``, and where there is one."""
        return self._columns.vectors.read(rows), self._columns.vectors.present()[rows]

    def matching(self, filters: Mapping[str, str]) -> Mask:
        """Return which rows match every filter, live or not."""
        matching = np.ones(self.rows, np.bool_)
        for key, value in filters.items():
            if key == ENTRY_ID:
                matching &= self._with_id(value)
                continue
            code = self._columns.documents.code(key, value)
            column = METADATA_PREFIX + key
            batches = self._columns.documents.stored()
            codes = [batch.column(column).fill_null(-1).to_numpy() for batch in batches]
            matching &= (np.concatenate(codes) == code) & (code >= 0)
        return matching

    def finish(self, live: Mask) -> SegmentEntry:
        """Write the postings and flush everything; counts are of live rows."""
        written = self._columns.close(live)
        return finish_segment(
            self.directory, self.directory / layout.ANALYZED_SCRATCH, written, self._settings
        )

    def discard(self) -> None:
        """Remove all of it."""
        self._columns.abort()
        discard(self.directory)

    def _with_id(self, identifier: str) -> Mask:
        mask = np.zeros(self.rows, np.bool_)
        _, rows = self._ids.candidates(id_hashes([identifier]))
        same = [found == identifier for found in self.texts("id", rows)]
        mask[rows[np.array(same, np.bool_)]] = True
        return mask

    def _read(self, column: str, rows: Rows) -> list[Any]:
        batches = self._columns.documents.stored()
        values: list[Any] = [None] * len(rows)
        starts = np.array(RowPlaces([batch.num_rows for batch in batches]).starts)
        owners = np.searchsorted(starts, rows, side="right") - 1
        for number in np.unique(owners).tolist():
            places = np.flatnonzero(owners == number)
            found = batches[number].column(column)
            if pa.types.is_timestamp(found.type):
                found = found.cast(pa.int64())
            taken = found.take(pa.array(rows[places] - starts[number]))
            for place, value in zip(places.tolist(), taken.to_pylist(), strict=True):
                values[place] = value
        return values
