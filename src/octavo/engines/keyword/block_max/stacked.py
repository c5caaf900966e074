"""Postings of several segments as one set of arrays, so that one kernel call searches them all.

An index that is updated has one large segment and many small ones, and each call costs as much as
searching thousands of postings. The arrays of small segments are copied, one behind the other, when
an index is first searched; a large segment is a stack of its own, not copied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.engines.keyword.block_max.files import BlockMaxPostings

_SMALL_POSTINGS = 1 << 17
_STACKED_POSTINGS = 1 << 23
"""The most in one stack; copies take about 10 bytes a posting."""
_ARRAYS = (
    "hashes", "text_ends", "text", "ends", "rows", "codes", "bounds", "large_places",
    "large_counts",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class StackedPostings:
    """The arrays of one or more segments, each behind that of the segment before.

    Parameters
    ----------
    first_rows
        The first row of each segment in the index.
    segment_ends
        int64, shape ``(segments + 1, 6)``: where each segment ends, see
        :func:`octavo.kernels.find_postings.find_postings`.
    hashes, text_ends, text, ends, rows, codes, bounds, large_places, large_counts, frequent, levels
        See :mod:`octavo.engines.keyword.block_max.files`; the last two, which only save time, are
        empty where there are several segments.
    """

    first_rows: NDArray[np.int64]
    segment_ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    text_ends: NDArray[np.int64]
    text: NDArray[np.uint8]
    ends: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint16]
    bounds: NDArray[np.uint16]
    large_places: NDArray[np.int64]
    large_counts: NDArray[np.int64]
    frequent: NDArray[np.int64]
    levels: NDArray[np.uint8]

    @property
    def segments(self) -> int:
        """The number of segments."""
        return len(self.first_rows)


def stack(segments: Sequence[BlockMaxPostings]) -> list[StackedPostings]:
    """Return the postings of consecutive rows in as few stacks as are worth it, the largest first.

    Searching large segments first raises the score that rows of the others must reach.
    """
    counts = np.array([segment.description.rows for segment in segments], np.int64)
    first_rows = np.cumsum(counts) - counts
    return [
        _stacked([segments[number] for number in group], first_rows[group])
        for group in _groups([segment.description.postings for segment in segments])
    ]


def _groups(postings: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of the segments that go together."""
    group: list[int] = []
    size = 0
    for number in sorted(range(len(postings)), key=lambda each: -postings[each]):
        large = postings[number] > _SMALL_POSTINGS
        if group and (large or size + postings[number] > _STACKED_POSTINGS):
            yield group
            group, size = [], 0
        group.append(number)
        size += _STACKED_POSTINGS if large else postings[number]
    if group:
        yield group


def _stacked(
    segments: Sequence[BlockMaxPostings], first_rows: NDArray[np.int64]
) -> StackedPostings:
    ends = np.zeros((len(segments) + 1, 6), np.int64)
    for number, segment in enumerate(segments, 1):
        held = segment.description
        sizes = (held.terms, held.text_bytes, held.postings, held.blocks, held.large, held.rows)
        ends[number] = ends[number - 1] + sizes
    if len(segments) == 1:
        arrays: dict[str, Any] = {name: getattr(segments[0], name) for name in _ARRAYS}
        frequent, levels = segments[0].frequent, segments[0].levels
    else:
        arrays = {
            name: np.concatenate([getattr(segment, name) for segment in segments])
            for name in _ARRAYS
        }
        frequent, levels = np.zeros(0, np.int64), np.zeros((0, 0), np.uint8)
    return StackedPostings(first_rows, ends, **arrays, frequent=frequent, levels=levels)
