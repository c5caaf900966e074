"""What every vector index answers, exact or approximate."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.columns.hits import Hits
from octavo.columns.selection import Selection
from octavo.engines.report import SearchReport


class VectorIndex(Protocol):
    """Rows with vectors, ranked by their cosine with a query."""

    @property
    def rows(self) -> int:
        """The number of rows, those without a vector included."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of values in a vector."""
        ...

    def search(
        self, queries: NDArray[np.floating], depth: int, selection: Selection | None = None
    ) -> tuple[Hits, SearchReport]:
        """Return the ``depth`` best admitted rows of each query, and how they were found.

        Parameters
        ----------
        queries
            float16, float32 or float64, shape ``(q, dimensions)``, of any length but finite.
        depth
            The number of hits of each query, at least 1.
        selection
            The admitted rows; ``None`` admits all.
        """
        ...
