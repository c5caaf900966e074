"""What searches cost in tantivy, in nanoseconds: measured on 886,323 short documents.

Only the choice between plans rests on these figures, never a result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_PASS, _HIT = 12_000, 150  # a search with its query object, and each hit turned into Python objects
_POSTING, _FILTERED_POSTING, _UNSCORED_POSTING = 7, 21, 3
_WINDOW_ROWS, _WINDOW = 4096, 100  # a union buffers scores in windows of rows
_SEEK, _BLOCK_POSTING, _BLOCK = 15, 0.4, 128  # postings are packed in blocks of 128


@dataclass(frozen=True, slots=True)
class SearchCosts:
    """Estimates for one query.

    Parameters
    ----------
    rows
        The number of rows of the index.
    limit
        The number of hits asked for.
    filter_frequency
        The rows that match the rarest filter term; ``None`` without a filter.
    """

    rows: int
    limit: int
    filter_frequency: int | None = None

    def union(self, frequencies: Sequence[int]) -> float:
        """Return the cost of scoring every posting of terms with these document frequencies."""
        return _PASS + _HIT * self.limit + self._core(frequencies)

    def nested(self, frequencies: Sequence[int], essential: int) -> float:
        """Return the cost of a union of the first terms with the others nested around it."""
        core = frequencies[:essential]
        cost = self.union(core)
        documents = self.documents(core)
        for frequency in frequencies[essential:]:
            cost += self._seeks(documents, frequency)
        return cost

    def gated(self, frequency: int, required: int) -> float:
        """Return the cost of intersecting a term with the rarest one that it needs beside it."""
        if self.filter_frequency is None:
            core = _UNSCORED_POSTING * float(frequency)
        else:
            core = self._core((frequency,))
        seeks = self._seeks(self.documents((frequency,)), required)
        return _PASS + _HIT * self.limit + core + seeks

    def documents(self, frequencies: Sequence[int]) -> float:
        """Return how many documents a union of terms gives at most."""
        postings = sum(frequencies)
        if self.filter_frequency is None:
            return postings
        return postings * self.filter_frequency / self.rows

    def _core(self, frequencies: Sequence[int]) -> float:
        if self.filter_frequency is not None:
            most = self.filter_frequency
            return _FILTERED_POSTING * sum(min(most, frequency) for frequency in frequencies)
        postings = sum(frequencies)
        windows = min(postings, self.rows // _WINDOW_ROWS) if len(frequencies) > 1 else 0
        return _POSTING * postings + _WINDOW * windows

    @staticmethod
    def _seeks(documents: float, frequency: int) -> float:
        reached = _BLOCK_POSTING * min(frequency, _BLOCK * documents)
        return _SEEK * min(documents, frequency) + reached
