"""Document addresses become rows, and an index that is no row order is refused."""

import pytest
import tantivy

from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.queries import QueryTerm, union
from octavo.engines.keyword.rows import RowSearcher
from octavo.errors import CorpusCorruptError
from tests.engines.keyword.corpora import write_segments

DOCUMENTS = [["a"], ["a", "b"], [], ["b"], ["a"]]


def test_rows_equal_the_fast_field(tmp_path):
    tantivy_searcher = open_composed(write_segments(tmp_path, DOCUMENTS, [1, 3]))
    searcher = RowSearcher(tantivy_searcher, 5, "here")
    query = union([QueryTerm(3, "a", 1), QueryTerm(2, "b", 1)])
    hits = tantivy_searcher.search(query, 10).hits
    expected = tantivy_searcher.fast_field_values("row", [address for _, address in hits])
    rows, scores = searcher.top(query, 10)
    assert rows == expected
    assert scores == [score for score, _ in hits]


@pytest.mark.parametrize("limit", [0, 1, 5, 1 << 62, 1 << 80])
def test_any_limit_is_safe(tmp_path, limit):
    # tantivy panics at 0 and at huge limits.
    searcher = RowSearcher(open_composed(write_segments(tmp_path, DOCUMENTS)), 5, "here")
    rows, _ = searcher.top(union([QueryTerm(3, "a", 1)]), limit)
    assert rows == [0, 4, 1][: max(1, limit)]


def test_a_score_of_zero_is_no_hit(tmp_path):
    # S13
    searcher = RowSearcher(open_composed(write_segments(tmp_path, DOCUMENTS)), 5, "here")
    nothing = tantivy.Query.const_score_query(union([QueryTerm(3, "a", 1)]), 0.0)
    assert searcher.top(nothing, 5) == ([], [])
    assert searcher.score(nothing, range(5)) == ([], [])


@pytest.mark.parametrize("rows", [4, 6])
def test_another_number_of_rows_is_corrupt(tmp_path, rows):
    searcher = open_composed(write_segments(tmp_path, DOCUMENTS))
    with pytest.raises(CorpusCorruptError, match=f"here: expected {rows} documents, found 5"):
        RowSearcher(searcher, rows, "here")


def test_segments_in_another_order_are_corrupt(tmp_path):
    first, second = write_segments(tmp_path, DOCUMENTS, [2])
    with pytest.raises(CorpusCorruptError, match="consecutive rows"):
        RowSearcher(open_composed([second, first]), 5, "here")


def test_a_missing_segment_is_corrupt(tmp_path):
    first, _, third = write_segments(tmp_path, [*DOCUMENTS, ["a"]], [2, 4])
    with pytest.raises(CorpusCorruptError, match="consecutive rows"):
        RowSearcher(open_composed([first, third]), 4, "here")
