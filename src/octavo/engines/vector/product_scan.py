"""Exact search by products in single precision, which needs neither codes nor a new processor."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.engines.vector.blocks import blocks
from octavo.engines.vector.nomination import approximate, block_rows, bound, dense_share
from octavo.engines.vector.scanned import Scanned
from octavo.engines.vector.segments import VectorSegments
from octavo.kernels.exact_scan import scan_block, squared_lengths
from octavo.kernels.top_k import sort_heaps


def scan(
    segments: VectorSegments,
    queries: NDArray[np.float32],
    depth: int,
    admitted: NDArray[np.bool_] | None,
) -> Scanned:
    """Return the ``depth`` best admitted rows of unit-length queries, none of them zero."""
    count = len(queries)
    limits = bound(count, segments.dimensions)
    squares = np.empty(count, np.float64)
    squared_lengths(queries, squares)
    counts = np.zeros(count, np.int64)
    heap = np.empty(count * depth, np.int64)
    scores = np.empty(count * depth, np.float64)
    rows = np.empty(count * depth, np.int64)
    size = min(block_rows(count, segments.dimensions), max(1, segments.rows))
    values = np.empty((count, size), np.float32)
    compared = rescored = 0
    for segment, matrix in enumerate(segments.matrices):
        searchable = segments.searchable(segment, admitted)
        first_row = int(segments.starts[segment])
        for block in blocks(
            len(matrix), searchable, block_rows=size, dense_share=dense_share(count)
        ):
            vectors = block.of(matrix)
            approximate(queries, vectors, values)
            rescored += scan_block(
                values,
                limits.slope,
                limits.reach,
                queries,
                squares,
                vectors,
                first_row + block.start,
                block.positions + first_row,
                block.admitted,
                depth,
                counts,
                heap,
                scores,
                rows,
            )
            compared += count * block.size
    sort_heaps(heap, depth, counts, scores, rows)
    slots = heap.reshape(count, depth)[np.arange(depth) < counts[:, np.newaxis]]
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return Scanned(Hits(offsets, rows[slots], scores[slots]), compared, rescored)
