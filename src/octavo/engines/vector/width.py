"""How widely a structure is searched, as tuned: by filter, and by the number of hits wanted."""

import math
from dataclasses import dataclass, replace
from typing import Final

NOMINEES: Final = (128, 256, 512, 1024)
"""Numbers of candidates that tuning tries."""

HALVINGS: Final = 5
"""Tuning chooses an effort for filters that admit a half, ..., one row in ``2 ** HALVINGS``."""

_LARGEST_NOMINATION = 8192  # beyond, an exact scan is as fast


@dataclass(frozen=True, slots=True)
class SearchWidth:
    """Efforts by selectivity, and the number of candidates.

    Parameters
    ----------
    efforts
        The effort without a filter, then with one that admits a half, a quarter, ... of the rows;
        in between, the next wider one, but for more than a half, where it grows evenly; the last
        also holds for smaller shares, growing with their square root.
    nominees
        How many candidates are scored exactly; also the largest depth served with them.
    """

    efforts: tuple[int, ...]
    nominees: int

    @property
    def narrowest(self) -> int:
        """The effort without a filter."""
        return self.efforts[0]

    def effort(self, share: float) -> int:
        """Return the effort where a share of the rows is admitted.

        Examples
        --------
        >>> width = SearchWidth((16, 24, 32), 200)
        >>> [width.effort(share) for share in (1.0, 0.99, 0.5, 0.4, 0.25, 1 / 16)]
        [16, 17, 24, 32, 32, 64]
        """
        exact = max(0.0, -math.log2(max(share, 2.0**-40)))
        halvings = math.ceil(exact)
        last = len(self.efforts) - 1
        if halvings == 1 <= last:  # mostly documents that were deleted: few are not admitted
            first, second = self.efforts[:2]
            return first + math.ceil(exact * (second - first))
        if halvings <= last:
            return self.efforts[halvings]
        return math.ceil(self.efforts[last] * math.sqrt(2.0 ** (halvings - last)))

    def for_depth(self, depth: int) -> "SearchWidth | None":
        """Return the width for so many hits; ``None`` where an exact scan is as fast.

        The candidates double until they are enough, so within each doubling a smaller depth gives
        a prefix of a larger one's hits (S12).
        """
        nominees = self.nominees
        while nominees < depth:
            nominees *= 2
        return None if nominees > _LARGEST_NOMINATION else replace(self, nominees=nominees)

    def widened(self, factor: int) -> "SearchWidth":
        """Return a width for queries that too few rows were found for."""
        return replace(self, efforts=tuple(effort * factor for effort in self.efforts))
