"""BM25 in plain Python and float64, from the formula alone: what the keyword engine must give."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

from octavo.columns.hits import Hits

K1, B = 1.2, 0.75
RELATIVE_TOLERANCE = 1e-5  # S21


def quantised_length(length: int) -> int:
    """Round a length down to what one byte can say: Lucene's SmallFloat.intToByte4 and back.

    Lengths below 24 are exact, then come floats of a four-bit mantissa, shifted by 24.
    """
    if length < 24:
        return length
    shift = max(0, (length - 24).bit_length() - 4)
    return 24 + ((length - 24) >> shift << shift)


class Bm25Oracle:
    """Scores every document that holds a term of a query.

    Parameters
    ----------
    documents
        The tokens of each document.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self.rows = len(documents)
        self._lengths = [len(tokens) for tokens in documents]
        self._postings: dict[str, dict[int, int]] = {}
        for row, tokens in enumerate(documents):
            for term, tf in Counter(tokens).items():
                self._postings.setdefault(term, {})[row] = tf

    def scores(self, query: Sequence[str]) -> dict[int, float]:
        """Return the score of each row that holds a term of the query."""
        mean = sum(self._lengths) / max(1, self.rows)
        totals: dict[int, float] = {}
        for term, repetitions in sorted(Counter(query).items()):
            postings = self._postings.get(term, {})
            frequency = len(postings)
            idf = math.log(1 + (self.rows - frequency + 0.5) / (frequency + 0.5))
            for row, tf in postings.items():
                norm = K1 * (1 - B + B * quantised_length(self._lengths[row]) / mean)
                gain = repetitions * idf * (K1 + 1) * tf / (tf + norm)
                totals[row] = totals.get(row, 0.0) + gain
        return totals

    def ranked(
        self, query: Sequence[str], depth: int, admitted: Callable[[int], bool] | None = None
    ) -> list[tuple[int, float]]:
        """Return (row, score) of the best admitted rows, score descending, then row ascending."""
        found = [
            (row, score)
            for row, score in self.scores(query).items()
            if admitted is None or admitted(row)
        ]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:depth]

    def check(
        self,
        hits: Hits,
        queries: Sequence[Sequence[str]],
        depth: int,
        admitted: Callable[[int], bool] | None = None,
    ) -> None:
        """Fail unless the hits are the best ones, up to ties within the tolerance.

        Every score is right; the order is (score descending, row ascending) by the engine's own
        scores; and no row that was left out scores above the last one that was returned.
        """
        assert hits.queries == len(queries)
        for number, query in enumerate(queries):
            span = slice(int(hits.offsets[number]), int(hits.offsets[number + 1]))
            rows, scores = hits.rows[span].tolist(), hits.scores[span].tolist()
            expected = {
                row: score
                for row, score in self.scores(query).items()
                if admitted is None or admitted(row)
            }
            assert len(rows) == min(depth, len(expected)), query
            assert len(set(rows)) == len(rows)
            assert sorted(zip(scores, rows, strict=True), key=lambda hit: (-hit[0], hit[1])) == [
                *zip(scores, rows, strict=True)
            ]
            for row, score in zip(rows, scores, strict=True):
                assert math.isclose(score, expected.pop(row), rel_tol=RELATIVE_TOLERANCE), query
            if expected and scores:
                assert max(expected.values()) <= scores[-1] * (1 + RELATIVE_TOLERANCE), query
