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
from tantivy import Query

from octavo.columns.selection import Selection
from octavo.engines.keyword.queries import QueryTerm, filtered_union, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.engines.keyword.schema import filter_term

# Costs in units of scoring one posting of a union (7 ns), measured on 886,323 short documents.
_FILTERED_POSTING = 3
_DEEPER_HIT = 40
_SCORED_TERM = 500


class Plan(StrEnum):
    """How a keyword query was answered."""

    NO_KNOWN_TERM = "keyword: no known term"
    NOTHING_ADMITTED = "keyword: nothing admitted"
    FULL_UNION = "keyword: full union"
    FILTERED_UNION = "keyword: filtered union"
    DEEPENED_UNION = "keyword: deepened union"
    SCORED_ROWS = "keyword: scored rows"


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
    """

    plan: Plan
    rows: Sequence[int] = ()
    scores: Sequence[float] = ()
    passes: int = 0


def rank(
    searcher: RowSearcher, terms: Sequence[QueryTerm], depth: int, selection: Selection
) -> Ranking:
    """Return the best ``depth`` admitted rows that hold one of the known ``terms``."""
    if not terms:
        return Ranking(Plan.NO_KNOWN_TERM)
    if selection.count == 0:
        return Ranking(Plan.NOTHING_ADMITTED)
    if selection.admitted is None:
        return Ranking(Plan.FULL_UNION, *searcher.top(union(terms), depth), passes=1)
    depth = min(depth, selection.count)
    # A filter whose key is not indexed has no documents; `admitted` stands for it alone.
    filters = [filter_term(key, value) for key, value in selection.filters.items()]
    indexed = [text for text in filters if searcher.filter_frequency(text)]
    postings = sum(term.frequency for term in terms)
    limit = _expected_limit(depth, selection.count / searcher.rows)
    deepened_cost = postings + _DEEPER_HIT * min(limit, postings)
    if not indexed and _SCORED_TERM * selection.count * len(terms) < deepened_cost:
        admitted_rows = np.flatnonzero(selection.admitted).tolist()
        rows, scores = searcher.score(union(terms), admitted_rows)
        return Ranking(Plan.SCORED_ROWS, rows[:depth], scores[:depth], passes=1)
    attempts = _attempts(searcher, terms, indexed, depth, limit=limit, deepened_cost=deepened_cost)
    passes = 0
    while True:
        plan, query, limit = next(attempts)
        passes += 1
        rows, scores = searcher.top(query, limit)
        kept = selection.admitted[rows]
        if len(rows) < limit or np.count_nonzero(kept) >= depth:
            break
    keep = kept.tolist()
    rows, scores = list(compress(rows, keep)), list(compress(scores, keep))
    return Ranking(plan, rows[:depth], scores[:depth], passes)


def _attempts(
    searcher: RowSearcher,
    terms: Sequence[QueryTerm],
    filters: Sequence[str],
    depth: int,
    *,
    limit: int,
    deepened_cost: int,
) -> Iterator[tuple[Plan, Query, int]]:
    """Yield searches to try in turn, until one has enough admitted hits or all there are."""
    plan, query = Plan.DEEPENED_UNION, union(terms)
    if filters:
        rarest = min(searcher.filter_frequency(text) for text in filters)
        cost = _FILTERED_POSTING * sum(min(rarest, term.frequency) for term in terms)
        if deepened_cost < cost:
            yield plan, query, limit
        # From here on only rows that are not live can be dropped.
        plan, query, limit = Plan.FILTERED_UNION, filtered_union(terms, filters), depth
    while True:
        yield plan, query, limit
        limit *= 4


def _expected_limit(depth: int, admitted: float) -> int:
    """Return how many hits hold ``depth`` admitted ones, but for three standard deviations."""
    return math.ceil((depth + 3 * math.sqrt(depth * (1 - admitted))) / admitted)
