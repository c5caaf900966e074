"""Where a column came from: the first half of every message about its values."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice


@dataclass(frozen=True, slots=True)
class Place:
    """A column of one input batch.

    Parameters
    ----------
    column
        Name of the column in the input.
    origin
        File name, or ``"table"``.
    first_row
        Row number of the batch's first row within its origin, from 0.
    """

    column: str
    origin: str = "table"
    first_row: int = 0

    def __str__(self) -> str:
        return f"column {self.column!r} of {self.origin}"

    def rows(self, positions: Iterable[int], limit: int = 3) -> str:
        """Name the rows at ``positions`` in the batch, the first ``limit`` of them.

        Examples
        --------
        >>> Place("id", "docs.parquet", 100).rows([0, 7])
        'rows 100, 107'
        """
        found = [self.first_row + int(position) for position in islice(positions, limit + 1)]
        shown = ", ".join(str(row) for row in found[:limit])
        more = ", ..." if len(found) > limit else ""
        return f"row {shown}" if len(found) == 1 else f"rows {shown}{more}"
