"""A tantivy searcher that speaks of rows: document addresses never leave this file."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
from tantivy import DocAddress, Query, Searcher

from octavo.engines.keyword.schema import FILTER, ROW
from octavo.errors import CorpusCorruptError


class RowSearcher:
    """Searches segments whose documents are the rows in order; threads may share it.

    Parameters
    ----------
    searcher
        From :func:`~octavo.engines.keyword.composed.open_composed`.
    rows
        The number of rows.
    where
        The place of the files, for messages.
    offsets
        What is added to the row numbers that each segment was written with; ``None`` for nothing.

    Raises
    ------
    CorpusCorruptError
        The documents are not the rows 0 to ``rows`` - 1 in order.
    """

    def __init__(
        self, searcher: Searcher, rows: int, where: str, offsets: Sequence[int] | None = None
    ) -> None:
        if searcher.num_docs != rows:
            raise CorpusCorruptError(
                f"{where}: expected {rows} documents, found {searcher.num_docs}"
            )
        self._searcher = searcher
        if offsets is None:
            offsets = [0] * searcher.num_segments
        if len(offsets) != searcher.num_segments:
            raise CorpusCorruptError(
                f"{where}: expected {len(offsets)} segments, found {searcher.num_segments}"
            )
        self._bases = _first_rows(searcher, rows, where, offsets)
        self._where = where
        self.rows = rows

    @property
    def segments(self) -> int:
        """The number of tantivy segments."""
        return len(self._bases)

    def top(
        self, query: Query, limit: int, *, at_least: float = 0.0
    ) -> tuple[list[int], list[float]]:
        """Return rows and scores of the best ``limit`` hits, by (score descending, row ascending).

        Scores are tantivy's float32 values; hits that score below ``at_least`` are left out. A
        ``limit`` beyond the number of rows is legal.
        """
        hits = self._searcher.search(query, limit=max(1, min(limit, self.rows)), count=False).hits
        if hits and hits[-1][0] < at_least:
            del hits[bisect_right(hits, -at_least, key=lambda hit: -hit[0]) :]
        bases = self._bases
        # Adding up is many times faster than fetching the fast field `row`.
        rows = [bases[address.segment_ord] + address.doc for _, address in hits]
        scores = [score for score, _ in hits]
        if rows and max(rows) >= self.rows:
            raise CorpusCorruptError(
                f"{self._where}: expected rows below {self.rows}, found row {max(rows)}"
            )
        while scores and not scores[-1] > 0.0:  # a float32 idf can vanish in a huge corpus
            scores.pop()
            rows.pop()
        return rows, scores

    def score(self, query: Query, rows: Iterable[int]) -> tuple[list[int], list[float]]:
        """Return what :meth:`top` would return of just these rows, given in ascending order.

        Costs some microseconds a row and clause, whatever the number of documents.
        """
        found: list[tuple[float, int]] = []
        for row in rows:
            segment = bisect_right(self._bases, row) - 1
            address = DocAddress(segment, row - self._bases[segment])
            try:
                explanation = query.explain(self._searcher, address)
            except ValueError as error:
                if "does not match" not in str(error):
                    raise
                continue
            # The text holds the shortest decimal of a float32.
            score = float(np.float32(json.loads(explanation.to_json())["value"]))
            if score > 0.0:
                found.append((-score, row))
        found.sort()
        return [row for _, row in found], [-score for score, _ in found]

    def filter_frequency(self, term: str) -> int:
        """Return the number of documents that hold a filter term."""
        return self._searcher.doc_freq(FILTER, term)


def _first_rows(searcher: Searcher, rows: int, where: str, offsets: Sequence[int]) -> list[int]:
    """Return the first row of each segment, having looked at both ends of each."""

    def row_of(segment: int, doc: int) -> int:
        value = searcher.fast_field_values(ROW, [DocAddress(segment, doc)])[0]
        return -1 if value is None else int(value) + offsets[segment]

    bases = [row_of(segment, 0) for segment in range(searcher.num_segments)]
    if not bases:
        return bases
    ends = [*bases[1:], rows]
    ordered = bases[0] == 0 and all(a < b for a, b in zip(bases, ends, strict=True))
    if not ordered or any(
        row_of(segment, end - bases[segment] - 1) != end - 1 for segment, end in enumerate(ends)
    ):
        raise CorpusCorruptError(
            f"{where}: expected segments of consecutive rows, found some that start at {bases}"
        )
    return bases
