"""Nominate admitted rows only: by dropping the others, or where that leaves too few, by a filter.

Where most rows are admitted (a filter that excludes little, or documents deleted since the structure
was built), a plain nomination with some to spare holds enough of them around nearly every query,
and costs hardly more than without a selection. Which way a query goes depends on its own nominees.
"""

import math

import numpy as np
from numpy.typing import NDArray

from octavo.engines.vector.nominator import Admitted, Nominations, Nominator
from octavo.engines.vector.width import SearchWidth

# From this share on, rows that are not admitted are dropped from what is nominated (measured).
_MOSTLY_ADMITTED = 0.5
_DEVIATIONS = 3.0
_SPARE_SHARE = 2  # half as many more, for what was deleted near a query: they cost little
# Where the rows nearest to a query hold so many times fewer admitted ones than others do, they are
# compared exactly; not where so few are expected that chance decides (measured).
_RARER = 4.0
_EXPECTED_NEARBY = 8.0
_NEAREST = 64  # nominees that say so: of more, those behind a deleted neighbourhood hide it
_NEARBY_SHARE = 4  # a part of the usual lists says which rows are nearest, well enough


def nominate_admitted(
    nominator: Nominator,
    queries: NDArray[np.float32],
    width: SearchWidth,
    admitted: Admitted,
    share: float,
) -> tuple[Nominations, NDArray[np.bool_]]:
    """Nominate admitted rows only, and say which queries are to be compared exactly instead.

    Parameters
    ----------
    nominator
        The structure.
    queries
        Unit-length float32 vectors, C-contiguous.
    width
        How widely to search.
    admitted
        The rows that may be candidates.
    share
        The share of all rows with a vector that are admitted.

    Returns
    -------
    found
        ``width.nominees`` candidates of each query, all of them admitted, or as many as are found.
    apart
        The queries around which far fewer rows are admitted than elsewhere: they have no
        candidates. Their nearest admitted rows are far away and about equally far, so that neither
        lists nor codes can tell which they are.
    """
    count = len(queries)
    rows = np.full((count, width.nominees), -1, np.int64)
    apart = np.zeros(count, np.bool_)
    probed = compared = 0
    left = np.arange(count)
    if share >= _MOSTLY_ADMITTED:
        nominees = _to_spare(width.nominees, share)
        near = nominator.nominate(queries, width.effort(share), nominees)
        probed, compared = near.probed, near.compared
        known, inside = _inside(near.rows, admitted)
        enough = inside.sum(axis=1) >= min(width.nominees, admitted.count)
        rows[enough] = _first(near.rows[enough], inside[enough], width.nominees)
        left = np.flatnonzero(~enough)
        known, inside = known[left, :_NEAREST], inside[left, :_NEAREST]
    elif share * width.nominees >= _EXPECTED_NEARBY:
        effort = max(1, width.narrowest // _NEARBY_SHARE)
        known, inside = _inside(nominator.nominate(queries, effort, width.nominees).rows, admitted)
    else:
        known = inside = np.zeros((count, 0), np.bool_)
    if len(left):
        expected = share * known.sum(axis=1)
        rare = (expected >= _EXPECTED_NEARBY) & (inside.sum(axis=1) < expected / _RARER)
        apart[left[rare]] = True
        left = left[~rare]
    if len(left):
        own = np.ascontiguousarray(queries[left])
        by_filter = nominator.nominate(own, width.effort(share), width.nominees, admitted)
        rows[left] = by_filter.rows
        probed += by_filter.probed
        compared += by_filter.compared
    return Nominations(rows, probed, compared), apart


def _to_spare(nominees: int, share: float) -> int:
    """Return how many nominees hold so many admitted ones, in all but unusual places.

    By chance alone they do, but for three standard deviations; and deletions lie together, since
    documents are deleted with their like.
    """
    by_chance = (nominees + _DEVIATIONS * math.sqrt(nominees * (1.0 - share))) / share
    return math.ceil(by_chance) + nominees // _SPARE_SHARE


def _inside(
    rows: NDArray[np.int64], admitted: Admitted
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where a nominee is a row at all, and where it is an admitted one."""
    known = (rows >= 0) & (rows < len(admitted.flags))  # a damaged file may say anything
    return known, admitted.flags[np.where(known, rows, 0)] & known


def _first(rows: NDArray[np.int64], chosen: NDArray[np.bool_], limit: int) -> NDArray[np.int64]:
    """Return the first ``limit`` chosen rows of each line, -1 behind the last."""
    first = np.full((len(rows), limit), -1, np.int64)
    places = np.cumsum(chosen, axis=1) - 1
    taken = chosen & (places < limit)
    lines = np.nonzero(taken)[0]
    first[lines, places[taken]] = rows[taken]
    return first
