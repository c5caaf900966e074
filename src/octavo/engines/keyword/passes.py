"""Choose the next pass over the terms of a query: MaxScore, one search at a time.

The terms that are left, rarest first, are cut in two (Turtle and Flood, "Query evaluation:
strategies and optimizations", 1995). A pass takes every document that holds an *essential* term and
scores it with all of them; a document with none of those cannot score more than the bounds of the
*optional* terms together. The essential terms are done after the pass, and what is left is cut
again with the higher k-th score that the pass gave, until the bounds of all that is left do not
reach it. No posting of an essential term is scored twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from octavo.engines.keyword.costs import SearchCosts

MOST_OPTIONAL = 8
"""Optional terms are nested queries, and tantivy's cost grows steeply with their depth."""

# The k-th score of a pass is about this share of the best score that one of its terms can give;
# more, the more documents there are for a place (measured: half of all passes reach the middle,
# nearly all the lower end, hardly any the upper end of the spread).
_REACH, _REACH_PER_DECADE, _SPREAD = 0.55, 0.2, 0.6
_LARGEST_LOSS = 1.4  # times the cost of doing without the pass


@dataclass(frozen=True, slots=True)
class RemainingTerm:
    """A term that no pass was over yet.

    Parameters
    ----------
    frequency
        The number of documents that hold it.
    bound
        What it adds to a score at most; infinite where that is not known.
    best
        What it is likely to add at most; no result depends on it.
    alone
        Whether a document that holds no other term may matter; not where those are known already.
    """

    frequency: int
    bound: float
    best: float
    alone: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """The next search.

    Parameters
    ----------
    essential
        The number of terms that the search is over, from the rarest on; the others are optional.
    required
        Positions of terms without which a document of the one essential term cannot matter.
    """

    essential: int
    required: tuple[int, ...] = ()


def next_pass(terms: Sequence[RemainingTerm], threshold: float, costs: SearchCosts) -> Pass | None:
    """Return the pass that promises the cheapest way to the end; ``None`` if the end is reached.

    Parameters
    ----------
    terms
        The terms that are left, rarest first.
    threshold
        A score that the k-th best document is known to reach; negative if there may be none. A
        document that can only tie with it still counts, as its row may be lower.
    costs
        What searches cost.
    """
    essential = _essential_terms(terms, threshold)
    if not essential:
        return None
    frequencies = [term.frequency for term in terms]
    fewest = max(1, len(terms) - MOST_OPTIONAL)
    best, cost = Pass(len(terms)), costs.union(frequencies)
    reach = max(essential, fewest)
    if reach < len(terms) and (nested := costs.nested(frequencies, reach)) < cost:
        best, cost = Pass(reach), nested
    ungated, required = _gates(terms, essential, threshold) if fewest == 1 else (essential, ())
    if ungated < essential:
        gated = costs.nested(frequencies, ungated) if ungated else 0.0
        for position in range(ungated, essential):
            gated += costs.gated(frequencies[position], frequencies[position + 1])
        if gated < cost:
            if not ungated:
                return Pass(1, required)
            best, cost = Pass(ungated), gated
    return _cheaper_start(terms, essential, best, cost, costs) or best


def _essential_terms(terms: Sequence[RemainingTerm], threshold: float) -> int:
    """Return how many terms, from the rarest on, a document must hold one of to matter."""
    bounds = 0.0
    for position in range(len(terms) - 1, -1, -1):
        bounds += terms[position].bound
        last = position == len(terms) - 1
        if bounds >= threshold and (not last or terms[position].alone):
            return position + 1
    return 0


def _gates(
    terms: Sequence[RemainingTerm], essential: int, threshold: float
) -> tuple[int, tuple[int, ...]]:
    """Return from where on every essential term requires others, and what the first one requires.

    Looks at documents whose rarest remaining term is the one in question.
    """
    start = essential
    found: tuple[int, ...] = ()
    while start and (required := _required(terms[start - 1 :], threshold)):
        start -= 1
        found = required
    return start, found


def _required(terms: Sequence[RemainingTerm], threshold: float) -> tuple[int, ...]:
    """Return the terms without which a document that holds the first of them cannot matter."""
    if len(terms) == 2 and not terms[0].alone:
        return (1,)
    return tuple(
        position
        for position in range(1, len(terms))
        if sum(term.bound for other, term in enumerate(terms) if other != position) < threshold
    )


def _cheaper_start(
    terms: Sequence[RemainingTerm], essential: int, best: Pass, cost: float, costs: SearchCosts
) -> Pass | None:
    """Return a pass over fewer terms if the threshold it may give is worth the attempt."""
    frequencies = [term.frequency for term in terms]
    start: Pass | None = None
    cheapest = cost
    for count in range(max(1, len(terms) - MOST_OPTIONAL), best.essential):
        places = costs.documents(frequencies[:count]) / costs.limit
        chance = _chance_to_be_last(terms, count, places)
        if not chance:
            continue
        attempt = costs.nested(frequencies, count)
        if attempt >= cheapest:
            break
        rest = frequencies[count:]
        after = costs.union(rest)
        if count < essential:
            after = min(after, costs.nested(rest, essential - count))
        expected = attempt + (1 - chance) * after
        if expected < cheapest and attempt + after <= _LARGEST_LOSS * cost:
            start, cheapest = Pass(count), expected
    return start


def _chance_to_be_last(terms: Sequence[RemainingTerm], count: int, places: float) -> float:
    """Guess whether a pass over the first terms gives a score that the others do not reach."""
    if places < 1:
        return 0.0
    needed = sum(term.bound for term in terms[count:]) / max(term.best for term in terms[:count])
    reached = _REACH + _REACH_PER_DECADE * log10(places)
    return min(1.0, max(0.0, 0.5 + (reached - needed) / _SPREAD))
