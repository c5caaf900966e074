"""Tokens become weighted terms in one order."""

import numpy as np

from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.queries import QueryTerm, filtered_union, known_terms, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.engines.keyword.schema import filter_term
from tests.engines.keyword.corpora import write_segments


def test_known_terms_are_counted_and_rarest_first():
    frequencies = {"common": 9, "b": 2, "a": 2}
    tokens = ["common", "b", "nowhere", "a", "b", "common", "b"]
    assert known_terms(tokens, lambda term: frequencies.get(term, 0)) == [
        QueryTerm(2, "a", 1),
        QueryTerm(2, "b", 3),
        QueryTerm(9, "common", 2),
    ]


def test_a_filter_changes_no_bit_of_a_score(tmp_path):
    # The plans may only be exchanged for one another because of this (S5).
    random = np.random.default_rng(3)
    documents = [
        [f"w{n}" for n in np.minimum(random.geometric(0.05, size), 60)]
        for size in random.integers(0, 40, 500)
    ]
    metadata = {"parity": [str(row % 2) for row in range(500)], "all": ["yes"] * 500}
    segments = write_segments(tmp_path, documents, [70, 300], metadata)
    searcher = RowSearcher(open_composed(segments), 500, "here")
    terms = [QueryTerm(1, f"w{n}", 1 + n % 3) for n in range(1, 20)]
    rows, scores = searcher.top(union(terms), 500)
    odd = [(row, score) for row, score in zip(rows, scores, strict=True) if row % 2]
    filters = [filter_term("parity", "1"), filter_term("all", "yes")]
    filtered = searcher.top(filtered_union(terms, filters), 500)
    assert len(odd) > 200
    assert [*zip(*filtered, strict=True)] == odd
    assert [*zip(*searcher.score(union(terms), range(1, 500, 2)), strict=True)] == odd
