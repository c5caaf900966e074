"""Champion lists are the heads of the rankings of single terms."""

import numpy as np

from octavo.engines.keyword.champions import CHAMPIONS, ChampionList, Champions
from octavo.engines.keyword.composed import open_composed
from octavo.engines.keyword.queries import QueryTerm, union
from octavo.engines.keyword.rows import RowSearcher
from tests.engines.keyword.bm25_oracle import Bm25Oracle
from tests.engines.keyword.corpora import write_segments


def searcher_of(directory, documents, cuts=()):
    segments = write_segments(directory, documents, cuts)
    return RowSearcher(open_composed(segments), len(documents), "here")


DOCUMENTS = [["a"] * (1 + row % 3) + ["x"] * (row % 5) for row in range(300)] + [["b", "x"]]


def test_a_list_holds_the_best_documents(tmp_path):
    champions = Champions(searcher_of(tmp_path, DOCUMENTS, [40])).of("a")
    expected = Bm25Oracle(DOCUMENTS).ranked(["a"], CHAMPIONS)
    assert champions.rows.tolist() == [row for row, _ in expected]
    assert np.allclose(champions.scores.tolist(), [score for _, score in expected], rtol=1e-5)
    assert champions.kth(1) == champions.scores[0]
    assert champions.kth(CHAMPIONS) == champions.scores[-1]
    assert champions.kth(CHAMPIONS + 1) == -1.0


def test_a_short_list_ends_before_the_kth(tmp_path):
    champions = Champions(searcher_of(tmp_path, DOCUMENTS)).of("b")
    assert champions.rows.tolist() == [300]
    assert champions.kth(2) == -1.0


def test_an_unknown_term_adds_nothing(tmp_path):
    champions = Champions(searcher_of(tmp_path, DOCUMENTS)).of("nowhere")
    assert champions.bound(3) == 0.0
    assert champions.kth(1) == -1.0


def test_no_score_exceeds_its_bound(tmp_path):
    searcher = searcher_of(tmp_path, DOCUMENTS)
    lists = Champions(searcher)
    for repetitions in (1, 2, 3, 7, 1000):
        best = searcher.top(union([QueryTerm(1, "a", repetitions)]), 1)[1][0]
        bound = lists.of("a").bound(repetitions)
        assert best <= bound <= best * 1.00001
    together = [QueryTerm(1, "a", 3), QueryTerm(1, "x", 7)]
    best = searcher.top(union(together), 1)[1][0]
    assert best <= lists.of("a").bound(3) + lists.of("x").bound(7)


def test_stored_lists_are_used_as_they_are(tmp_path):
    stored = ChampionList(Champions(searcher_of(tmp_path, DOCUMENTS)).of("a").rows[:1], None)
    assert Champions(None, {"a": stored}).of("a") is stored
