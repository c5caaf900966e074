"""The segment that a transaction writes: grows with each operation, and can be read meanwhile."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.columns.documents_file import METADATA_PREFIX
from octavo.columns.filters import ENTRY_ID
from octavo.columns.id_index import id_hashes
from octavo.storage.build.columns_stage import ColumnsWriter, PreparedBatch
from octavo.storage.build.segment_build import discard, finish_segment
from octavo.storage.format import layout
from octavo.storage.format.manifest import FileEntry, SegmentEntry
from octavo.storage.snapshot.row_columns import StoredBatch, taken
from octavo.storage.snapshot.segment import Segment, open_segment
from octavo.storage.snapshot.segment_settings import SegmentSettings
from octavo.storage.snapshot.vector_stage import Mask, Vectors
from octavo.storage.writer.pending_ids import PendingIds, first_matches

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
        return first_matches(positions, rows, self._texts_of_ids(rows), identifiers)

    def batches(self) -> list[StoredBatch]:
        """Return the documents written so far."""
        documents = self._columns.documents
        return [
            StoredBatch(batch, documents.dictionary, checked=True) for batch in documents.stored()
        ]

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

    def opened(self, index: Path, live: Mask, dimensions: int | None) -> Segment:
        """Return what was written as a segment without postings, of which ``live`` rows are live.

        It is merged with others; nothing is flushed.
        """
        written = self._columns.close(live)
        written.ids.write(self.directory / layout.ID_HASHES, self.directory / layout.ID_ROWS)
        files = sorted(path for path in self.directory.iterdir() if path.is_file())
        entry = SegmentEntry(
            name=self.directory.name,
            rows=written.rows,
            null_vectors=written.null_vectors,
            empty_texts=written.empty_texts,
            keyword=(),
            files={path.name: FileEntry.of(path) for path in files},
        )
        return open_segment(index, entry, dimensions).with_live(entry, live)

    def close(self) -> None:
        """Close the files, whether they are finished or of no use."""
        self._columns.abort()

    def _with_id(self, identifier: str) -> Mask:
        mask = np.zeros(self.rows, np.bool_)
        _, rows = self._ids.candidates(id_hashes([identifier]))
        same = [found == identifier for found in self._texts_of_ids(rows)]
        mask[rows[np.array(same, np.bool_)]] = True
        return mask

    def _texts_of_ids(self, rows: Rows) -> list[str]:
        if not len(rows):
            return []
        texts: list[Any] = taken(self.batches(), "id", rows).to_pylist()
        return texts
