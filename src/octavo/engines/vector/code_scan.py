"""Exact search by 8-bit codes: stored ones, or made on the way for a batch."""

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.vector_codes import VectorCodes, code_width, worth_coding
from octavo.engines.vector.blocks import Block, blocks
from octavo.engines.vector.coded_queries import CodedQueries
from octavo.engines.vector.scanned import Scanned
from octavo.engines.vector.segments import VectorSegments
from octavo.kernels.candidates import settle_queries
from octavo.kernels.code_scan import scan_codes
from octavo.kernels.code_tiles import supported
from octavo.kernels.exact_scan import squared_lengths
from octavo.kernels.vector_codes import encode_vectors

# From here on a scan without stored codes is faster with codes made on the way (measured).
_MANY_QUERIES = 16
_BLOCK_BYTES = 1 << 22  # of codes: few calls, and codes made on the way stay in a cache (measured)
# From this share of admitted rows on a block is compared whole, not gathered (measured).
_DENSE_SHARE = 0.33
_SPARE = 64  # candidates kept beside twice the hits that are wanted


def fits(segments: VectorSegments, queries: int) -> bool:
    """Whether a search by codes is possible here, and the fastest way."""
    worth = queries >= _MANY_QUERIES or all(
        codes is not None or len(matrix) == 0
        for codes, matrix in zip(segments.codes, segments.matrices, strict=True)
    )
    return worth and worth_coding(segments.dimensions) and supported()


def scan(
    segments: VectorSegments,
    queries: NDArray[np.float32],
    depth: int,
    admitted: NDArray[np.bool_] | None,
) -> Scanned:
    """Return the ``depth`` best admitted rows of unit-length queries, none of them zero."""
    count = len(queries)
    coded = CodedQueries.of(queries)
    squares = np.empty(count, np.float64)
    squared_lengths(queries, squares)
    capacity = 2 * depth + _SPARE
    counts = np.zeros(count, np.int64)
    rows = np.empty(count * capacity, np.int64)
    lowest = np.empty(count * capacity, np.float64)
    highest = np.empty(count * capacity, np.float64)
    block_rows = _BLOCK_BYTES // code_width(segments.dimensions)
    compared = rescored = 0
    for segment, matrix in enumerate(segments.matrices):
        searchable = segments.searchable(segment, admitted)
        first_row = int(segments.starts[segment])
        for block in blocks(
            len(matrix), searchable, block_rows=block_rows, dense_share=_DENSE_SHARE
        ):
            codes = _codes(matrix, segments.codes[segment], block)
            rescored += scan_codes(
                codes.codes,
                codes.bounds,
                coded.packed,
                coded.levels,
                coded.starts,
                coded.slopes,
                coded.cuts,
                coded.thresholds,
                queries,
                squares,
                matrix,
                block.start,
                block.positions,
                first_row,
                block.admitted,
                depth,
                counts,
                rows,
                lowest,
                highest,
            )
            compared += count * block.size
        rescored += settle_queries(
            0,
            count,
            queries,
            squares,
            coded.cuts,
            coded.thresholds,
            matrix,
            first_row,
            depth,
            counts,
            rows,
            lowest,
            highest,
        )
    kept = np.flatnonzero((np.arange(capacity) < counts[:, np.newaxis]).ravel())
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return Scanned(Hits(offsets, rows[kept], lowest[kept]), compared, rescored)


def _codes(matrix: NDArray[np.float32], codes: VectorCodes | None, block: Block) -> VectorCodes:
    if codes is None:
        return VectorCodes(*encode_vectors(block.of(matrix), code_width(matrix.shape[1])))
    return VectorCodes(block.of(codes.codes), block.of(codes.bounds))
