"""What a search is expected to cost, from counted work: no clock decides how an index is searched.

Nanoseconds for 128 dimensions on one thread, measured on 886,323 vectors; only ratios matter.
"""

import math
from dataclasses import dataclass

_DIMENSIONS = 128
_SCANNED_CODE = (12.0, 0.5)  # a vector of an exact scan by stored codes: alone, in a batch
_SCANNED_VECTOR = (40.0, 1.0)  # without them
_LISTED_CODE = (5.5, 2.4)  # a code in inverted lists, whatever the dimensions
_NOMINEE_READ = (3500.0, 400.0)  # a random read, however long the vector
_NOMINEE_SCORE = (200.0, 200.0)  # an exact score
_PROBING = (250_000.0, 100_000.0)  # finding the nearest lists


@dataclass(frozen=True, slots=True)
class SearchCost:
    """The cost of a query asked alone, and of one in a large batch."""

    alone: float
    batch: float

    def pays_beside(self, other: "SearchCost") -> bool:
        """Whether this is the better way for a user of both: the geometric mean counts.

        One way has to serve both, since a batch answers as a loop does (S5).

        Examples
        --------
        >>> SearchCost(2.0, 3.0).pays_beside(SearchCost(8.0, 1.0))
        True
        """
        return math.sqrt(self.alone * self.batch) < math.sqrt(other.alone * other.batch)


def scan_cost(rows: int, dimensions: int, *, coded: bool) -> SearchCost:
    """Return what comparing every vector costs, by 8-bit codes where they are stored."""
    alone, batch = _SCANNED_CODE if coded else _SCANNED_VECTOR
    scale = rows * dimensions / _DIMENSIONS
    return SearchCost(alone * scale, batch * scale)


def lists_cost(compared: float, nominees: int, dimensions: int) -> SearchCost:
    """Return what comparing so many codes in lists, then scoring ``nominees`` vectors, costs."""
    scale = dimensions / _DIMENSIONS
    alone, batch = (
        probing + code * compared + (read + score * scale) * nominees
        for probing, code, read, score in zip(
            _PROBING, _LISTED_CODE, _NOMINEE_READ, _NOMINEE_SCORE, strict=True
        )
    )
    return SearchCost(alone, batch)
