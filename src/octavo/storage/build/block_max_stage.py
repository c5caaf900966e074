"""Stage 2 of a build, beside tantivy's postings: the derived block-max postings."""

import shutil
from pathlib import Path

from octavo.engines.keyword.block_max.files import LARGEST_ROWS
from octavo.parallel import ordered_map
from octavo.storage.format import layout
from octavo.storage.format.analyzed_file import AnalyzedReader
from octavo.storage.snapshot.segment_settings import SegmentSettings


def write_block_max_postings(directory: Path, scratch: Path, settings: SegmentSettings) -> None:
    """Invert the analysed text of ``scratch`` into the block-max postings of a segment.

    Each thread inverts a range of rows, in runs that fit its share of the memory; the runs are
    merged at the end. The bytes do not depend on the number of threads, nor on the memory.
    """
    # The kernels load only in a process that builds or searches.
    from octavo.engines.keyword.block_max.runs import Run, invert  # noqa: PLC0415
    from octavo.engines.keyword.block_max.writer import write_block_max  # noqa: PLC0415

    reader = AnalyzedReader(scratch)
    if reader.rows > LARGEST_ROWS:
        return  # tantivy alone answers
    ranges = reader.split(settings.threads)
    memory = settings.heap_bytes(len(ranges))
    runs = directory / layout.BLOCK_MAX_SCRATCH

    def invert_range(piece: tuple[int, range]) -> list[Run]:
        number, rows = piece
        return list(invert(runs / str(number), reader.read(rows), rows.start, memory))

    settings.progress("indexing words for batches", 0)
    found = ordered_map(
        invert_range, list(enumerate(ranges)), threads=min(settings.threads, len(ranges))
    )
    write_block_max(directory / layout.BLOCK_MAX, [run for each in found for run in each])
    settings.progress("indexing words for batches", reader.rows)
    shutil.rmtree(runs, ignore_errors=True)  # small runs stay in memory
