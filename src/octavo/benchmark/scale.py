"""How much a run of the suite does."""

from dataclasses import dataclass
from enum import StrEnum


class Suite(StrEnum):
    """Which run."""

    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of a run.

    Parameters
    ----------
    documents
        Of the main corpus.
    block
        Queries a call of an engine or strategy.
    batch
        Queries of a batch job.
    growth
        Sizes that growth is measured over, each against the one before.
    seconds
        Time for each measure, warm-up excluded.
    checked
        Queries whose results are worked out by brute force.
    """

    documents: int
    block: int
    batch: int
    growth: tuple[int, ...]
    seconds: float
    checked: int


LONGEST_GROWTH = 10_000_000

SCALES = {
    Suite.QUICK: Scale(100_000, 128, 512, (10_000, 100_000), 1.0, 64),
    Suite.FULL: Scale(1_000_000, 256, 4_096, (10_000, 100_000, 1_000_000), 3.0, 128),
}
