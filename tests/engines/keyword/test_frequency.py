"""Document frequencies of any string."""

from collections import Counter

from octavo.engines.keyword.frequency import document_frequencies


class CountingSearcher:
    def __init__(self):
        self.asked = Counter()

    def doc_freq(self, field, term):
        assert field == "body"
        self.asked[term] += 1
        return len(term)


def test_a_term_is_looked_up_once():
    searcher = CountingSearcher()
    frequency = document_frequencies(searcher)
    assert [frequency(term) for term in ("a", "bb", "a", "a")] == [1, 2, 1, 1]
    assert searcher.asked == {"a": 1, "bb": 1}


def test_long_terms_are_not_remembered():
    searcher = CountingSearcher()
    frequency = document_frequencies(searcher)
    assert [frequency("x" * 1000) for _ in range(2)] == [1000, 1000]
    assert searcher.asked["x" * 1000] == 2


def test_a_lone_surrogate_is_in_no_document():
    searcher = CountingSearcher()
    assert document_frequencies(searcher)("a\ud800") == 0
    assert not searcher.asked
