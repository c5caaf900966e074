"""Two streams of results side by side: the hits of the same queries, a block at a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from octavo.errors import InvalidArgumentError
from octavo.ledger.hit_columns import HitColumns
from octavo.ledger.results import Results


class Pair(NamedTuple):
    """All hits that two results have of some queries; one may have none of them."""

    before: HitColumns
    after: HitColumns
    queries: list[str]
    """In the order in which they come in ``before``, else in ``after``."""


def paired(before: Results, after: Results) -> Iterator[Pair]:
    """Yield the hits of the same queries together.

    Memory holds a few blocks, and the hits of queries that only one of the two has shown so far:
    little, where both answer the queries in one order.

    Raises
    ------
    InvalidArgumentError
        The hits of a query do not follow one another, or there is no column ``query_id``.
    """
    sides = (_Side(before), _Side(after))
    first, second = sides
    more = True
    while more:
        more = any(tuple(side.read() for side in sides))  # both, whatever the first says
        known = set(second.complete())
        common = [query for query in first.complete() if query in known]
        if common:
            yield Pair(first.taken(common), second.taken(common), common)
    for side, other in ((first, second), (second, first)):
        alone = side.complete()
        if alone:
            own, none = side.taken(alone), other.taken([])
            yield Pair(own, none, alone) if side is first else Pair(none, own, alone)


class _Side:
    """One of the results, and what of it waits for the other."""

    def __init__(self, results: Results) -> None:
        self._blocks = results.blocks()
        self._origin = results.origin
        self._waiting: pa.Table | None = None
        self._ended = False
        self._taken: set[str] = set()

    def read(self) -> bool:
        """Read a block; ``False`` where there is no more."""
        block = None if self._ended else next(self._blocks, None)
        if block is None:
            self._ended = True
            return False
        block.texts("query_id")  # refuses what is none
        table = pa.table(block.rows.columns, schema=block.rows.schema)
        held = [] if self._waiting is None else [self._waiting]
        try:
            self._waiting = pa.concat_tables([*held, table], promote_options="permissive")
        except pa.ArrowException as error:
            raise InvalidArgumentError(
                f"{self._origin}: expected columns of one type throughout, found: {error}"
            ) from error
        return True

    def complete(self) -> list[str]:
        """Return the queries whose hits are all here, in order."""
        queries, codes = self._queries()
        runs = 1 + np.count_nonzero(np.diff(codes)) if len(codes) else 0
        again = next((query for query in queries if query in self._taken), None)
        if runs > len(queries) or again is not None:
            raise InvalidArgumentError(
                f"{self._origin}: expected the hits of each query together, found some of "
                f"{again or _repeated(queries, codes)!r} apart"
            )
        return queries if self._ended else queries[:-1]

    def taken(self, wanted: list[str]) -> HitColumns:
        """Take the hits of some queries away."""
        if self._waiting is None:
            return HitColumns(pa.table({}), self._origin)
        self._taken.update(wanted)
        queries, codes = self._queries()
        chosen = set(wanted)
        mask = np.array([query in chosen for query in queries], np.bool_)[codes]
        found = self._waiting.filter(pa.array(mask))
        self._waiting = self._waiting.filter(pa.array(~mask))
        return HitColumns(found, self._origin)

    def _queries(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the distinct ids that wait, in order, and which each hit has."""
        if self._waiting is None or self._waiting.num_rows == 0:
            return [], np.zeros(0, np.int64)
        ids = self._waiting["query_id"].cast(pa.large_string()).combine_chunks()
        encoded: Any = ids.dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _repeated(queries: list[str], codes: NDArray[np.int64]) -> str:
    starts = codes[np.concatenate(([True], np.diff(codes) != 0))]
    return queries[int(np.bincount(starts).argmax())]
