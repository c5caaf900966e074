"""The best documents of single terms: upper bounds for pruning, and answers where nothing else counts.

A champion list (Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008,
section 7.1.3) holds the documents in which a term scores highest. Its first score bounds what the
term can add to any document; its k-th score is one that the k-th best document of every query with
the term reaches; and documents that hold no other term of a query need no search as long as the
list is as long as the answer.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from octavo.engines.keyword.queries import QueryTerm, union
from octavo.engines.keyword.rows import RowSearcher

CHAMPIONS = 128
"""The length of a list: enough for the 100 candidates a stream that composing strategies take."""

_REMEMBERED_LISTS = 4096  # of 1.6 KB

# A bound b says: no float32 sum of scores exceeds the exact sum of their bounds. Adding n scores
# rounds n - 1 times, each by at most 2**-24 of the sum, and a term said r times is scored by a
# weight that is rounded once more: with up to 16 terms, less than 24 such roundings.
_SLACK = 1 + 2.0**-19


@dataclass(frozen=True, slots=True, eq=False)
class ChampionList:
    """The best documents of one term said once, by (score descending, row ascending).

    Parameters
    ----------
    rows, scores
        As many as hold the term, at most :data:`CHAMPIONS`.
    """

    rows: "array[int]"
    scores: "array[float]"

    def bound(self, repetitions: int) -> float:
        """Return what the term adds to a document's score at most, with room for rounding.

        The float32 sum of the scores of up to 16 terms does not exceed the sum of their bounds.
        """
        return self.scores[0] * repetitions * _SLACK if self.scores else 0.0

    def kth(self, k: int) -> float:
        """Return the score of the document at place ``k`` from 1; -1 where the list ends before."""
        return self.scores[k - 1] if k <= len(self.scores) else -1.0


class Champions:
    """The champion lists of an index, made when they are asked for; threads may share it.

    Parameters
    ----------
    searcher
        The searcher of the index.
    stored
        Lists that were made with the index.
    """

    def __init__(
        self, searcher: RowSearcher, stored: Mapping[str, ChampionList] | None = None
    ) -> None:
        known = stored or {}

        def make(term: str) -> ChampionList:
            if term in known:
                return known[term]
            rows, scores = searcher.top(union([QueryTerm(0, term, 1)]), CHAMPIONS)
            return ChampionList(array("q", rows), array("d", scores))

        self._of = lru_cache(maxsize=_REMEMBERED_LISTS)(make)

    def of(self, term: str) -> ChampionList:
        """Return the list of a term. At first use a search, 7 ns a document that holds it."""
        return self._of(term)
