"""Which rows of two results are the same hit: the same document for the same query."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.pairing import Pair

Positions = NDArray[np.int64]


class Matched(NamedTuple):
    """Positions of hits in the two tables of a pair."""

    both: tuple[Positions, Positions]
    left: Positions
    """In the first only."""
    entered: Positions
    """In the second only."""
    queries: tuple[Positions, Positions]
    """For each row of the first and of the second, the number of its query."""


def matched(pair: Pair) -> Matched:
    """Match the hits of a pair.

    Where a query has several hits of one id (an application's own documents may have none), the
    first is matched with the first, and so on.
    """
    queries = (_numbers(pair.before, pair.queries), _numbers(pair.after, pair.queries))
    ids = [side.texts("id") for side in (pair.before, pair.after) if len(side)]
    encoded: Any = pa.concat_arrays(ids).dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    keys = np.concatenate(queries) * len(encoded.dictionary) + codes
    size = len(pair.before)
    again = np.concatenate((_earlier(keys[:size]), _earlier(keys[size:])))
    keys = keys * (int(again.max(initial=0)) + 1) + again
    _, first, second = np.intersect1d(
        keys[:size], keys[size:], assume_unique=True, return_indices=True
    )
    order = np.argsort(first)
    return Matched(
        (first[order], second[order]),
        np.setdiff1d(np.arange(size), first),
        np.setdiff1d(np.arange(len(pair.after)), second),
        queries,
    )


def _numbers(side: HitColumns, queries: list[str]) -> Positions:
    if len(side) == 0:
        return np.zeros(0, np.int64)
    found: Any = pc.index_in(side.texts("query_id"), pa.array(queries, pa.large_string()))
    return found.to_numpy().astype(np.int64)  # type: ignore[no-any-return]


def _earlier(keys: Positions) -> Positions:
    """Return how often each key came before."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.concatenate((np.ones(min(1, len(keys)), np.bool_), ordered[1:] != ordered[:-1]))
    starts = np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0))
    counts = np.empty(len(keys), np.int64)
    counts[order] = np.arange(len(keys)) - starts
    return counts
