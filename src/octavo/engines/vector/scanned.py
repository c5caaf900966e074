"""What a scan of all admitted vectors found, and what it took."""

from dataclasses import dataclass

from octavo.columns.hits import Hits


@dataclass(frozen=True, slots=True, eq=False)
class Scanned:
    """The best rows of a block of queries.

    Parameters
    ----------
    hits
        In order, with exact scores.
    compared, rescored
        How many pairs of query and vector were compared, and how many of them scored exactly.
    """

    hits: Hits
    compared: int
    rescored: int
