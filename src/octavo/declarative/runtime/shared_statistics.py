"""BM25 over several indexes as over one: a word is as rare as it is in all together (S21).

The statistics of a few entries say little about which words matter, and their scores would not be
comparable with those of a large corpus. So the smaller indexes are searched word by word, and each word
weighed by its idf in all; the largest keeps its own, which is about the same.
"""

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np

from octavo.columns.hits import Hits
from octavo.columns.ranking import rank_hits
from octavo.columns.selection import Selection
from octavo.engines.keyword import KeywordIndex
from octavo.engines.report import SearchReport

Found = tuple[Hits, SearchReport]


def rank_together(
    indexes: tuple[KeywordIndex, KeywordIndex],
    queries: Sequence[Sequence[str]],
    depth: int,
    selections: tuple[Selection, Selection],
    beside: Sequence[KeywordIndex] = (),
) -> tuple[Found, Found]:
    """Return the ``depth`` best rows of each query in both indexes, with comparable scores.

    Parameters
    ----------
    indexes
        The two; of one analyser.
    queries
        Tokens, a list a query.
    depth
        The most hits of a query and an index.
    selections
        The rows of each index that may be returned.
    beside
        Further indexes with which these are compared.
    """
    (first, second), (own, other) = indexes, selections
    return (
        rank_beside(first, (second, *beside), queries, depth, own),
        rank_beside(second, (first, *beside), queries, depth, other),
    )


def rank_beside(
    index: KeywordIndex,
    others: Sequence[KeywordIndex],
    queries: Sequence[Sequence[str]],
    depth: int,
    selection: Selection,
) -> Found:
    """Return the ``depth`` best rows of each query in an index, comparable with those of others."""
    others = [each for each in others if each.rows]
    if not others or not 0 < index.rows <= max(each.rows for each in others):
        return index.search(queries, depth, selection)
    hits = [_weighed(index, others, each, depth, selection) for each in queries]
    return Hits.concatenate(hits), SearchReport()


def _weighed(
    index: KeywordIndex,
    others: Sequence[KeywordIndex],
    tokens: Sequence[str],
    depth: int,
    selection: Selection,
) -> Hits:
    """Return the best rows of an index, by how rare words are in all; O(terms of the query that it holds, and rows)."""
    counts = {each: n for each, n in Counter(tokens).items() if index.document_frequency(each)}
    terms = sorted(counts)  # float addition is not associative
    if not terms:
        return Hits.empty(1)
    hits, _ = index.search([[each] for each in terms], index.rows, selection)
    scores = np.zeros(index.rows)
    rows = index.rows + sum(each.rows for each in others)
    for place, term in enumerate(terms):
        own = index.document_frequency(term)
        frequency = own + sum(each.document_frequency(term) for each in others)
        weight = idf(rows, frequency) / idf(index.rows, own)
        part = slice(hits.offsets[place], hits.offsets[place + 1])
        scores[hits.rows[part]] += counts[term] * weight * hits.scores[part]
    found = np.flatnonzero(scores)
    return rank_hits(Hits(np.array([0, len(found)]), found, scores[found]), depth)


def idf(documents: int, frequency: int) -> float:
    """Return how rare a word is (the idf of S21).

    Examples
    --------
    >>> idf(1, 1) < idf(10, 1) < idf(1000, 1)
    True
    """
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
