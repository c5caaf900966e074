"""Write a range of rows as tantivy segments whose documents are in row order.

tantivy breaks ties by (segment, document), so that order must be the row order. One writer thread
in a directory of its own keeps it; but a heap that overflows makes further segments, which tantivy
lists by size and, from eight on, merges in any order. Hence a range is written in parts that fill
the heap about once, and the order of all rows is checked: segments are listed in row order, and a
part whose segments were merged out of order is written again in halves.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from octavo.engines.keyword.documents import (
    DocumentBlock,
    FilterColumn,
    StringArray,
    document_blocks,
)
from octavo.engines.keyword.schema import META, ROW, keyword_schema
from octavo.errors import InvalidArgumentError

DEFAULT_HEAP_BYTES = 500_000_000
_SMALLEST_HEAP, _LARGEST_HEAP = 30_000_000, 4_000_000_000
"""tantivy takes 15 MB, most of which its hash table fills before the first posting."""
_SMALL_HEAP, _SMALL_TEXT_BYTES = 15_000_000, 100_000
"""Enough for a little text, and sooner made ready."""
_HEAP_PER_TEXT_BYTE = 2
"""Postings under construction take about two bytes a byte of short text (measured)."""
_CHECKED_AT_ONCE = 16_384
_BUILDING = ".building"


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """What one call of :func:`write_segment` left in its directory.

    Parameters
    ----------
    rows
        The number of documents, empty ones included.
    segment_ids
        The tantivy segments in row order; none where there are no rows.
    files
        Every file name in the directory, sorted; the files never change again.
    """

    rows: int
    segment_ids: tuple[str, ...]
    files: tuple[str, ...]


def write_segment(
    directory: Path,
    analyzed: Iterable[StringArray],
    first_row: int = 0,
    filters: Sequence[FilterColumn] = (),
    heap_bytes: int = DEFAULT_HEAP_BYTES,
) -> SegmentInfo:
    """Index consecutive rows into ``directory``.

    Works with one tantivy thread beside the caller's. To build faster call it from several
    threads, each with its own rows and its own directory.

    Parameters
    ----------
    directory
        A directory without keyword files, made if missing.
    analyzed
        Arrays of analysed text (string or large_string), one element a row: tokens joined by
        single spaces; null or empty where a row has none. Read once; as much
        text as half the heap is held at a time.
    first_row
        The row number of the first text.
    filters
        One column a metadata key, with one code a row, the first for the first text.
    heap_bytes
        Memory for postings under construction, held to 30 MB to 4 GB; peak memory is up to 60 MB
        more. A small heap makes more segments, which makes every search slower.

    Returns
    -------
    SegmentInfo
        The rows written and the files made.

    Raises
    ------
    InvalidArgumentError
        A filter column does not fit the rows, a text is no string, or the directory holds an index.
    OSError
        The directory cannot be written, or the disk is full; no ``meta.json`` is left.
    """
    if (directory / META).exists():
        raise InvalidArgumentError(f"{directory}: expected no keyword index, found {META}")
    heap = min(max(heap_bytes, _SMALLEST_HEAP), _LARGEST_HEAP)
    directory.mkdir(parents=True, exist_ok=True)
    blocks = document_blocks(analyzed, first_row, filters)
    meta: dict[str, Any] = {}
    segments: list[dict[str, Any]] = []
    for part in _parts(blocks, heap // _HEAP_PER_TEXT_BYTE):
        for meta in _write_part(directory, part, heap):
            segments += meta["segments"]
    meta["segments"] = segments
    unfinished = directory / f".{META}"
    unfinished.write_text(json.dumps(meta, indent=1), encoding="utf-8")
    unfinished.rename(directory / META)
    return SegmentInfo(
        sum(segment["max_doc"] for segment in segments),
        tuple(segment["segment_id"] for segment in segments),
        tuple(sorted(file.name for file in directory.iterdir())),
    )


def _parts(blocks: Iterator[DocumentBlock], text_bytes: int) -> Iterator[list[DocumentBlock]]:
    """Group blocks to about ``text_bytes`` each; at least one group, be it empty."""
    part: list[DocumentBlock] = []
    size = 0
    for block in blocks:
        part.append(block)
        size += block.texts.nbytes
        if size >= text_bytes:
            yield part
            part, size = [], 0
    yield part


def _write_part(
    directory: Path, part: Sequence[DocumentBlock], heap: int
) -> Iterator[dict[str, Any]]:
    """Write rows as one tantivy index, or as several where one does not keep their order.

    Yields what tantivy says of each, with the segments in row order.
    """
    building = directory / _BUILDING
    building.mkdir()
    try:
        index = _index_documents(building, part, heap)
        meta = json.loads((building / META).read_bytes())
        ordered = _in_row_order(index.searcher(), meta["segments"])
        if ordered is not None:
            meta["segments"] = ordered
            for file in building.iterdir():
                # Locks and the list of managed files start with a dot.
                if not file.name.startswith(".") and file.name != META:
                    file.rename(directory / file.name)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    if ordered is not None:
        yield meta
        return
    for half in _halves(part):
        yield from _write_part(directory, half, heap)


def _halves(part: Sequence[DocumentBlock]) -> tuple[Sequence[DocumentBlock], ...]:
    if len(part) > 1:
        return part[: len(part) // 2], part[len(part) // 2 :]
    (block,) = part
    middle = len(block) // 2
    return [block.slice(0, middle)], [block.slice(middle, len(block))]


def _index_documents(building: Path, part: Sequence[DocumentBlock], heap: int) -> tantivy.Index:
    with _write_errors(building):
        index = tantivy.Index(keyword_schema(), path=str(building), reuse=False)
        small = sum(block.texts.nbytes for block in part) <= _SMALL_TEXT_BYTES
        writer = index.writer(heap_size=_SMALL_HEAP if small else heap, num_threads=1)
        add = writer.add_document
        for block in part:
            for document in block.documents():
                add(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
    return index


@contextmanager
def _write_errors(building: Path) -> Iterator[None]:
    # tantivy-py has no other type for a full disk or a file that cannot be made.
    try:
        yield
    except ValueError as error:
        raise OSError(f"{building.parent}: tantivy could not write the segment: {error}") from error


def _in_row_order(
    searcher: tantivy.Searcher, segments: Sequence[dict[str, Any]]
) -> list[dict[str, Any]] | None:
    """Sort segments by their rows; ``None`` if these are not consecutive. O(rows)."""
    starts = [
        start_of_run(searcher, ordinal, segment["max_doc"])
        for ordinal, segment in enumerate(segments)
    ]
    ordered = sorted(zip(starts, segments, strict=True), key=lambda pair: pair[0])
    expected = ordered[0][0] if ordered else 0
    for start, segment in ordered:
        if start < 0 or start != expected:
            return None
        expected += segment["max_doc"]
    return [segment for _, segment in ordered]


def start_of_run(searcher: tantivy.Searcher, ordinal: int, documents: int) -> int:
    """Return the first row of a segment, or -1 if its rows are not consecutive."""
    first = -1
    for start in range(0, documents, _CHECKED_AT_ONCE):
        stop = min(start + _CHECKED_AT_ONCE, documents)
        addresses = [tantivy.DocAddress(ordinal, document) for document in range(start, stop)]
        rows = searcher.fast_field_values(ROW, addresses)
        if start == 0:
            first = int(rows[0] or 0)
        if rows != list(range(first + start, first + stop)):
            return -1
    return first
