"""How much memory a build may take, and how that is shared out."""

import os
import re
from dataclasses import dataclass

from octavo.errors import InvalidArgumentError

MIB = 1 << 20
SMALLEST_BUDGET = 512 * MIB
"""Less than this leaves no room to work in."""

_BASE = 384 * MIB
"""What loaded libraries, batches under way and mapped files take, whatever the budget."""

SMALLEST_HEAP = 16 * MIB
LARGEST_HEAP = 1024 * MIB
_LARGEST_BUDGET = float(1 << 60)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_PATTERN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """A bound on the peak memory of a build, in bytes."""

    total: int

    @property
    def working(self) -> int:
        """The bytes that one structure may take while it is built."""
        return max(0, self.total - _BASE)

    def heap(self, writers: int) -> int:
        """Return the bytes of postings that each of ``writers`` keyword writers may hold."""
        share = (self.total - _BASE) // (2 * writers)
        return max(SMALLEST_HEAP, min(LARGEST_HEAP, share))


def parse_budget(value: int | str | None) -> MemoryBudget:
    """Return the budget for a number of bytes, a text such as ``2GiB``, or the default.

    The default is a quarter of the machine's memory. Units are powers of 1,024: ``2G``, ``2GB``
    and ``2GiB`` are the same.

    Raises
    ------
    InvalidArgumentError
        The value is no such size, or below 512 MiB.

    Examples
    --------
    >>> parse_budget("2GiB").total
    2147483648
    """
    if value is None:
        return MemoryBudget(max(SMALLEST_BUDGET, _machine_memory() // 4))
    total = _bytes(value)
    if total < SMALLEST_BUDGET:
        raise InvalidArgumentError(f"memory budget: expected at least 512MiB, found {value!r}")
    return MemoryBudget(total)


def _bytes(value: int | str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _PATTERN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InvalidArgumentError(f"memory budget: expected a size such as 2GiB, found {value!r}")
    amount = float(match[1]) * _UNITS[match[2].upper()]
    if amount > _LARGEST_BUDGET:
        raise InvalidArgumentError(
            f"memory budget: {str(value)[:20]!r} is more than any machine has"
        )
    return int(amount)


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 8 << 30
