"""Keyword retrieval: BM25 over the words of the documents (S21)."""

from typing import Any

from octavo.spi import RAGContext
from octavo.strategies.columnar import ColumnarStrategy, Ranking
from octavo.strategies.queries import ClockReadings, Queries
from octavo.strategies.sources import KeywordSource, at_present, checked_source


class KeywordRAGStrategy(ColumnarStrategy):
    """Rank documents by BM25; needs no embedding.

    Parameters
    ----------
    index
        A corpus (``corpus.keyword_index``) or any other keyword source.

    Raises
    ------
    ConfigurationError
        ``index`` is no keyword source.

    Notes
    -----
    k1 = 1.2, b = 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5)), terms joined by OR. Any text is
    a legal query: it is analysed into terms and never parsed.
    """

    name = "keyword"

    def __init__(self, index: KeywordSource) -> None:
        self._index = checked_source("index", index, KeywordSource)

    def settings(self, clocks: ClockReadings) -> dict[str, Any]:
        """Return what scores depend on beside the parts."""
        return {**super().settings(clocks), "formula": "keyword"}

    def rank(self, queries: Queries, context: RAGContext) -> Ranking:
        """Rank a batch; one search of the index for all queries."""
        index = at_present(self._index)
        selection = index.select(context.metadata_filters)
        hits, report = index.rank_keyword(queries.texts, context.max_results, selection)
        return Ranking(hits.at_least(context.min_score), index, report)
