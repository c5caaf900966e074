"""BM25 over two indexes as over one: a word is as rare as it is in both together (S21).

The statistics of a few entries say little about which words matter, and their scores would not be
comparable with those of a large corpus. So the smaller index is searched word by word, and each word
weighed by its idf in both; the larger one keeps its own, which is about the same.
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
    """
    first, second = indexes
    smaller = 0 if first.rows < second.rows else 1
    found = []
    for place, (index, selection) in enumerate(zip(indexes, selections, strict=True)):
        if place == smaller and first.rows and second.rows:
            hits = [
                weighed_together(index, indexes[1 - place], each, depth, selection)
                for each in queries
            ]
            found.append((Hits.concatenate(hits), SearchReport()))
        else:
            found.append(index.search(queries, depth, selection))
    return found[0], found[1]


def weighed_together(
    index: KeywordIndex,
    other: KeywordIndex,
    tokens: Sequence[str],
    depth: int,
    selection: Selection,
) -> Hits:
    """Return the best rows of an index, by how rare words are in both; O(terms of the query that it holds, and rows)."""
    counts = {each: n for each, n in Counter(tokens).items() if index.document_frequency(each)}
    terms = sorted(counts)  # float addition is not associative
    if not terms:
        return Hits.empty(1)
    hits, _ = index.search([[each] for each in terms], index.rows, selection)
    scores = np.zeros(index.rows)
    for place, term in enumerate(terms):
        own = index.document_frequency(term)
        both = own + other.document_frequency(term)
        weight = idf(index.rows + other.rows, both) / idf(index.rows, own)
        part = slice(hits.offsets[place], hits.offsets[place + 1])
        scores[hits.rows[part]] += counts[term] * weight * hits.scores[part]
    rows = np.flatnonzero(scores)
    return rank_hits(Hits(np.array([0, len(rows)]), rows, scores[rows]), depth)


def idf(documents: int, frequency: int) -> float:
    """Return how rare a word is (the idf of S21).

    Examples
    --------
    >>> idf(1, 1) < idf(10, 1) < idf(1000, 1)
    True
    """
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
