"""What an engine did for a batch: the plans that ran and the work they took."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Plans and work counters of one search; reports add up.

    Parameters
    ----------
    plans
        Number of queries answered by each plan, such as ``{"keyword: full union": 10}``.
    counters
        Amounts of work by name, such as ``{"terms": 31, "vectors compared": 886323}``.
    """

    plans: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "SearchReport") -> "SearchReport":
        return SearchReport(self.plans + other.plans, self.counters + other.counters)
