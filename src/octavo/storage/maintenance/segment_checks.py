"""Checks of the parts of one segment against each other, each by itself.

Every function raises :class:`CorpusCorruptError` where something is wrong. All of them work in
bounded memory, besides a few bytes a row.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.columns.array_file import open_array
from octavo.columns.documents import DocumentColumns
from octavo.columns.documents_file import METADATA_PREFIX
from octavo.columns.graph_columns import GraphColumns
from octavo.columns.vector_codes import BOUND_VALUES, code_width
from octavo.errors import CorpusCorruptError
from octavo.kernels.fnv import hash_texts
from octavo.kernels.vector_codes import encode_vectors
from octavo.storage.format import layout
from octavo.storage.format.graph_files import nodes_of_rows
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.format.structure_file import HeldFile, open_structure_file
from octavo.storage.snapshot.segment import open_graph_nodes, open_mask, open_vectors

_ROWS_AT_ONCE = 8_192
_LENGTH_TOLERANCE = 1e-3
"""How far a squared length, summed in float32, may be from 1."""


def check_columns(columns: DocumentColumns, path: Path) -> None:
    """Check every value of the documents: valid text, no missing id or content, known codes."""
    for number, batch in enumerate(columns.batches()):
        try:
            batch.validate(full=True)
        except pa.ArrowException as error:
            raise CorpusCorruptError(f"{path}: batch {number}: {error}") from error
        for name in ("id", "content"):
            if batch.column(name).null_count:
                raise CorpusCorruptError(f"{path}: batch {number}: {name} is null")
    for key in columns.keys:
        values = len(columns.dictionary(key))
        nulls = [batch.column(METADATA_PREFIX + key).is_null() for batch in columns.batches()]
        for codes, null in zip(columns.codes(key), nulls, strict=True):
            missing = null.to_numpy(zero_copy_only=False)
            if len(codes) and (int(codes.min()) < -1 or int(codes.max()) >= values):
                raise CorpusCorruptError(f"{path}: {key!r}: expected codes below {values}")
            if not np.array_equal(codes < 0, missing):
                raise CorpusCorruptError(f"{path}: {key!r}: codes and nulls disagree")


def check_ids(directory: Path, columns: DocumentColumns) -> NDArray[np.uint64]:
    """Check that each row's id is found at the row; return the hash of each row's id."""
    rows = open_array(directory / layout.ID_ROWS, np.int64, (columns.rows,))
    hashes = open_array(directory / layout.ID_HASHES, np.uint64, (columns.rows,))
    seen = np.zeros(columns.rows, np.bool_)
    within = bool(((rows >= 0) & (rows < columns.rows)).all())
    if within:
        seen[rows] = True
    if not within or not seen.all():
        raise CorpusCorruptError(f"{directory / layout.ID_ROWS}: expected every row once")
    if bool((hashes[1:] < hashes[:-1]).any()):
        raise CorpusCorruptError(f"{directory / layout.ID_HASHES}: hashes are out of order")
    ids = cast("list[pa.LargeStringArray]", columns.column("id").chunks)
    pieces = [hash_texts(chunk) for chunk in ids]
    own: NDArray[np.uint64] = np.concatenate([np.zeros(0, np.uint64), *pieces])
    if not np.array_equal(own[rows], hashes):
        raise CorpusCorruptError(
            f"{directory / layout.ID_HASHES}: a hash is not that of the id at its row"
        )
    return own


def check_vectors(directory: Path, entry: SegmentEntry, dimensions: int) -> None:
    """Check that every vector has unit length, or is zero: always where there is none."""
    path = directory / layout.VECTORS
    vectors = open_vectors(directory, entry, dimensions)
    present = open_mask(directory, entry, layout.VECTOR_PRESENT)
    if len(vectors) != entry.rows:
        raise CorpusCorruptError(f"{path}: expected vectors of {entry.rows} rows, found none")
    for rows in _blocks(entry.rows):
        block = vectors[rows]
        odd = ~(np.abs(np.einsum("ij,ij->i", block, block) - 1.0) < _LENGTH_TOLERANCE)
        if odd.any() and block[odd].any():
            raise CorpusCorruptError(f"{path}: expected vectors of unit length")
        if present is not None and not odd[~present[rows]].all():
            raise CorpusCorruptError(
                f"{path}: expected zeros where {layout.VECTOR_PRESENT} says that there is no vector"
            )


def check_codes(directory: Path, entry: SegmentEntry, dimensions: int) -> None:
    """Check that the 8-bit codes are those of the vectors."""
    vectors = open_vectors(directory, entry, dimensions)
    width = code_width(dimensions)
    codes = open_array(directory / layout.VECTOR_CODES, np.uint8, (entry.rows, width))
    bounds = open_array(directory / layout.VECTOR_BOUNDS, np.float32, (entry.rows, BOUND_VALUES))
    for rows in _blocks(entry.rows):
        expected = encode_vectors(vectors[rows], width)
        for name, found, wanted in (
            (layout.VECTOR_CODES, codes[rows], expected[0]),
            (layout.VECTOR_BOUNDS, bounds[rows], expected[1]),
        ):
            if not np.array_equal(found, wanted):
                raise CorpusCorruptError(
                    f"{directory / name}: expected what {layout.VECTORS} gives in rows "
                    f"{rows.start} to {rows.stop - 1}"
                )


def check_lists(directory: Path, entry: SegmentEntry, dimensions: int) -> None:
    """Check that the inverted lists hold each row with a vector once, where its row says."""
    from octavo.engines.vector.inverted_lists import open_lists  # noqa: PLC0415 - heavy

    path = directory / layout.VECTOR_LISTS
    list_of_row = open_array(directory / layout.LIST_OF_ROW, np.int32, (entry.rows,))
    file = HeldFile(path)
    lists = open_lists(file.descriptor, path, list_of_row, dimensions)
    present = open_mask(directory, entry, layout.VECTOR_PRESENT)
    path = directory / layout.LIST_OF_ROW
    inside = list_of_row >= 0
    expected = np.ones(entry.rows, np.bool_) if present is None else np.asarray(present)
    if not np.array_equal(inside, expected):
        raise CorpusCorruptError(f"{path}: expected a list for each row with a vector, and only it")
    count = lists.largest_effort
    if len(list_of_row) and int(list_of_row.max()) >= count:
        raise CorpusCorruptError(f"{path}: expected lists below {count}")
    sizes = np.bincount(list_of_row[inside], minlength=count)
    if not np.array_equal(sizes, lists.sizes):
        raise CorpusCorruptError(
            f"{directory / layout.VECTOR_LISTS}: expected lists of other sizes"
        )


def check_graph_nodes(
    directory: Path, entry: SegmentEntry, columns: DocumentColumns, graph: GraphColumns
) -> None:
    """Check that the node of each row is that of its id."""
    nodes = open_graph_nodes(directory, entry)
    path = directory / layout.GRAPH_NODES
    if nodes is None:
        raise CorpusCorruptError(f"{path}: the manifest does not name this file")
    if not np.array_equal(nodes, nodes_of_rows(columns, graph)):
        raise CorpusCorruptError(f"{path}: a node is not that of the id at its row")


def check_vector_graph(directory: Path, entry: SegmentEntry, dimensions: int) -> None:
    """Check that the graph is one of so many vectors."""
    from octavo.storage.snapshot.structures import load_nominator  # noqa: PLC0415 - heavy

    file = open_structure_file(directory, entry, layout.VECTOR_GRAPH)
    load_nominator(file, open_vectors(directory, entry, dimensions))


def _blocks(rows: int) -> Iterator[slice]:
    starts = range(0, rows, _ROWS_AT_ONCE)
    return (slice(start, min(start + _ROWS_AT_ONCE, rows)) for start in starts)
