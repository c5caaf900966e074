"""Rank the rows of one query under a selection, by the plan that costs least.

tantivy takes no bitmap, so a selection is reached in one of three ways, all exact: by its filter
terms inside the engine; by ranking deeper than asked and dropping rows that are not admitted, until
enough are left or the matches end; or, for a handful of rows, by scoring just those. Which one runs
depends on the index, the query and the selection only.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress

import numpy as np

from octavo.columns.selection import Selection
from octavo.engines.keyword.pruning import Found, PrunedSearcher
from octavo.engines.keyword.queries import QueryTerm
from octavo.engines.keyword.schema import filter_term

# Costs in units of scoring one posting of a union (7 ns), measured on 886,323 short documents.
_FILTERED_POSTING = 3
_DEEPER_HIT = 40
_SCORED_TERM = 500
_DEEPENING = 8
"""Each attempt starts anew, and a deeper one costs little more (measured)."""


class Plan(StrEnum):
    """How a keyword query was answered.

    *Pruned* plans score only documents that can be among the best; the others score every document
    that holds a term and is reached.
    """

    NO_KNOWN_TERM = "keyword: no known term"
    NOTHING_ADMITTED = "keyword: nothing admitted"
    CHAMPIONS = "keyword: champion list"
    PRUNED_ONCE = "keyword: pruned one pass"
    PRUNED_TWICE = "keyword: pruned two passes"
    PRUNED_OFTEN = "keyword: pruned more passes"
    FULL_UNION = "keyword: full union"
    FILTERED_PRUNED = "keyword: filtered, pruned"
    FILTERED_UNION = "keyword: filtered union"
    DEEPENED_PRUNED = "keyword: deepened, pruned"
    DEEPENED_UNION = "keyword: deepened union"
    SCORED_ROWS = "keyword: scored rows"


_PRUNED = (Plan.CHAMPIONS, Plan.PRUNED_ONCE, Plan.PRUNED_TWICE)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query, best first, and how they were found.

    Parameters
    ----------
    plan
        The plan that ran.
    rows, scores
        Row numbers and scores of the hits.
    passes
        The number of searches it took.
    essential, optional
        The number of terms that these were for, and of those that they only looked up.
    """

    plan: Plan
    rows: Sequence[int] = ()
    scores: Sequence[float] = ()
    passes: int = 0
    essential: int = 0
    optional: int = 0


def rank(
    searcher: PrunedSearcher, terms: Sequence[QueryTerm], depth: int, selection: Selection
) -> Ranking:
    """Return the best ``depth`` admitted rows that hold one of the known ``terms``."""
    if not terms:
        return Ranking(Plan.NO_KNOWN_TERM)
    if selection.count == 0:
        return Ranking(Plan.NOTHING_ADMITTED)
    if selection.admitted is None:
        return _everywhere(searcher.top(terms, depth))
    depth = min(depth, selection.count)
    # A filter whose key is not indexed has no documents; `admitted` stands for it alone.
    filters = [filter_term(key, value) for key, value in selection.filters.items()]
    indexed = [text for text in filters if searcher.filter_frequency(text)]
    postings = sum(term.frequency for term in terms)
    limit = _expected_limit(depth, selection.count / searcher.rows)
    deepened_cost = postings + _DEEPER_HIT * min(limit, postings)
    if not indexed and _SCORED_TERM * selection.count * len(terms) < deepened_cost:
        admitted_rows = np.flatnonzero(selection.admitted).tolist()
        rows, scores = searcher.score(terms, admitted_rows)
        return Ranking(Plan.SCORED_ROWS, rows[:depth], scores[:depth], passes=1)
    attempts = _attempts(searcher, terms, indexed, depth, limit=limit, deepened_cost=deepened_cost)
    passes = essential = optional = 0
    while True:
        inside, limit = next(attempts)
        found = searcher.top(terms, limit, inside)
        passes += found.passes
        essential += found.essential
        optional += found.optional
        kept = selection.admitted[found.rows]
        if len(found.rows) < limit or np.count_nonzero(kept) >= depth:
            break
    if inside:
        plan = Plan.FILTERED_PRUNED if found.pruned else Plan.FILTERED_UNION
    else:
        plan = Plan.DEEPENED_PRUNED if found.pruned else Plan.DEEPENED_UNION
    keep = kept.tolist()
    rows, scores = list(compress(found.rows, keep)), list(compress(found.scores, keep))
    return Ranking(plan, rows[:depth], scores[:depth], passes, essential, optional)


def _everywhere(found: Found) -> Ranking:
    plan = Plan.FULL_UNION
    if found.pruned:
        plan = _PRUNED[found.passes] if found.passes < len(_PRUNED) else Plan.PRUNED_OFTEN
    return Ranking(plan, found.rows, found.scores, found.passes, found.essential, found.optional)


def _attempts(
    searcher: PrunedSearcher,
    terms: Sequence[QueryTerm],
    filters: Sequence[str],
    depth: int,
    *,
    limit: int,
    deepened_cost: int,
) -> Iterator[tuple[Sequence[str], int]]:
    """Yield filters and limits to try in turn, until there are enough admitted hits or no more."""
    if filters:
        rarest = min(searcher.filter_frequency(text) for text in filters)
        cost = _FILTERED_POSTING * sum(min(rarest, term.frequency) for term in terms)
        if deepened_cost < cost:
            yield (), limit
        # From here on only rows that are not live can be dropped.
        limit = depth
    while True:
        yield filters, limit
        limit *= _DEEPENING


def _expected_limit(depth: int, admitted: float) -> int:
    """Return how many hits hold ``depth`` admitted ones, but for three standard deviations."""
    return math.ceil((depth + 3 * math.sqrt(depth * (1 - admitted))) / admitted)
