"""Build one immutable segment from a stream of document batches, in two stages.

1. Columns, vectors and analysed text are written as the documents come. The number of rows is
   known at the end, and repeated ids are found.
2. The analysed text is cut into contiguous ranges, and each thread turns one into postings:
   tantivy's, and unless they are not wanted, block-max postings, which answer the same faster.
"""

import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from octavo.columns.array_file import save_array
from octavo.columns.document_batch import DocumentBatch
from octavo.columns.id_index import check_unique
from octavo.parallel import side_by_side
from octavo.storage.build.block_max_stage import write_block_max_postings
from octavo.storage.build.columns_stage import WrittenColumns, write_columns
from octavo.storage.build.postings_stage import write_postings
from octavo.storage.format import layout
from octavo.storage.format.files import sync_and_list
from octavo.storage.format.graph_files import nodes_of_rows
from octavo.storage.format.manifest import SegmentEntry
from octavo.storage.snapshot.segment import open_columns
from octavo.storage.snapshot.segment_settings import SegmentSettings

_SIDE_BY_SIDE = 5_000
"""Rows of a segment that waits for the disk and for threads more than it computes."""


def build_segment(
    directory: Path, batches: Iterable[DocumentBatch], settings: SegmentSettings
) -> tuple[SegmentEntry, int | None]:
    """Write a segment into the new directory ``directory`` and flush it to the disk.

    Parameters
    ----------
    directory
        A directory that does not exist yet; its name is the segment's.
    batches
        The documents, in row order.
    settings
        How to build it.

    Returns
    -------
    SegmentEntry, int or None
        What the manifest says of the segment, and the dimensions of its vectors.

    Raises
    ------
    InvalidArgumentError
        A document is not acceptable: its id is repeated, or its vector ragged or not finite.
    OSError
        The disk is full.
    """
    directory.mkdir(parents=True)
    scratch = directory / layout.ANALYZED_SCRATCH
    written = write_columns(directory, scratch, batches, settings)
    columns = open_columns(directory, written.rows)
    check_unique(written.ids, partial(columns.texts, "id"), settings.describe_row)
    return finish_segment(directory, scratch, written, settings), written.dimensions


def finish_segment(
    directory: Path, scratch: Path, written: WrittenColumns, settings: SegmentSettings
) -> SegmentEntry:
    """Give written columns their id index, nodes and postings, and flush everything to the disk."""
    columns = open_columns(directory, written.rows)
    written.ids.write(directory / layout.ID_HASHES, directory / layout.ID_ROWS)
    if settings.graph is not None:
        save_array(directory / layout.GRAPH_NODES, nodes_of_rows(columns, settings.graph))
    index_words = partial(write_postings, directory, scratch, columns, settings)
    index_words_for_batches = partial(write_block_max_postings, directory, scratch, settings)
    if not settings.block_max:
        keyword = index_words()
    elif written.rows <= _SIDE_BY_SIDE:  # both fit the memory
        keyword, _ = side_by_side(index_words, index_words_for_batches)
    else:
        keyword = index_words()
        index_words_for_batches()
    scratch.unlink()
    return SegmentEntry(
        name=directory.name,
        rows=written.rows,
        null_vectors=written.null_vectors,
        empty_texts=written.empty_texts,
        keyword=keyword,
        files=sync_and_list(directory),
    )


def discard(directory: Path) -> None:
    """Remove a segment that was replaced, or that an unfinished build left."""
    shutil.rmtree(directory, ignore_errors=True)
