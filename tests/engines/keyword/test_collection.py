import numpy as np
import pyarrow as pa
import pytest

from octavo import Corpus
from octavo.engines.keyword.collection import CollectionStatistics, CollectionTotals
from octavo.errors import ConfigurationError

TEXTS = ["red fox", "red red bird", "", "blue fox fox", "grey"]


def keyword_index(tmp_path, **options):
    ids = [str(number) for number in range(len(TEXTS))]
    documents = pa.table({"id": ids, "text": TEXTS})
    return Corpus.build(
        documents, tmp_path / "index", embedding="none", **options
    ).keyword_index.keyword_index


def test_an_index_tells_what_it_holds(tmp_path):
    index = keyword_index(tmp_path)
    assert index.totals == CollectionTotals(rows=5, tokens=9)
    assert index.frequencies(["red", "fox", "no", "", "\ud800"]).tolist() == [2, 2, 0, 0, 0]
    assert CollectionTotals(1, 2) + CollectionTotals(3, 4) == CollectionTotals(4, 6)


def test_own_statistics_change_nothing(tmp_path):
    # S21
    index = keyword_index(tmp_path)
    queries = [["red", "fox", "red"], [], ["no"], ["grey"]]
    terms = ["fox", "grey", "no", "red"]
    own = CollectionStatistics(
        index.totals, dict(zip(terms, index.frequencies(terms).tolist(), strict=True))
    )
    expected, found = index.search(queries, 5)[0], index.search(queries, 5, None, own)[0]
    assert np.array_equal(found.rows, expected.rows)
    assert np.array_equal(found.scores, expected.scores)


def test_scores_follow_the_statistics_given(tmp_path):
    # S21
    index = keyword_index(tmp_path)
    statistics = CollectionStatistics(CollectionTotals(100, 400), {"grey": 7})
    hits, _ = index.search([["grey"]], 5, None, statistics)
    idf = np.log(1 + (100 - 7 + 0.5) / (7 + 0.5))
    expected = idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 4))
    assert hits.rows.tolist() == [4]
    assert hits.scores[0] == pytest.approx(expected, rel=1e-5)


def test_without_block_max_postings_no_statistics_are_taken(tmp_path):
    index = keyword_index(tmp_path, block_max=False)
    with pytest.raises(ConfigurationError, match="needs block-max postings"):
        _ = index.totals
    with pytest.raises(ConfigurationError, match="needs block-max postings"):
        index.search([["red"]], 5, None, CollectionStatistics(CollectionTotals(1, 1), {"red": 1}))
