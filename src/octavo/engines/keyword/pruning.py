"""Find the best documents of a query without scoring all of them: exact, to the last bit.

Every list of hits that is used here, be it of a pass or of a term's champions, is the complete head
of a ranking by a *lower bound* of the score: the sum over the terms that are left, in the one
order of terms. Float addition never falls when a term is added, so that no document is overrated;
and a document whose rarest term a list is about has its full score there. Hence the best of all
lists, each document at its highest score, are the best documents, as soon as no document that is in
none of them can reach the last one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log
from operator import neg

from tantivy import Query

from octavo.engines.keyword.champions import CHAMPIONS, Champions
from octavo.engines.keyword.costs import SearchCosts
from octavo.engines.keyword.passes import MOST_OPTIONAL, Pass, RemainingTerm, next_pass
from octavo.engines.keyword.queries import QueryTerm, gated, nested, union
from octavo.engines.keyword.rows import RowSearcher

_WORTH_PLANNING = 50_000  # ns
_RARE_TERM = 2_048
"""Terms in fewer documents are always essential: scoring them costs less than asking for a bound."""

_LIKELY_BEST = 1.45
"""The best score of a rare term is about so many times its idf."""


@dataclass(slots=True)
class Found:
    """Hits, best first, and the work that they took.

    Parameters
    ----------
    rows, scores
        Row numbers and scores.
    passes
        The number of searches.
    essential, optional
        The number of terms that were searched for, and that were only looked up in what was found,
        in all passes together.
    pruned
        Whether some documents that hold a term were never looked at.
    """

    rows: Sequence[int] = ()
    scores: Sequence[float] = ()
    passes: int = 0
    essential: int = 0
    optional: int = 0
    pruned: bool = False

    def add(self, rows: Sequence[int], scores: Sequence[float], limit: int) -> None:
        """Add hits in order, each document at its highest score, and keep the best ``limit``."""
        if not self.rows:
            self.rows, self.scores = list(rows[:limit]), list(scores[:limit])
            return
        threshold = self.scores[-1] if len(self.rows) == limit else 0.0
        if not scores or scores[0] < threshold:
            return
        best = dict(zip(self.rows, self.scores, strict=True))
        for row, score in zip(rows[:limit], scores, strict=False):
            if score < threshold:
                break
            if score > best.get(row, 0.0):
                best[row] = score
        ranked = sorted(zip(map(neg, best.values()), best, strict=True))[:limit]
        self.rows, self.scores = [row for _, row in ranked], [-score for score, _ in ranked]

    def count(self, step: Pass, terms: int) -> None:
        """Count a pass over the first of so many terms."""
        self.passes += 1
        self.essential += step.essential
        self.optional += terms - step.essential
        self.pruned |= bool(step.required)


class PrunedSearcher:
    """Finds the best documents of weighted terms; threads may share it.

    Parameters
    ----------
    searcher
        The searcher of the index.
    champions
        The champion lists of the index.
    """

    def __init__(self, searcher: RowSearcher, champions: Champions) -> None:
        self._searcher = searcher
        self._champions = champions

    def top(self, terms: Sequence[QueryTerm], limit: int, filters: Sequence[str] = ()) -> Found:
        """Return the best ``limit`` documents that hold one of the terms and all filter terms.

        Parameters
        ----------
        terms
            Known terms, rarest first; at least one.
        limit
            The largest number of hits, at least 1.
        filters
            Filter terms of the index.

        Returns
        -------
        Found
            Rows and float32 scores of the union of the terms, by (score descending, row ascending).
        """
        rarest = min(map(self._searcher.filter_frequency, filters)) if filters else None
        costs = SearchCosts(self._searcher.rows, limit, rarest)
        found = Found()
        listed = not filters and limit <= CHAMPIONS
        alone = len(terms) == 1 and not (listed and terms[0].repetitions == 1)
        rare = terms[-1].frequency < _RARE_TERM
        if alone or rare or costs.union([term.frequency for term in terms]) < _WORTH_PLANNING:
            found.add(*self._searcher.top(nested(terms, (), filters), limit), limit)
            found.count(Pass(len(terms)), len(terms))
            return found
        remaining = self._remaining(terms, listed=listed)
        covered = [
            self._champions.of(term.text)
            for term, left in zip(terms, remaining, strict=True)
            if not left.alone
        ]
        threshold = max((champions.kth(limit) for champions in covered), default=-1.0)
        while step := next_pass(remaining, threshold, costs):
            query = _query(terms, step, filters)
            found.add(*self._searcher.top(query, limit, at_least=threshold), limit)
            found.count(step, len(terms))
            terms, remaining = terms[step.essential :], remaining[step.essential :]
            if len(found.rows) == limit:
                threshold = max(threshold, found.scores[-1])
        found.pruned |= bool(terms)
        for champions in covered:
            found.add(champions.rows, champions.scores, limit)
        return found

    def score(
        self, terms: Sequence[QueryTerm], rows: Iterable[int]
    ) -> tuple[list[int], list[float]]:
        """Return what :meth:`top` would return of just these rows, given in ascending order."""
        return self._searcher.score(union(terms), rows)

    def filter_frequency(self, term: str) -> int:
        """Return the number of documents that hold a filter term."""
        return self._searcher.filter_frequency(term)

    @property
    def rows(self) -> int:
        """The number of rows of the index."""
        return self._searcher.rows

    def _remaining(self, terms: Sequence[QueryTerm], *, listed: bool) -> list[RemainingTerm]:
        """Look up the bounds of the terms that may be optional, all of them frequent."""
        remaining = []
        first_optional = len(terms) - MOST_OPTIONAL
        for position, term in enumerate(terms):
            if position < first_optional or term.frequency < _RARE_TERM:
                idf = log(1 + (self.rows - term.frequency + 0.5) / (term.frequency + 0.5))
                best = _LIKELY_BEST * idf * term.repetitions
                remaining.append(RemainingTerm(term.frequency, inf, best, alone=True))
            else:
                bound = self._champions.of(term.text).bound(term.repetitions)
                alone = not listed or term.repetitions > 1
                remaining.append(RemainingTerm(term.frequency, bound, bound, alone))
        return remaining


def _query(terms: Sequence[QueryTerm], step: Pass, filters: Sequence[str]) -> Query:
    if step.required:
        return gated(terms, step.required, filters)
    return nested(terms[: step.essential], terms[step.essential :], filters)
