"""When runs of rows are merged: in tiers, as in a log-structured merge tree.

New rows come as a run of their own. Neighbours are merged once that makes a run so much larger than
each of them (O'Neil et al., Acta Informatica 1996): a row is written again a logarithmic number of
times, and runs stay few.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tiers:
    """A policy for merging neighbouring runs.

    Parameters
    ----------
    fan_out
        Runs are merged when that gives one at least so many times larger than each of them.
    small_rows
        Runs that hold at most so many rows together are always merged: opening one more costs more
        than writing it again.
    largest_rows, largest_share
        No merge gives a run of more than ``largest_rows`` rows that is also more than a
        ``largest_share``-th of all.

    Examples
    --------
    >>> Tiers(fan_out=4, small_rows=2).groups([100, 3, 3, 3, 3])
    [range(0, 1), range(1, 5)]
    """

    fan_out: int = 4
    small_rows: int = 256
    largest_rows: int = 16_384
    largest_share: int = 16

    def largest(self, rows: int) -> int:
        """Return the most rows that a merge may give, where there are ``rows`` in all."""
        return max(self.largest_rows, rows // self.largest_share)

    def groups(self, sizes: Sequence[int]) -> list[range]:
        """Return which neighbours become one run each, as ranges of positions, in order.

        Parameters
        ----------
        sizes
            The rows of each run. Linear in their number, up to a logarithm.
        """
        largest = self.largest(sum(sizes))
        groups: list[range] = []
        totals: list[int] = []
        for position, size in enumerate(sizes):
            groups.append(range(position, position + 1))
            totals.append(size)
            while (count := self._mergeable(totals, largest)) > 0:
                groups[-count:] = [range(groups[-count].start, position + 1)]
                totals[-count:] = [sum(totals[-count:])]
        return groups

    def _mergeable(self, sizes: Sequence[int], largest: int) -> int:
        """Return how many of the last runs are worth merging, or 0."""
        total = longest = 0
        for count, size in enumerate(reversed(sizes), 1):
            total += size
            longest = max(longest, size)
            if total > largest:
                return 0
            if count > 1 and (total <= self.small_rows or total >= self.fan_out * longest):
                return count
        return 0
