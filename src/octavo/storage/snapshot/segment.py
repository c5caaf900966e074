"""One open segment: its columns, ids and vectors, memory-mapped."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.columns.documents import DocumentColumns
from octavo.columns.id_index import IdIndex
from octavo.columns.vector_codes import BOUND_VALUES, VectorCodes, code_width
from octavo.engines.keyword.block_max.files import DESCRIPTION, BlockMaxPostings, open_postings
from octavo.errors import CorpusCorruptError, is_exhausted
from octavo.storage.format import layout
from octavo.storage.format.durable import checksum
from octavo.storage.format.files import check_sizes
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.format.structure_file import StructureFile, open_structure
from octavo.storage.snapshot.live_rows import read_live


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The parts of a segment that are shared by all searches.

    Every file is held open, so that a reader keeps what it opened when a writer replaces it.
    """

    directory: Path
    entry: SegmentEntry
    columns: DocumentColumns
    ids: IdIndex
    vectors: NDArray[np.float32] | None
    """Shape ``(rows, dimensions)``, memory-mapped; ``None`` where the index has no vectors."""
    vector_present: NDArray[np.bool_] | None
    """Where a row has a vector; ``None`` means everywhere."""
    vector_codes: VectorCodes | None
    """The 8-bit codes of the vectors, memory-mapped; ``None`` where there are none."""
    block_max: BlockMaxPostings | None
    """``None`` where the segment was built without them."""
    structure: StructureFile | None = None
    """What searches the vectors without comparing all; ``None`` where they are scanned."""
    live: NDArray[np.bool_] | None = None
    """Which rows are not deleted, read-only; ``None`` where all are live."""
    only_parents: NDArray[np.bool_] | None = None
    """Which rows are parents and nothing else; ``None`` where there is none."""
    graph_nodes: NDArray[np.int32] | None = None
    """The node of each row in the graph of the index, -1 for none; ``None`` without a graph."""

    @property
    def rows(self) -> int:
        """The number of rows, live or not."""
        return self.entry.rows

    def with_live(self, entry: SegmentEntry, live: NDArray[np.bool_] | None) -> "Segment":
        """Return the same open files with other live rows."""
        return replace(self, entry=entry, live=live, ids=self.ids.with_live(live))

    def keyword_directories(self) -> list[Path]:
        """Return the directories of its postings, in row order."""
        return [self.directory / name for name in self.entry.keyword]

    def champion_files(self) -> list[Path]:
        """Return the file of champion lists, if there is one, having checked every byte of it.

        Damage there would change results without an error.
        """
        if layout.CHAMPIONS not in self.entry.files:
            return []
        return [whole_file(self.directory, self.entry, layout.CHAMPIONS)]


def open_columns(directory: Path, rows: int) -> DocumentColumns:
    """Open the documents of a segment directory, which must be ``rows`` many."""
    return DocumentColumns(
        directory / layout.DOCUMENTS, directory / layout.DICTIONARIES, expected_rows=rows
    )


def open_segment(index: Path, entry: SegmentEntry, dimensions: int | None) -> Segment:
    """Open a segment; reads footers and dictionaries, no column.

    Parameters
    ----------
    index
        The directory of the index.
    entry
        What the manifest says of the segment.
    dimensions
        The dimensions of its vectors; ``None`` where the index has none.

    Raises
    ------
    CorpusCorruptError
        A file is missing, or does not hold what the manifest promises.
    """
    directory = layout.segment_directory(index, entry.name)
    columns = open_columns(directory, entry.rows)
    live = open_live(directory, entry)
    ids = IdIndex(
        directory / layout.ID_HASHES,
        directory / layout.ID_ROWS,
        partial(columns.texts, "id"),
        expected_rows=entry.rows,
        live=live,
    )
    vectors = None if dimensions is None else open_vectors(directory, entry, dimensions)
    codes = None if dimensions is None else _open_codes(directory, entry, dimensions)
    present = open_mask(directory, entry, layout.VECTOR_PRESENT)
    block_max = _open_block_max(directory, entry)
    structure = None if vectors is None else open_structure(directory, entry)
    only_parents = open_mask(directory, entry, layout.ONLY_PARENTS)
    graph_nodes = open_graph_nodes(directory, entry)
    return Segment(
        directory,
        entry,
        columns,
        ids,
        vectors,
        present,
        codes,
        block_max,
        structure,
        live,
        only_parents,
        graph_nodes,
    )


def reopen_live(index: Path, segment: Segment, entry: SegmentEntry) -> Segment:
    """Return an open segment with the live rows of a later entry.

    Raises
    ------
    CorpusCorruptError
        Their file is missing or damaged.
    """
    if entry.live is not None and entry.live.file in entry.files:
        only = {entry.live.file: entry.files[entry.live.file]}
        check_sizes(index, segment.directory, only)
    return segment.with_live(entry, open_live(segment.directory, entry))


def open_vectors(directory: Path, entry: SegmentEntry, dimensions: int) -> NDArray[np.float32]:
    """Map the vectors of a segment."""
    if layout.VECTORS not in entry.files:  # no rows, so no vectors were written
        return np.zeros((0, dimensions), np.float32)
    shape = (entry.rows, dimensions)
    return open_array(directory / layout.VECTORS, np.float32, shape)


def _open_block_max(directory: Path, entry: SegmentEntry) -> BlockMaxPostings | None:
    if f"{layout.BLOCK_MAX}/{DESCRIPTION}" not in entry.files:
        return None
    return open_postings(directory / layout.BLOCK_MAX, entry.rows)


def open_mask(directory: Path, entry: SegmentEntry, name: str) -> NDArray[np.bool_] | None:
    """Map a file of one boolean a row; ``None`` where the segment does not have it."""
    if name not in entry.files:
        return None
    return open_array(directory / name, np.bool_, (entry.rows,))


def open_graph_nodes(directory: Path, entry: SegmentEntry) -> NDArray[np.int32] | None:
    """Map the node of each row; ``None`` where the index has no graph."""
    if layout.GRAPH_NODES not in entry.files:
        return None
    return open_array(directory / layout.GRAPH_NODES, np.int32, (entry.rows,))


def _open_codes(directory: Path, entry: SegmentEntry, dimensions: int) -> VectorCodes | None:
    if not {layout.VECTOR_CODES, layout.VECTOR_BOUNDS} <= entry.files.keys():
        return None
    shapes = (entry.rows, code_width(dimensions)), (entry.rows, BOUND_VALUES)
    return VectorCodes(
        open_array(directory / layout.VECTOR_CODES, np.uint8, shapes[0]),
        open_array(directory / layout.VECTOR_BOUNDS, np.float32, shapes[1]),
    )


def open_live(directory: Path, entry: SegmentEntry) -> NDArray[np.bool_] | None:
    """Read which rows are live, having checked every byte; ``None`` where all are.

    Raises
    ------
    CorpusCorruptError
        The file is missing or damaged: a changed bit would bring a deleted document back.
    """
    if entry.live is None:
        return None
    return read_live(whole_file(directory, entry, entry.live.file), entry.rows, entry.live.rows)


def whole_file(directory: Path, entry: SegmentEntry, name: str) -> Path:
    """Return the path of a file, if its bytes are those that the manifest states.

    Raises
    ------
    CorpusCorruptError
        They are not, or the file is missing.
    """
    path, stated = directory / name, entry.files.get(name)
    if stated is None:
        raise CorpusCorruptError(f"{path}: the manifest needs this file and does not name it")
    try:
        found = checksum(path)
    except OSError as error:
        if is_exhausted(error):
            raise
        raise CorpusCorruptError(f"{path}: the file cannot be read: {error}") from error
    if found != stated.crc32:
        raise CorpusCorruptError(f"{path}: expected CRC-32 {stated.crc32}, found {found}")
    return path
