"""What BM25 knows of a whole collection, of which an index may hold a part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class CollectionTotals:
    """The number of rows, empty ones included, and of tokens in them; totals add up."""

    rows: int = 0
    tokens: int = 0

    def __add__(self, other: "CollectionTotals") -> "CollectionTotals":
        return CollectionTotals(self.rows + other.rows, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class CollectionStatistics:
    """Totals, and the document frequency of every term of some queries.

    With the statistics of the whole, the parts of a collection give the scores, bit by bit, that an
    index of the whole would.
    """

    totals: CollectionTotals
    frequencies: Mapping[str, int]

    def frequencies_of(self, queries: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Return the document frequency of each token of the queries, one behind the other."""
        return np.array([self.frequencies[token] for query in queries for token in query], np.int64)
