"""Which rows a search may return: live, and matching every filter."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The admitted rows of a search, computed once per batch and given to every engine.

    Parameters
    ----------
    admitted
        One boolean a row; ``None`` admits every row.
    count
        The number of admitted rows.
    filters
        The metadata filters that ``admitted`` expresses (``entryId`` included). An engine that
        indexes ``key=value`` terms may search with these instead of the booleans; both say the
        same, up to rows that are not live.
    """

    admitted: NDArray[np.bool_] | None
    count: int
    filters: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def everything(rows: int) -> "Selection":
        """Admit all of ``rows`` rows."""
        return Selection(None, rows)

    @staticmethod
    def of(admitted: NDArray[np.bool_], filters: Mapping[str, str] | None = None) -> "Selection":
        """Admit the rows where ``admitted`` holds."""
        return Selection(admitted, int(np.count_nonzero(admitted)), filters or {})
