r"""Analysed tokens as tantivy queries; no user text reaches a query parser.

A document's score is the sum over its query terms of

.. math:: n \cdot \ln\left(1 + \frac{N - df + 0.5}{df + 0.5}\right)
          \cdot \frac{(k_1 + 1)\, tf}{tf + k_1 (1 - b + b\, |d| / \overline{|d|})}

with n the number of times the query says the term, :math:`k_1 = 1.2` and :math:`b = 0.75`
(Robertson and Zaragoza 2009, with Lucene's idf, which is never negative, and the constant factor
:math:`k_1 + 1`). N, df and the mean length are those of the whole index, empty documents and
deleted ones included; :math:`|d|` is the length in tokens, rounded down to one of the 256 values
of Lucene's SmallFloat. tantivy computes in float32.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tantivy import Occur, Query

from octavo.engines.keyword.schema import BODY, FILTER, keyword_schema


@dataclass(frozen=True, slots=True, order=True)
class QueryTerm:
    """A term that some document holds; sorts by (frequency, text).

    Float addition is not associative, so that one order of terms gives one score.

    Parameters
    ----------
    frequency
        The number of documents that hold the term.
    text
        The term.
    repetitions
        How often the query says it.
    """

    frequency: int
    text: str
    repetitions: int


def known_terms(tokens: Sequence[str], document_frequency: Callable[[str], int]) -> list[QueryTerm]:
    """Return the distinct terms of a query that occur in the index, rarest first."""
    terms = [
        QueryTerm(frequency, token, repetitions)
        for token, repetitions in Counter(tokens).items()
        if (frequency := document_frequency(token)) > 0
    ]
    terms.sort()
    return terms


def term_query(term: QueryTerm) -> Query:
    """Return the query for one term, weighted by its repetitions."""
    query = Query.term_query(keyword_schema(), BODY, term.text, "freq")
    return query if term.repetitions == 1 else Query.boost_query(query, float(term.repetitions))


def union(terms: Iterable[QueryTerm]) -> Query:
    """Return the query for documents with any of the terms."""
    return Query.boolean_query([(Occur.Should, term_query(term)) for term in terms])


def filtered_union(terms: Iterable[QueryTerm], filter_terms: Sequence[str]) -> Query:
    """Return the query for documents with any of the terms and all of the filter terms.

    The filter is repeated beside each term: intersecting postings skips most of them, where a
    filter beside the union would score every document of the union. Scores are those of
    :func:`union` to the last bit, since a filter adds 0.
    """
    clauses = _filter_clauses(filter_terms)
    return Query.boolean_query(
        [
            (Occur.Should, Query.boolean_query([*clauses, (Occur.Must, term_query(term))]))
            for term in terms
        ]
    )


def nested(
    essential: Sequence[QueryTerm], optional: Iterable[QueryTerm], filter_terms: Sequence[str] = ()
) -> Query:
    """Return the query for documents with any essential term, scored with the optional ones too.

    The optional terms are nested around the union one by one, so that each is looked up in the
    documents of the union only; beside each other in one query they would be scored everywhere.
    Scores are those of a union of all terms in this order, to the last bit.
    """
    core = filtered_union(essential, filter_terms) if filter_terms else union(essential)
    return _with_optional(core, optional)


def gated(
    terms: Sequence[QueryTerm], required: Sequence[int], filter_terms: Sequence[str] = ()
) -> Query:
    """Return the query for documents with the first term and those at the required positions.

    They are scored with all terms; scores are those of a union in this order, to the last bit.
    """
    scored = 2 if 1 in required else 1  # two scores add up to the same in either order
    clauses = [(Occur.Must, term_query(term)) for term in terms[:scored]]
    clauses += [
        (Occur.Must, _unscored(BODY, terms[position].text))
        for position in required
        if position >= scored
    ]
    core = Query.boolean_query(clauses + _filter_clauses(filter_terms))
    return _with_optional(core, terms[scored:])


def _with_optional(query: Query, optional: Iterable[QueryTerm]) -> Query:
    for term in optional:
        query = Query.boolean_query([(Occur.Must, query), (Occur.Should, term_query(term))])
    return query


def _filter_clauses(filter_terms: Sequence[str]) -> list[tuple[Occur, Query]]:
    return [(Occur.Must, _unscored(FILTER, text)) for text in filter_terms]


def _unscored(field: str, text: str) -> Query:
    """Return the query for documents with a term, all of which it adds 0 to."""
    return Query.const_score_query(Query.term_query(keyword_schema(), field, text, "basic"), 0.0)
